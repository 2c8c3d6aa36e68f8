#include "lib/base/spmd/Step.h"
#include "lib/base/spmd/Refine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace proa::spmd {

std::string_view nameOf(StepKind kind) {
  constexpr std::string_view names[] = {"slice",   "to_partial",     "all_gather", "all_to_all",
                                        "permute", "reduce_scatter", "all_reduce"};
  return names[static_cast<size_t>(kind)];
}

namespace {

/// The differences of two placements in full axes of one mesh.
class Difference {
public:
  Difference(const Placement &from, const Placement &to) : from(from), to(to) {
    for (size_t d = 0; d < from.dims.size(); ++d) {
      const std::vector<AxisRef> &a = from.dims[d].axes, &b = to.dims[d].axes;
      size_t prefix = std::ranges::mismatch(a, b).in1 - a.begin();
      std::copy(a.begin() + prefix, a.end(), std::back_inserter(removed));
      std::copy(b.begin() + prefix, b.end(), std::back_inserter(added));
      isRefined &= prefix == a.size();
      isCoarsened &= prefix == b.size();
      changesBlocks |= !a.empty() && !b.empty() && from.dims[d].blocks != to.dims[d].blocks;
      changesLocal |=
          from.dims[d].shardCount() != to.dims[d].shardCount() || from.dims[d].blocks != to.dims[d].blocks;
    }
    for (const PartialAxis &p : from.partial)
      if (std::ranges::find(to.partial, p) == to.partial.end()) {
        hasOneReduction &= reduced.empty() || p.reduction == reduction;
        reduction = p.reduction;
        reduced.push_back(p.axis);
      }
    for (const PartialAxis &p : to.partial)
      if (std::ranges::find(from.partial, p) == from.partial.end())
        becamePartial.push_back(p);
  }

  std::string mismatchOf(StepKind kind) const {
    if (repeatsAxis(to))
      return "the target must use each axis at most once";
    switch (kind) {
    case StepKind::Slice:
      return first({{samePartial(), keepsReductions},
                    {isRefined && !added.empty(), "axes must be added to dimensions, as the minor ones"},
                    {!changesBlocks, keepsBlocks},
                    {unused(added, from), "an added axis must not be used by the source"}});
    case StepKind::AllGather:
      return first({{samePartial(), keepsReductions},
                    {isCoarsened && !removed.empty(), "minor axes must be removed from dimensions"},
                    {!changesBlocks, keepsBlocks}});
    case StepKind::AllToAll:
      return first({{samePartial(), keepsReductions},
                    {isSubset(removed, added), "axes that are removed from a dimension must be added to one"},
                    {unused(without(added, removed), from), "an added axis must not be used by the source"},
                    {!removed.empty() || changesBlocks, "an axis must move, or blocks change"}});
    case StepKind::Permute:
      return first({{samePartial(), keepsReductions},
                    {!changesLocal, "each dimension must keep its number of shards and its blocks"},
                    {!removed.empty(), "the placements must differ"}});
    case StepKind::ReduceScatter:
      return first({{becamePartial.empty(), "no axis may become partial"},
                    {!reduced.empty(), "a partial axis must be reduced"},
                    {hasOneReduction, oneReduction},
                    {isRefined && isSubset(reduced, added),
                     "the reduced axes must be added to dimensions, as the minor ones"},
                    {unused(without(added, reduced), from), "an added axis must not be used by the source"},
                    {!changesBlocks, keepsBlocks}});
    case StepKind::AllReduce:
      return first({{becamePartial.empty(), "no axis may become partial"},
                    {!reduced.empty(), "a partial axis must be reduced"},
                    {hasOneReduction, oneReduction},
                    {from.dims == to.dims, "the dimensions must keep their axes"}});
    case StepKind::ToPartial:
      return first({{reduced.empty(), "partial axes must stay partial"},
                    {!becamePartial.empty(), "an axis must become partial"},
                    {isCoarsened && isSubset(removed, becamePartial),
                     "axes that are removed from dimensions must be minor ones and become partial"},
                    {!changesBlocks, keepsBlocks},
                    {embedsShards(), "a shard of a dimension cannot become a term of an average"}});
    }
    return {};
  }

  std::vector<AxisRef> removed, added, reduced;
  std::vector<PartialAxis> becamePartial;

private:
  static constexpr const char *keepsReductions = "the partial axes must stay equal";
  static constexpr const char *oneReduction = "all reduced axes must have one reduction";
  static constexpr const char *keepsBlocks = "a dimension that stays split must keep its blocks";

  /// The text of the first condition that does not hold.
  static std::string first(std::initializer_list<std::pair<bool, const char *>> conditions) {
    for (const auto &[holds, text] : conditions)
      if (!holds)
        return text;
    return {};
  }
  bool samePartial() const { return reduced.empty() && becamePartial.empty(); }
  static bool unused(const std::vector<AxisRef> &axes, const Placement &placement) {
    auto isIn = [&](const AxisRef &axis) {
      return std::ranges::any_of(placement.dims,
                                 [&](const DimPlacement &dim) {
                                   return std::ranges::find(dim.axes, axis) != dim.axes.end();
                                 }) ||
             std::ranges::any_of(placement.partial, [&](const PartialAxis &p) { return p.axis == axis; });
    };
    return std::ranges::none_of(axes, isIn);
  }
  static bool repeatsAxis(const Placement &placement) {
    std::vector<AxisRef> axes;
    for (const DimPlacement &dim : placement.dims)
      axes.insert(axes.end(), dim.axes.begin(), dim.axes.end());
    for (const PartialAxis &p : placement.partial)
      axes.push_back(p.axis);
    for (size_t i = 0; i < axes.size(); ++i)
      if (std::find(axes.begin(), axes.begin() + static_cast<ptrdiff_t>(i), axes[i]) !=
          axes.begin() + static_cast<ptrdiff_t>(i))
        return true;
    return false;
  }
  static bool isSubset(const std::vector<AxisRef> &axes, const std::vector<AxisRef> &others) {
    return without(axes, others).empty();
  }
  static std::vector<AxisRef> without(std::vector<AxisRef> axes, const std::vector<AxisRef> &others) {
    std::erase_if(axes, [&](const AxisRef &axis) { return std::ranges::find(others, axis) != others.end(); });
    return axes;
  }
  static bool isSubset(const std::vector<AxisRef> &axes, const std::vector<PartialAxis> &partial) {
    return std::ranges::all_of(axes, [&](const AxisRef &axis) {
      return std::ranges::any_of(partial, [&](const PartialAxis &p) { return p.axis == axis; });
    });
  }
  bool embedsShards() const {
    return std::ranges::none_of(becamePartial, [&](const PartialAxis &p) {
      return p.reduction == Reduction::Avg && std::ranges::find(removed, p.axis) != removed.end();
    });
  }

  const Placement &from, &to;
  bool isRefined = true, isCoarsened = true, changesBlocks = false, changesLocal = false,
       hasOneReduction = true;
  Reduction reduction = Reduction::Sum;
};

int64_t overlap(const std::vector<Range> &a, const std::vector<Range> &b) {
  int64_t count = 0;
  for (const Range &x : a)
    for (const Range &y : b)
      count += std::max<int64_t>(0, std::min(x.end, y.end) - std::max(x.begin, y.begin));
  return count;
}

int64_t localCount(const Mesh &mesh, const Placement &placement, Dims dims, int64_t position) {
  int64_t count = 1;
  for (int64_t dim : localDims(mesh, placement, dims, position))
    count *= dim;
  return count;
}

} // namespace

std::string mismatch(StepKind kind, const Mesh &mesh, const Placement &from, const Placement &to) {
  const std::array placements = {from, to};
  std::optional<Refinement> refined = refine(mesh, placements);
  if (!refined)
    return "the sub-axes of the placements must nest";
  return mismatchOfFullAxes(kind, refined->placements[0], refined->placements[1]);
}

std::string mismatchOfFullAxes(StepKind kind, const Placement &from, const Placement &to) {
  return Difference(from, to).mismatchOf(kind);
}

std::vector<bool> groupAxes(StepKind kind, const Mesh &mesh, const Placement &from, const Placement &to) {
  Difference difference(from, to);
  std::vector<bool> group(mesh.axes.size());
  auto addAll = [&](const std::vector<AxisRef> &axes) {
    for (const AxisRef &axis : axes)
      group[axis.axis] = true;
  };
  if (kind == StepKind::Slice || kind == StepKind::ToPartial)
    return group;
  addAll(difference.removed);
  addAll(difference.reduced);
  if (kind == StepKind::Permute)
    addAll(difference.added);
  // New blocks move elements between all shards of the dimension.
  for (size_t d = 0; d < from.dims.size(); ++d)
    if (!to.dims[d].axes.empty() && from.dims[d].blocks != to.dims[d].blocks)
      addAll(from.dims[d].axes);
  return group;
}

std::vector<int64_t> permutationSources(const Mesh &mesh, const Placement &from, const Placement &to,
                                        Dims dims) {
  std::vector<bool> group = groupAxes(StepKind::Permute, mesh, from, to);
  // Positions outside of the group do not communicate, so their coordinates belong to the key.
  auto keyOf = [&](const Placement &placement, int64_t position) {
    std::vector<int64_t> key;
    for (const DimPlacement &dim : placement.dims)
      key.push_back(mesh.shardOf(dim.axes, position));
    for (unsigned i = 0; i < group.size(); ++i)
      if (!group[i])
        key.push_back(mesh.coordinate(mesh.full(i), position));
    return key;
  };
  std::vector<int64_t> sources(mesh.size());
  std::map<std::vector<int64_t>, std::pair<std::vector<int64_t>, std::vector<int64_t>>> pairs;
  for (int64_t position = 0; position < mesh.size(); ++position) {
    std::vector<int64_t> held = keyOf(from, position), needed = keyOf(to, position);
    sources[position] = position;
    if (held == needed)
      continue;
    pairs[held].first.push_back(position);
    pairs[needed].second.push_back(position);
  }
  for (const auto &[key, pair] : pairs)
    for (size_t i = 0; i < pair.second.size(); ++i)
      sources[pair.second[i]] = pair.first[i];
  return sources;
}

/// The elements of the target that a position does not hold.
static int64_t missingCount(const Mesh &mesh, const Placement &from, const Placement &to, Dims dims,
                            int64_t position) {
  int64_t needed = 1, held = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    std::vector<Range> target = localRanges(mesh, to.dims[d], dims[d], position);
    needed *= overlap(target, target);
    held *= overlap(target, localRanges(mesh, from.dims[d], dims[d], position));
  }
  return needed - held;
}

std::vector<int64_t> receivedCounts(StepKind kind, const Mesh &mesh, const Placement &from,
                                    const Placement &to, Dims dims) {
  std::vector<int64_t> counts(mesh.size());
  if (kind == StepKind::Slice || kind == StepKind::ToPartial)
    return counts;
  int64_t terms = shardCount(Difference(from, to).reduced);
  std::vector<int64_t> sources;
  if (kind == StepKind::Permute)
    sources = permutationSources(mesh, from, to, dims);
  for (int64_t position = 0; position < mesh.size(); ++position) {
    int64_t result = localCount(mesh, to, dims, position);
    switch (kind) {
    case StepKind::Permute:
      counts[position] = sources[position] == position ? 0 : result;
      break;
    case StepKind::ReduceScatter:
      counts[position] = (terms - 1) * result;
      break;
    case StepKind::AllReduce: {
      // The position sums one shard, then gets the others. Shard 0 is the largest.
      int64_t shard = shardRange(result, terms, 0).size();
      counts[position] = (terms - 1) * shard + result - shard;
      break;
    }
    default:
      counts[position] = missingCount(mesh, from, to, dims, position);
    }
  }
  return counts;
}

/// The elements of the smallest local tensor, or fewer.
static int64_t smallestLocalCount(const Placement &placement, Dims dims) {
  int64_t count = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    const DimPlacement &dim = placement.dims[d];
    int64_t shards = dim.shardCount(), local = dim.blocks.empty() ? dims[d] / shards : 0;
    for (int64_t block : dim.blocks)
      local += block / shards;
    count *= local;
  }
  return count;
}

/// Positions that differ on the axes that change, with coordinate 0 on all others; at most 128 of them.
static std::vector<int64_t> changingPositions(const Mesh &mesh, const Placement &from, const Placement &to) {
  constexpr int64_t most = 128;
  std::vector<bool> changes = groupAxes(StepKind::Permute, mesh, from, to);
  int64_t count = 1;
  for (size_t i = 0; i < changes.size(); ++i)
    count *= changes[i] ? mesh.axes[i].size : 1;
  // An odd step visits all coordinates of axes whose size is a power of two.
  int64_t step = count <= most ? 1 : (count / most) | 1;
  std::vector<int64_t> positions;
  for (int64_t index = 0; index < count; index += step) {
    int64_t rest = index, position = 0, stride = 1;
    for (size_t i = changes.size(); i-- > 0; stride *= mesh.axes[i].size)
      if (changes[i]) {
        position += rest % mesh.axes[i].size * stride;
        rest /= mesh.axes[i].size;
      }
    positions.push_back(position);
  }
  return positions;
}

int64_t largestReceivedCount(StepKind kind, const Mesh &mesh, const Placement &from, const Placement &to,
                             Dims dims) {
  int64_t result = largestLocalCount(to, dims), terms = shardCount(Difference(from, to).reduced), largest = 0;
  switch (kind) {
  case StepKind::Slice:
  case StepKind::ToPartial:
    return 0;
  case StepKind::AllGather:
    return result - smallestLocalCount(from, dims);
  case StepKind::Permute:
    return result;
  case StepKind::ReduceScatter:
    return (terms - 1) * result;
  case StepKind::AllReduce:
    return result + (terms - 2) * shardRange(result, terms, 0).size();
  case StepKind::AllToAll:
    for (int64_t position : changingPositions(mesh, from, to))
      largest = std::max(largest, missingCount(mesh, from, to, dims, position));
  }
  return largest;
}

} // namespace proa::spmd
