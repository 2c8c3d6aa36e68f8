#include "passes/spmd/FactorAxes.h"

#include "mlir/IR/BuiltinTypes.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa {

using pd::FactorKind;
using pd::ShardingRule;

bool needsLocalForm(const ShardingRule &rule, const FactorAxes &axes) {
  return llvm::any_of(llvm::zip_equal(rule.factors, axes),
                      [](auto pair) { return std::get<0>(pair).localKind && !std::get<1>(pair).empty(); });
}

void appendAxis(llvm::SmallVectorImpl<spmd::AxisRef> &axes, const spmd::AxisRef &next) {
  if (!axes.empty() && axes.back().axis == next.axis && axes.back().pre * axes.back().size == next.pre)
    axes.back().size *= next.size;
  else
    axes.push_back(next);
}

spmd::Reduction reductionOf(const pd::ShardingFactor &factor) {
  switch (factor.reduction) {
  case pd::ReductionKind::Sum:
    return spmd::Reduction::Sum;
  case pd::ReductionKind::Product:
    return spmd::Reduction::Prod;
  case pd::ReductionKind::Maximum:
    return spmd::Reduction::Max;
  case pd::ReductionKind::Minimum:
    return spmd::Reduction::Min;
  case pd::ReductionKind::And:
    return spmd::Reduction::All;
  case pd::ReductionKind::Or:
    return spmd::Reduction::Any;
  }
  return spmd::Reduction::Sum;
}

std::vector<spmd::PartialAxis> canonicalPartial(std::vector<spmd::PartialAxis> partial) {
  std::ranges::sort(partial, {},
                    [](const spmd::PartialAxis &p) { return std::pair(p.axis.axis, p.axis.pre); });
  std::vector<spmd::PartialAxis> joined;
  for (const spmd::PartialAxis &next : partial) {
    spmd::PartialAxis *last = joined.empty() ? nullptr : &joined.back();
    if (last && last->reduction == next.reduction && last->axis.axis == next.axis.axis &&
        last->axis.pre * last->axis.size == next.axis.pre)
      last->axis.size *= next.axis.size;
    else
      joined.push_back(next);
  }
  return joined;
}

bool removePartial(std::vector<spmd::PartialAxis> &partial, const spmd::PartialAxis &axis) {
  int64_t begin = axis.axis.pre, end = begin * axis.axis.size;
  auto found = llvm::find_if(partial, [&](const spmd::PartialAxis &p) {
    return p.reduction == axis.reduction && p.axis.axis == axis.axis.axis && begin % p.axis.pre == 0 &&
           p.axis.pre * p.axis.size % end == 0;
  });
  if (found == partial.end())
    return false;
  spmd::PartialAxis major = *found, minor = *found;
  major.axis.size = begin / found->axis.pre;
  minor.axis.pre = end;
  minor.axis.size = found->axis.pre * found->axis.size / end;
  found = partial.erase(found);
  for (const spmd::PartialAxis &rest : {minor, major})
    if (rest.axis.size > 1)
      found = partial.insert(found, rest);
  return true;
}

int64_t smallestBlock(const pd::ShardingFactor &factor, const FactorSplit &split) {
  int64_t least = factor.size;
  for (int64_t block : split.blocks)
    least = std::min(least, block);
  return least;
}

std::optional<llvm::SmallVector<int64_t, 0>> blocksIn(llvm::ArrayRef<int64_t> blocks,
                                                      const pd::FactorRange &range) {
  llvm::SmallVector<int64_t, 0> inside;
  int64_t begin = 0;
  for (int64_t block : blocks) {
    int64_t end = begin + block;
    if (begin >= range.begin && end <= range.end)
      inside.push_back(block);
    else if (begin < range.end && end > range.begin)
      return std::nullopt;
    begin = end;
  }
  if (inside.size() <= 1)
    inside.clear();
  return inside;
}

std::string dimMismatch(const ShardingRule &rule, const pd::DimFactors &factors, const FactorAxes &axes) {
  bool isInnermost = true, isInnerSplit = false, isOuterWhole = false, hasInnerBlocks = false;
  int64_t blocks = 1;
  for (unsigned factor : llvm::reverse(factors)) {
    int64_t size = rule.factors[factor].size, shards = spmd::shardCount(axes[factor]);
    bool isDynamic = mlir::ShapedType::isDynamic(size);
    if (isInnerSplit && shards != 1 && (isOuterWhole || shards != size))
      return fmt::format(
          "factor {} is outside of a split factor of its dimension: expected {} shards, found {}", factor,
          isOuterWhole ? 1 : size, shards);
    if (hasInnerBlocks && shards != 1)
      return fmt::format("factor {} is outside of a factor with blocks: expected 1 shard, found {}", factor,
                         shards);
    isOuterWhole |= isInnerSplit && shards == 1;
    if (isOuterWhole && (isDynamic || (blocks *= size) > spmd::mostBlocks))
      return fmt::format(
          "factor {} is outside of a split factor of its dimension: expected a static size, and "
          "at most {} blocks",
          factor, spmd::mostBlocks);
    blocks *= std::max<int64_t>(1, static_cast<int64_t>(axes[factor].blocks.size()));
    if (isInnerSplit && !axes[factor].blocks.empty())
      return fmt::format("factor {} has blocks and is outside of a split factor of its dimension", factor);
    auto isMultiple = [&](int64_t block) { return block % shards == 0; };
    bool isEven = !isDynamic && isMultiple(size) && llvm::all_of(axes[factor].blocks, isMultiple);
    if (!isInnermost && shards > 1 && !isEven)
      return fmt::format("factor {} is not the innermost of its dimension: expected a static size that {} "
                         "divides, found {}",
                         factor, shards, isDynamic ? "?" : std::to_string(size));
    isInnerSplit |= shards > 1;
    hasInnerBlocks |= shards > 1 && !axes[factor].blocks.empty();
    isInnermost = false;
  }
  return "";
}

std::string blockMismatch(const pd::ShardingFactor &factor, const FactorSplit &split) {
  if (split.empty())
    return split.blocks.empty() ? "" : "has blocks and no axes";
  if (split.blocks.empty() && factor.pieces.empty())
    return "";
  if (llvm::sum_of(split.blocks, int64_t(0)) != factor.size)
    return fmt::format("has blocks that do not add up to its size, {}", factor.size);
  if (factor.localKind && factor.pieces.empty())
    return "is one block in a local form";
  int64_t begin = 0;
  for (int64_t piece : factor.pieces) {
    if (!blocksIn(split.blocks, {begin, begin + piece}))
      return "has a block that is partly in a piece";
    begin += piece;
  }
  return "";
}

namespace {

/// The placement of a result or operand without partial axes.
spmd::Placement dimsOf(const ShardingRule &rule, const pd::TensorFactors &tensor, const FactorAxes &axes) {
  spmd::Placement placement;
  for (const pd::DimFactors &factors : tensor)
    placement.dims.push_back(placementOf(rule, factors, axes));
  return placement;
}

std::string reductionMismatch(const ShardingRule &rule, const FactorAxes &axes) {
  for (const pd::TensorFactors &result : rule.results) {
    std::optional<spmd::Reduction> first;
    for (unsigned factor = 0; factor < axes.size(); ++factor) {
      if (axes[factor].empty() || rule.factors[factor].kind != FactorKind::Reduction ||
          pd::hasFactor(result, factor))
        continue;
      spmd::Reduction reduction = reductionOf(rule.factors[factor]);
      if (first && !spmd::commute(*first, reduction))
        return fmt::format("a result is partial by {} and {}, which do not commute", spmd::keywordOf(*first),
                           spmd::keywordOf(reduction));
      first = reduction;
    }
  }
  return "";
}

/// The blocks of a list that begin in a range of indices.
llvm::SmallVector<int64_t, 0> blocksFrom(llvm::ArrayRef<int64_t> blocks, int64_t first, int64_t last) {
  llvm::SmallVector<int64_t, 0> result;
  int64_t begin = 0;
  for (int64_t block : blocks) {
    if (begin >= first && begin < last)
      result.push_back(block);
    begin += block;
  }
  return result;
}

/// Collects the axes of factors from the dimensions that have them.
class Collector {
public:
  explicit Collector(const ShardingRule &rule) : rule(rule), axes(rule.factors.size()), known(axes.size()) {}

  bool add(llvm::ArrayRef<pd::TensorFactors> tensors, llvm::ArrayRef<spmd::Placement> placements) {
    if (tensors.size() != placements.size())
      return false;
    for (auto [tensor, placement] : llvm::zip_equal(tensors, placements)) {
      if (tensor.size() != placement.dims.size())
        return false;
      for (auto [factors, dim] : llvm::zip_equal(tensor, placement.dims))
        if (!addDim(factors, dim))
          return false;
    }
    return true;
  }

  FactorAxes take() { return std::move(axes); }

private:
  enum class Known : uint8_t { Nothing, Pieces, All };

  bool addDim(const pd::DimFactors &factors, const spmd::DimPlacement &dim) {
    llvm::SmallVector<FactorSplit, 2> lists;
    if (!distribute(rule, factors, dim, lists))
      return false;
    for (auto [factor, list] : llvm::zip_equal(factors, lists))
      if (!(factors.range ? addPieces(factor, list, *factors.range) : addWhole(factor, list)))
        return false;
    return true;
  }

  bool addWhole(unsigned factor, FactorSplit &list) {
    if (known[factor] == Known::All)
      return axes[factor] == list;
    // Pieces that were added before must have the same axes; factorAxesOf() compares their blocks.
    bool isEqual = known[factor] == Known::Nothing || sameAxes(axes[factor], list);
    known[factor] = Known::All;
    axes[factor] = std::move(list);
    return isEqual;
  }

  bool addPieces(unsigned factor, FactorSplit &list, const pd::FactorRange &range) {
    FactorSplit &own = axes[factor];
    if (range.begin == range.end)
      return true;
    if (known[factor] == Known::Nothing) {
      known[factor] = Known::Pieces;
      own = std::move(list);
      return true;
    }
    if (known[factor] == Known::Pieces) {
      auto blocks = blocksFrom(own.blocks, 0, range.begin);
      llvm::append_range(blocks, blocksFrom(list.blocks, range.begin, range.end));
      llvm::append_range(blocks, blocksFrom(own.blocks, range.end, rule.factors[factor].size));
      own.blocks = std::move(blocks);
    }
    return sameAxes(own, list);
  }

  static bool sameAxes(llvm::ArrayRef<spmd::AxisRef> a, llvm::ArrayRef<spmd::AxisRef> b) { return a == b; }

  const ShardingRule &rule;
  FactorAxes axes;
  llvm::SmallVector<Known> known;
};

/// Takes from blocks what the indices of outer factors are: the number of these factors. The rest are the
/// blocks of the next one.
size_t takeOuterFactors(const ShardingRule &rule, const pd::DimFactors &factors,
                        llvm::SmallVectorImpl<int64_t> &blocks) {
  size_t count = 0;
  for (; count + 1 < factors.size() && blocks.size() > 1; ++count) {
    int64_t size = rule.factors[factors[count]].size, blockCount = static_cast<int64_t>(blocks.size());
    if (mlir::ShapedType::isDynamic(size) || blockCount % size != 0)
      break;
    auto period = static_cast<size_t>(blockCount / size);
    bool isPeriodic = true;
    for (size_t i = period; i < blocks.size(); ++i)
      isPeriodic &= blocks[i] == blocks[i - period];
    if (!isPeriodic)
      break;
    blocks.resize(period);
  }
  if (blocks.size() == 1)
    blocks.clear();
  return count;
}

/// Blocks of a factor, for a dimension that has a range of it: each piece outside of the range is a block.
void addOtherPieces(const pd::ShardingFactor &factor, const pd::FactorRange &range, FactorSplit &split) {
  llvm::SmallVector<int64_t, 0> blocks;
  int64_t begin = 0;
  for (int64_t piece : factor.pieces) {
    bool isInside = begin >= range.begin && begin < range.end;
    if (!isInside)
      blocks.push_back(piece);
    else if (begin == range.begin && split.blocks.empty())
      blocks.push_back(range.end - range.begin);
    else if (begin == range.begin)
      llvm::append_range(blocks, split.blocks);
    begin += piece;
  }
  split.blocks = std::move(blocks);
}

/// Gives all axes to one factor. False if a block is not a multiple of the inner factors.
bool giveToOne(const ShardingRule &rule, const pd::DimFactors &factors, size_t at,
               llvm::ArrayRef<int64_t> blocks, llvm::ArrayRef<spmd::AxisRef> dimAxes,
               llvm::SmallVectorImpl<FactorSplit> &axes) {
  int64_t inner = 1;
  for (unsigned factor : llvm::drop_begin(factors, at + 1))
    inner *= rule.factors[factor].size;
  if (inner < 1 || llvm::any_of(blocks, [&](int64_t block) { return block % inner != 0; }))
    return false;
  axes[at].append(dimAxes.begin(), dimAxes.end());
  for (int64_t block : blocks)
    axes[at].blocks.push_back(block / inner);
  if (factors.range)
    addOtherPieces(rule.factors[factors[at]], *factors.range, axes[at]);
  return true;
}

} // namespace

spmd::DimPlacement placementOf(const ShardingRule &rule, const pd::DimFactors &factors,
                               const FactorAxes &axes) {
  spmd::DimPlacement dim;
  llvm::SmallVector<spmd::AxisRef> all;
  const unsigned *first = nullptr;
  int64_t outer = 1, inner = 1;
  for (const unsigned &factor : factors) {
    if (first)
      inner *= rule.factors[factor].size;
    else if (axes[factor].empty())
      outer *= rule.factors[factor].size;
    else
      first = &factor;
    for (const spmd::AxisRef &axis : axes[factor])
      appendAxis(all, axis);
  }
  if (!first)
    return dim;
  dim.axes.assign(all.begin(), all.end());
  llvm::SmallVector<int64_t, 0> blocks = axes[*first].blocks;
  if (factors.range)
    if (auto inside = blocksIn(blocks, *factors.range))
      blocks = std::move(*inside);
  if (outer == 1 && blocks.empty())
    return dim;
  if (blocks.empty())
    blocks.push_back(rule.factors[*first].size);
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t block : blocks)
      dim.blocks.push_back(block * inner);
  return dim;
}

bool distribute(const ShardingRule &rule, const pd::DimFactors &factors, const spmd::DimPlacement &dim,
                llvm::SmallVectorImpl<FactorSplit> &axes) {
  axes.assign(factors.size(), {});
  if (dim.axes.empty() || factors.empty())
    return dim.axes.empty();
  llvm::SmallVector<int64_t> blocks(dim.blocks.begin(), dim.blocks.end());
  size_t at = takeOuterFactors(rule, factors, blocks);
  if (!blocks.empty() || factors.range)
    return giveToOne(rule, factors, at, blocks, dim.axes, axes);
  int64_t shards = 1;
  for (spmd::AxisRef axis : dim.axes) {
    while (axis.size > 1) {
      int64_t size = rule.factors[factors[at]].size;
      if (at + 1 == factors.size() || mlir::ShapedType::isDynamic(size) || shards * axis.size <= size) {
        appendAxis(axes[at], axis);
        shards *= axis.size;
        break;
      }
      int64_t left = size / shards;
      if (size % shards != 0 || (left > 1 && axis.size % left != 0))
        return false;
      if (left > 1)
        appendAxis(axes[at], {axis.axis, axis.pre, left});
      axis = {axis.axis, axis.pre * left, axis.size / left};
      ++at;
      shards = 1;
    }
  }
  return true;
}

std::string factorMismatch(const ShardingRule &rule, const FactorAxes &axes) {
  llvm::SmallVector<spmd::AxisRef> used;
  for (auto [factor, list] : llvm::enumerate(axes)) {
    if (!list.empty() && rule.factors[factor].kind == FactorKind::Replicated)
      return fmt::format("factor {} is replicated and must not be split", factor);
    if (std::string reason = blockMismatch(rule.factors[factor], list); !reason.empty())
      return fmt::format("factor {} {}", factor, reason);
    for (const spmd::AxisRef &axis : list) {
      if (llvm::any_of(used, [&](const spmd::AxisRef &other) { return overlap(axis, other); }))
        return fmt::format("factor {} is split by an axis that is already used", factor);
      used.push_back(axis);
    }
  }
  for (auto *tensors : {&rule.operands, &rule.results})
    for (const pd::TensorFactors &tensor : *tensors)
      for (const pd::DimFactors &factors : tensor)
        if (factors.size() > 1)
          if (std::string reason = dimMismatch(rule, factors, axes); !reason.empty())
            return reason;
  return reductionMismatch(rule, axes);
}

OpPlacements placementsOf(const ShardingRule &rule, const FactorAxes &axes) {
  OpPlacements placements;
  for (const pd::TensorFactors &operand : rule.operands)
    placements.operands.push_back(dimsOf(rule, operand, axes));
  for (const pd::TensorFactors &result : rule.results) {
    spmd::Placement &placement = placements.results.emplace_back(dimsOf(rule, result, axes));
    for (unsigned factor = 0; factor < axes.size(); ++factor)
      if (rule.factors[factor].kind == FactorKind::Reduction && !pd::hasFactor(result, factor))
        for (const spmd::AxisRef &axis : axes[factor])
          placement.partial.push_back({axis, reductionOf(rule.factors[factor])});
    placement.partial = canonicalPartial(std::move(placement.partial));
  }
  return placements;
}

std::optional<FactorAxes> factorAxesOf(const ShardingRule &rule, const OpPlacements &placements) {
  Collector collector(rule);
  if (!collector.add(rule.operands, placements.operands) || !collector.add(rule.results, placements.results))
    return std::nullopt;
  FactorAxes axes = collector.take();
  if (!factorMismatch(rule, axes).empty())
    return std::nullopt;
  OpPlacements expected = placementsOf(rule, axes);
  for (auto [expectedOperand, operand] : llvm::zip_equal(expected.operands, placements.operands))
    expectedOperand.partial = operand.partial;
  return expected == placements ? std::optional(axes) : std::nullopt;
}

} // namespace proa
