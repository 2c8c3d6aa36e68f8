#include "lib/compiler/picture/Fold.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>

namespace proa::picture {
namespace {

using Ids = std::vector<int32_t>;

/// A run of equal series: `count` times `period` ids from `begin` on. It may also begin up to `slack` ids
/// later.
struct Repetition {
  size_t begin = 0, period = 0, count = 0, slack = 0;
  size_t length() const { return period * count; }
};

class Folder {
public:
  explicit Folder(Graph &graph) : graph(graph) {}

  void run() {
    for (size_t i = 0, count = graph.nodes.size(); i < count; ++i)
      if (!graph.nodes[i].children.empty()) {
        Ids children = foldList(graph.nodes[i].children);
        graph.nodes[i].children = std::move(children);
      }
    graph.roots = foldList(graph.roots);
    for (int32_t root : graph.roots)
      graph.nodes[static_cast<size_t>(root)].parent = -1;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      for (int32_t child : graph.nodes[i].children)
        graph.nodes[static_cast<size_t>(child)].parent = static_cast<int32_t>(i);
  }

private:
  static constexpr size_t leastNodes = 12; ///< a shorter list is shown as it is
  static constexpr size_t mostNodes = 120; ///< a longer one is cut
  static constexpr size_t mostSections = 16;
  static constexpr size_t leastPeriod = 3;

  Node &node(int32_t id) { return graph.nodes[static_cast<size_t>(id)]; }

  int32_t addGroup(std::string title, Ids children) {
    Node group{.kind = NodeKind::Group, .op = std::move(title)};
    group.children = std::move(children);
    graph.nodes.push_back(std::move(group));
    return static_cast<int32_t>(graph.nodes.size()) - 1;
  }

  /// Feeds before the ops and fetches after them stay outside of groups.
  Ids foldList(const Ids &list) {
    if (list.size() < leastNodes)
      return list;
    Ids before, ops, after;
    for (int32_t id : list) {
      NodeKind kind = node(id).kind;
      bool isBefore = kind == NodeKind::Feed || kind == NodeKind::Argument;
      (isBefore ? before : kind == NodeKind::Fetch ? after : ops).push_back(id);
    }
    Ids folded = havePaths(ops) ? foldByPath(ops, 0) : foldRepetitions(ops);
    folded = cut(std::move(folded));
    before.insert(before.end(), folded.begin(), folded.end());
    before.insert(before.end(), after.begin(), after.end());
    return before;
  }

  /// The segments of a path except the last one, which the op itself has.
  static llvm::SmallVector<llvm::StringRef> pathOf(llvm::StringRef name) {
    llvm::SmallVector<llvm::StringRef> segments;
    name.split(segments, '/', -1, /*KeepEmpty=*/false);
    if (!segments.empty())
      segments.pop_back();
    return segments;
  }

  bool havePaths(const Ids &ids) {
    auto hasPath = [&](int32_t id) { return !pathOf(node(id).name).empty(); };
    return 2 * std::ranges::count_if(ids, hasPath) > static_cast<ptrdiff_t>(ids.size());
  }

  Ids foldByPath(const Ids &ids, size_t depth) {
    llvm::MapVector<llvm::StringRef, Ids> groups;
    std::vector<std::pair<bool, llvm::StringRef>> order; // a group, or a single op
    Ids singles;
    std::vector<std::string> names; // groups change graph.nodes, and so the names that StringRefs refer to
    names.reserve(ids.size());
    for (int32_t id : ids) {
      names.push_back(node(id).name);
      llvm::SmallVector<llvm::StringRef> path = pathOf(names.back());
      if (path.size() <= depth) {
        singles.push_back(id);
        order.emplace_back(false, llvm::StringRef());
        continue;
      }
      auto [entry, isNew] = groups.insert({path[depth], Ids()});
      entry->second.push_back(id);
      if (isNew)
        order.emplace_back(true, path[depth]);
    }
    if (groups.size() == 1 && singles.empty()) // a level that separates nothing
      return depth < 32 ? foldByPath(ids, depth + 1) : ids;
    Ids folded;
    size_t single = 0;
    for (auto [isGroup, name] : order)
      if (!isGroup)
        folded.push_back(singles[single++]);
      else if (const Ids &members = groups.find(name)->second; members.size() == 1)
        folded.push_back(members.front());
      else
        folded.push_back(addGroup(name.str(), cut(foldByPath(members, depth + 1))));
    return folded;
  }

  uint64_t signatureOf(int32_t id) {
    const Node &described = node(id);
    std::string text = described.op;
    for (const std::string &type : described.results)
      text += "|" + type;
    for (const auto &[name, value] : described.attributes)
      text += "|" + name + "=" + value;
    return llvm::xxh3_64bits(text);
  }

  /// The repetition that covers most ids; of equal ones that with the smallest period.
  static Repetition longestRepetition(const std::vector<uint64_t> &hashes) {
    constexpr size_t mostSteps = 20'000'000;
    Repetition best;
    size_t size = hashes.size();
    size_t largest = std::min(size / 2, std::max<size_t>(leastPeriod, mostSteps / std::max<size_t>(size, 1)));
    for (size_t period = leastPeriod; period <= largest; ++period)
      for (size_t i = 0; i + period < size; ++i) {
        size_t begin = i;
        while (i + period < size && hashes[i] == hashes[i + period])
          ++i;
        Repetition found{begin, period, (i - begin) / period + 1, (i - begin) % period};
        if (found.count > 1 && found.length() > best.length())
          best = found;
      }
    return best;
  }

  Ids foldRepetitions(const Ids &ids) {
    if (ids.size() < leastNodes)
      return ids;
    std::vector<uint64_t> hashes;
    for (int32_t id : ids)
      hashes.push_back(signatureOf(id));
    Repetition found = longestRepetition(hashes);
    if (found.count < 2)
      return ids;
    align(found, ids);
    auto range = [&](size_t begin, size_t end) {
      return Ids(ids.begin() + static_cast<ptrdiff_t>(begin), ids.begin() + static_cast<ptrdiff_t>(end));
    };
    Ids folded = foldRepetitions(range(0, found.begin));
    for (size_t i = 0; i < found.count; ++i) {
      size_t begin = found.begin + i * found.period;
      Ids members = cut(foldRepetitions(range(begin, begin + found.period)));
      folded.push_back(addGroup("layer " + std::to_string(i + 1) + " of " + std::to_string(found.count),
                                std::move(members)));
    }
    Ids rest = foldRepetitions(range(found.begin + found.length(), ids.size()));
    folded.insert(folded.end(), rest.begin(), rest.end());
    return folded;
  }

  /// Moves the series to where the fewest values cross their ends; of equal places to the last one, which is
  /// more often after a block's last op than before it.
  void align(Repetition &found, const Ids &ids) {
    std::vector<int32_t> crossing = crossingValues(ids);
    auto crossingFrom = [&](size_t begin) {
      int64_t sum = 0;
      for (size_t i = 0; i <= found.count; ++i)
        sum += crossing[begin + i * found.period];
      return sum;
    };
    size_t best = found.begin;
    for (size_t begin = found.begin; begin <= found.begin + found.slack; ++begin)
      if (crossingFrom(begin) <= crossingFrom(best))
        best = begin;
    found.begin = best;
  }

  /// Cuts a long list into at most `mostSections` groups of about equal size, near each multiple of it where
  /// the fewest values cross, and these again.
  Ids cut(Ids ids) {
    if (ids.size() <= mostNodes)
      return ids;
    std::vector<int32_t> crossing = crossingValues(ids);
    size_t sections = std::min(mostSections, (ids.size() + mostNodes / 2 - 1) / (mostNodes / 2));
    size_t size = ids.size() / sections, begin = 0;
    Ids groups;
    for (size_t i = 1; i <= sections; ++i) {
      size_t end = i == sections ? ids.size() : bestCut(crossing, i * size, size / 3);
      if (end <= begin)
        continue;
      Ids section(ids.begin() + static_cast<ptrdiff_t>(begin), ids.begin() + static_cast<ptrdiff_t>(end));
      groups.push_back(addGroup("section " + std::to_string(groups.size() + 1), cut(std::move(section))));
      begin = end;
    }
    return groups;
  }

  static size_t bestCut(const std::vector<int32_t> &crossing, size_t index, size_t radius) {
    size_t best = index;
    for (size_t i = index - radius; i <= index + radius && i < crossing.size(); ++i)
      if (crossing[i] < crossing[best])
        best = i;
    return best;
  }

  /// For each position the number of values that nodes before it give to nodes from it on. Nodes inside of
  /// others are counted where these are.
  std::vector<int32_t> crossingValues(const Ids &ids) {
    std::vector<int32_t> positions(graph.nodes.size(), -1);
    for (size_t i = 0; i < ids.size(); ++i)
      mark(ids[i], static_cast<int32_t>(i), positions);
    std::vector<int32_t> change(ids.size() + 1, 0);
    for (const Value &value : graph.values) {
      int32_t first = positions[static_cast<size_t>(value.producer)], last = first;
      for (int32_t consumer : value.consumers)
        last = std::max(last, positions[static_cast<size_t>(consumer)]);
      if (first >= 0 && last > first) {
        ++change[static_cast<size_t>(first) + 1];
        --change[static_cast<size_t>(last) + 1];
      }
    }
    for (size_t i = 1; i < change.size(); ++i)
      change[i] += change[i - 1];
    return change;
  }

  void mark(int32_t id, int32_t position, std::vector<int32_t> &positions) {
    positions[static_cast<size_t>(id)] = position;
    for (int32_t child : node(id).children)
      mark(child, position, positions);
  }

  Graph &graph;
};

} // namespace

void fold(Graph &graph) { Folder(graph).run(); }

} // namespace proa::picture
