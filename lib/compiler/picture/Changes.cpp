#include "lib/compiler/picture/Changes.h"

#include "llvm/Support/xxhash.h"

#include <algorithm>

namespace proa::picture {
namespace {

uint64_t contentOf(const Node &node) {
  std::string text = node.op;
  for (const std::string &type : node.results)
    text += "|" + type;
  for (const auto &[name, value] : node.attributes)
    text += "|" + name + "=" + value;
  for (const std::string &state : node.states)
    text += "|" + state;
  return llvm::xxh3_64bits(text);
}

/// The indices of nodes that no name matched.
std::vector<size_t> unmatched(const std::vector<Change> &changes, const Graph &graph) {
  std::vector<size_t> rest;
  for (size_t i = 0; i < changes.size(); ++i)
    if (changes[i] == Change::OnlyHere && graph.nodes[i].kind != NodeKind::Group)
      rest.push_back(i);
  return rest;
}

class Comparer {
public:
  Comparer(const Graph &before, const Graph &after) : before(before), after(after) {
    changes.before.assign(before.nodes.size(), Change::OnlyHere);
    changes.after.assign(after.nodes.size(), Change::OnlyHere);
  }

  Changes run() {
    matchNames();
    matchSequences();
    for (auto [graph, list] : {std::pair(&before, &changes.before), std::pair(&after, &changes.after)})
      for (size_t i = 0; i < list->size(); ++i)
        if (graph->nodes[i].kind == NodeKind::Group)
          (*list)[i] = Change::None;
    return std::move(changes);
  }

private:
  void match(size_t i, size_t j) {
    bool isEqual = contentOf(before.nodes[i]) == contentOf(after.nodes[j]);
    changes.before[i] = changes.after[j] = isEqual ? Change::None : Change::Changed;
  }

  using Occurrences = std::map<std::pair<std::string, size_t>, size_t>;
  /// By name and number of its occurrence: the node. Feeds and fetches have a name of their own.
  static Occurrences occurrencesOf(const Graph &graph) {
    Occurrences result;
    std::map<std::string, size_t> counts;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node &node = graph.nodes[i];
      if (node.name.empty() || node.kind == NodeKind::Group)
        continue;
      std::string name = node.kind == NodeKind::Op ? node.name : node.op + " " + node.name;
      result[{name, counts[name]++}] = i;
    }
    return result;
  }

  void matchNames() {
    Occurrences others = occurrencesOf(after);
    for (const auto &[name, i] : occurrencesOf(before))
      if (auto found = others.find(name); found != others.end())
        match(i, found->second);
  }

  /// The longest common subsequence, of at most `most` nodes on each side.
  void matchSequences() {
    constexpr size_t most = 5000;
    std::vector<size_t> left = unmatched(changes.before, before), right = unmatched(changes.after, after);
    left.resize(std::min(left.size(), most));
    right.resize(std::min(right.size(), most));
    size_t columns = right.size() + 1;
    std::vector<uint16_t> lengths((left.size() + 1) * columns, 0);
    auto areEqual = [&](size_t i, size_t j) {
      return contents(before, left)[i] == contents(after, right)[j];
    };
    for (size_t i = left.size(); i-- > 0;)
      for (size_t j = right.size(); j-- > 0;)
        lengths[i * columns + j] =
            areEqual(i, j) ? static_cast<uint16_t>(lengths[(i + 1) * columns + j + 1] + 1)
                           : std::max(lengths[(i + 1) * columns + j], lengths[i * columns + j + 1]);
    for (size_t i = 0, j = 0; i < left.size() && j < right.size();)
      if (areEqual(i, j))
        match(left[i++], right[j++]);
      else
        lengths[(i + 1) * columns + j] >= lengths[i * columns + j + 1] ? ++i : ++j;
  }

  const std::vector<uint64_t> &contents(const Graph &graph, const std::vector<size_t> &ids) {
    std::vector<uint64_t> &hashes = &graph == &before ? beforeContents : afterContents;
    if (hashes.size() != ids.size()) {
      hashes.clear();
      for (size_t id : ids)
        hashes.push_back(contentOf(graph.nodes[id]));
    }
    return hashes;
  }

  const Graph &before, &after;
  Changes changes;
  std::vector<uint64_t> beforeContents, afterContents;
};

} // namespace

Changes changesOf(const Graph &before, const Graph &after) { return Comparer(before, after).run(); }

} // namespace proa::picture
