#include "passes/spmd/FactorAxes.h"

#include "mlir/IR/BuiltinTypes.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa {

using pd::FactorKind;
using pd::ShardingRule;

int64_t partsOf(llvm::ArrayRef<spmd::AxisRef> axes) {
  int64_t parts = 1;
  for (const spmd::AxisRef &axis : axes)
    parts *= axis.size;
  return parts;
}

bool overlap(const spmd::AxisRef &a, const spmd::AxisRef &b) {
  return a.axis == b.axis && std::max(a.pre, b.pre) < std::min(a.pre * a.size, b.pre * b.size);
}

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

std::string dimMismatch(const ShardingRule &rule, const pd::DimFactors &factors, const FactorAxes &axes) {
  bool isInnermost = true, isInnerSplit = false;
  for (unsigned factor : llvm::reverse(factors)) {
    int64_t size = rule.factors[factor].size, parts = partsOf(axes[factor]);
    if (isInnerSplit && parts != size)
      return fmt::format(
          "factor {} is outside of a split factor of its dimension: expected {} parts, found {}", factor,
          size, parts);
    if (!isInnermost && parts > 1 && (mlir::ShapedType::isDynamic(size) || size % parts != 0))
      return fmt::format("factor {} is not the innermost of its dimension: expected a static size that {} "
                         "divides, found {}",
                         factor, parts, mlir::ShapedType::isDynamic(size) ? "?" : std::to_string(size));
    isInnerSplit |= parts > 1;
    isInnermost = false;
  }
  return "";
}

namespace {

bool hasFactor(const pd::TensorFactors &tensor, unsigned factor) {
  return llvm::any_of(tensor, [&](const pd::DimFactors &dim) { return llvm::is_contained(dim, factor); });
}

/// The placement of a result or operand without partial axes.
spmd::Placement dimsOf(const pd::TensorFactors &tensor, const FactorAxes &axes) {
  spmd::Placement placement;
  for (const pd::DimFactors &factors : tensor) {
    llvm::SmallVector<spmd::AxisRef> dim;
    for (unsigned factor : factors)
      for (const spmd::AxisRef &axis : axes[factor])
        appendAxis(dim, axis);
    placement.dims.push_back({{dim.begin(), dim.end()}, {}});
  }
  return placement;
}

std::string reductionMismatch(const ShardingRule &rule, const FactorAxes &axes) {
  for (const pd::TensorFactors &result : rule.results) {
    std::optional<spmd::Reduction> first;
    for (unsigned factor = 0; factor < axes.size(); ++factor) {
      if (axes[factor].empty() || rule.factors[factor].kind != FactorKind::Reduction ||
          hasFactor(result, factor))
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
  bool addDim(const pd::DimFactors &factors, const spmd::DimPlacement &dim) {
    llvm::SmallVector<llvm::SmallVector<spmd::AxisRef, 2>, 2> lists;
    if (!dim.blocks.empty() || !distribute(rule, factors, dim.axes, lists))
      return false;
    for (auto [factor, list] : llvm::zip_equal(factors, lists)) {
      if (known[factor] && axes[factor] != list)
        return false;
      known[factor] = true;
      axes[factor] = list;
    }
    return true;
  }

  const ShardingRule &rule;
  FactorAxes axes;
  llvm::SmallVector<bool> known;
};

} // namespace

bool distribute(const ShardingRule &rule, const pd::DimFactors &factors,
                llvm::ArrayRef<spmd::AxisRef> dimAxes,
                llvm::SmallVectorImpl<llvm::SmallVector<spmd::AxisRef, 2>> &axes) {
  axes.assign(factors.size(), {});
  if (factors.empty())
    return dimAxes.empty();
  size_t at = 0;
  int64_t parts = 1;
  for (spmd::AxisRef axis : dimAxes) {
    while (axis.size > 1) {
      int64_t size = rule.factors[factors[at]].size;
      if (at + 1 == factors.size() || mlir::ShapedType::isDynamic(size) || parts * axis.size <= size) {
        appendAxis(axes[at], axis);
        parts *= axis.size;
        break;
      }
      int64_t left = size / parts;
      if (size % parts != 0 || (left > 1 && axis.size % left != 0))
        return false;
      if (left > 1)
        appendAxis(axes[at], {axis.axis, axis.pre, left});
      axis = {axis.axis, axis.pre * left, axis.size / left};
      ++at;
      parts = 1;
    }
  }
  return true;
}

std::string factorMismatch(const ShardingRule &rule, const FactorAxes &axes) {
  llvm::SmallVector<spmd::AxisRef> used;
  for (auto [factor, list] : llvm::enumerate(axes)) {
    if (!list.empty() && rule.factors[factor].kind == FactorKind::Replicated)
      return fmt::format("factor {} is replicated and must not be split", factor);
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
    placements.operands.push_back(dimsOf(operand, axes));
  for (const pd::TensorFactors &result : rule.results) {
    spmd::Placement &placement = placements.results.emplace_back(dimsOf(result, axes));
    for (unsigned factor = 0; factor < axes.size(); ++factor)
      if (rule.factors[factor].kind == FactorKind::Reduction && !hasFactor(result, factor))
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
