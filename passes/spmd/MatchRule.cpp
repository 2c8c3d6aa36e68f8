//! Whether the placements of an op follow from its sharding rule and from linearity.
#include "passes/spmd/GlobalForm.h"

using namespace mlir;

namespace proa {

static bool hasPartial(const spmd::Placement &placement, const spmd::PartialAxis &axis) {
  return llvm::is_contained(placement.partial, axis);
}

/// Whether an op that is linear in the operands `group` together passes a partial axis to its results.
static bool passes(llvm::ArrayRef<unsigned> group, const spmd::PartialAxis &axis,
                   const OpPlacements &placements) {
  for (auto [i, operand] : llvm::enumerate(placements.operands)) {
    bool isTerm = hasPartial(operand, axis), isInGroup = llvm::is_contained(group, i);
    // The sum over devices of x_i + y is not x + y. The mean is.
    if (isTerm != isInGroup && (isTerm || axis.reduction == spmd::Reduction::Sum))
      return false;
  }
  return axis.reduction == spmd::Reduction::Sum || axis.reduction == spmd::Reduction::Avg;
}

std::optional<std::vector<spmd::PartialAxis>> passedPartial(Operation *op, const OpPlacements &placements) {
  std::vector<spmd::PartialAxis> passed;
  for (const spmd::Placement &operand : placements.operands)
    for (const spmd::PartialAxis &axis : operand.partial)
      if (!llvm::is_contained(passed, axis))
        passed.push_back(axis);
  if (passed.empty())
    return passed;
  auto groups = pd::partialGroupsOf(op);
  for (const spmd::PartialAxis &axis : passed)
    if (llvm::none_of(groups, [&](const auto &group) { return passes(group, axis, placements); }))
      return std::nullopt;
  return passed;
}

/// Removes the axes from the partial axes of each result; false if a result lacks one.
static bool removePassed(OpPlacements &placements, llvm::ArrayRef<spmd::PartialAxis> passed) {
  for (spmd::Placement &result : placements.results)
    for (const spmd::PartialAxis &axis : passed)
      if (!removePartial(result.partial, axis))
        return false;
  return true;
}

static bool areWhole(llvm::ArrayRef<spmd::Placement> placements) {
  return llvm::all_of(placements, [](const spmd::Placement &placement) {
    return llvm::all_of(placement.dims, [](const spmd::DimPlacement &dim) { return dim.axes.empty(); });
  });
}

bool matchesRule(Operation *op, const pd::ShardingRule *rule, const OpPlacements &placements) {
  auto passed = passedPartial(op, placements);
  OpPlacements rest = placements;
  if (!passed || !removePassed(rest, *passed))
    return false;
  bool isNotPartial =
      llvm::all_of(rest.results, [](const spmd::Placement &result) { return result.partial.empty(); });
  if (isNotPartial && areWhole(rest.operands) && areWhole(rest.results))
    return true;
  std::optional<FactorAxes> axes = rule ? factorAxesOf(*rule, rest) : std::nullopt;
  if (!axes)
    return false;
  // The terms of a sum are not terms of the shards of another operand.
  for (const auto &list : *axes)
    for (const spmd::AxisRef &axis : list)
      if (llvm::any_of(*passed, [&](const spmd::PartialAxis &p) { return overlap(axis, p.axis); }))
        return false;
  return true;
}

} // namespace proa
