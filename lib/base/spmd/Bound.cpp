//! The lower bound of the traffic of a reshard.
#include "lib/base/spmd/Reshard.h"

#include <algorithm>
#include <set>

namespace proa::spmd {

namespace {

/// Intervals of one dimension, in each of which all elements have the same holders.
struct Intervals {
  std::vector<int64_t> sizes;
  /// [interval][position]
  std::vector<std::vector<bool>> inFrom, inTo;
};

Intervals intervalsOf(const Mesh &mesh, const DimPlacement &from, const DimPlacement &to, int64_t size) {
  std::set<int64_t> cuts = {0, size};
  std::vector<std::vector<Range>> ranges[2];
  for (int64_t position = 0; position < mesh.size(); ++position)
    for (int side = 0; side < 2; ++side) {
      ranges[side].push_back(localRanges(mesh, side ? to : from, size, position));
      for (const Range &range : ranges[side].back())
        cuts.insert({range.begin, range.end});
    }
  Intervals result;
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
    result.sizes.push_back(*std::next(cut) - *cut);
    for (int side = 0; side < 2; ++side) {
      std::vector<bool> &in = (side ? result.inTo : result.inFrom).emplace_back();
      for (const std::vector<Range> &list : ranges[side])
        in.push_back(
            std::ranges::any_of(list, [&](const Range &r) { return *cut >= r.begin && *cut < r.end; }));
    }
  }
  return result;
}

/// Adds the traffic of boxes of elements with equal holders.
class Traffic {
public:
  Traffic(const Mesh &mesh, const Placement &from, const Placement &to) : received(mesh.size()) {
    for (int64_t position = 0; position < mesh.size(); ++position) {
      fromClass.push_back(partialCoordinate(mesh, from, position));
      toClass.push_back(partialCoordinate(mesh, to, position));
    }
    terms = *std::ranges::max_element(fromClass) + 1;
    classes = *std::ranges::max_element(toClass) + 1;
  }

  void add(int64_t count, const std::vector<bool> &holds, const std::vector<bool> &needs) {
    // Of each class of the target: positions that need the element, and how many of these hold a term.
    std::vector<int64_t> needed(classes), held(classes);
    for (size_t p = 0; p < holds.size(); ++p)
      if (needs[p]) {
        ++needed[toClass[p]];
        held[toClass[p]] += holds[p];
        if (classes == 1 && !(terms == 1 && holds[p]))
          received[p] += count;
      }
    total += count * messages(needed, held);
  }

  TrafficBound bound() const {
    int64_t mean =
        (total + static_cast<int64_t>(received.size()) - 1) / static_cast<int64_t>(received.size());
    return {std::max(mean, *std::ranges::max_element(received)), total};
  }

private:
  /// The fewest messages for one element. In a partial target a class may hold the neutral element at no
  /// cost.
  int64_t messages(const std::vector<int64_t> &needed, const std::vector<int64_t> &held) const {
    if (terms == 1) {
      int64_t fewest = needed[0] - held[0];
      for (int64_t i = 1; i < classes; ++i)
        fewest = std::min(fewest, needed[i] - held[i]);
      return fewest;
    }
    int64_t copies = needed[0];
    if (copies == 0)
      return 0;
    bool isHeld = std::ranges::any_of(held, [](int64_t n) { return n > 0; });
    // The terms must become at most as many as there are classes; each message combines two.
    if (classes > 1)
      return std::max(terms - classes, isHeld ? int64_t(0) : copies);
    return isHeld ? terms + copies - 2 : terms + copies - 1;
  }

  std::vector<int64_t> fromClass, toClass, received;
  int64_t terms = 1, classes = 1, total = 0;
};

} // namespace

TrafficBound lowerBound(const Mesh &mesh, const Placement &from, const Placement &to, Dims dims) {
  if (from == to)
    return {};
  std::vector<Intervals> intervals;
  for (size_t d = 0; d < dims.size(); ++d)
    intervals.push_back(intervalsOf(mesh, from.dims[d], to.dims[d], dims[d]));
  Traffic traffic(mesh, from, to);
  // Each combination of intervals is a box.
  std::vector<size_t> box(dims.size());
  for (bool done = std::ranges::any_of(dims, [](int64_t dim) { return dim == 0; }); !done;) {
    int64_t count = 1;
    std::vector<bool> holds(mesh.size(), true), needs(mesh.size(), true);
    for (size_t d = 0; d < dims.size(); ++d) {
      count *= intervals[d].sizes[box[d]];
      for (size_t p = 0; p < holds.size(); ++p) {
        holds[p] = holds[p] && intervals[d].inFrom[box[d]][p];
        needs[p] = needs[p] && intervals[d].inTo[box[d]][p];
      }
    }
    traffic.add(count, holds, needs);
    done = true;
    for (size_t d = dims.size(); d-- > 0 && done;)
      if (++box[d] < intervals[d].sizes.size())
        done = false;
      else
        box[d] = 0;
  }
  return traffic.bound();
}

} // namespace proa::spmd
