#include "passes/spmd/propagation/Regions.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace proa::sharding {

static void forEachForwarded(RegionBranchOpInterface op, RegionBranchPoint point,
                             llvm::function_ref<void(OpOperand &, Value)> visit) {
  llvm::SmallVector<RegionSuccessor> successors;
  op.getSuccessorRegions(point, successors);
  for (RegionSuccessor successor : successors) {
    OperandRange operands = op.getSuccessorOperands(point, successor);
    if (operands.empty())
      continue;
    Operation *owner = point.isParent() ? op.getOperation() : point.getTerminatorPredecessorOrNull();
    unsigned begin = operands.getBeginOperandIndex();
    for (auto [i, target] : llvm::enumerate(successor.getSuccessorInputs()))
      visit(owner->getOpOperand(begin + static_cast<unsigned>(i)), target);
  }
}

ForwardedValues::ForwardedValues(RegionBranchOpInterface op) {
  for (Region &region : op->getRegions())
    if (!region.empty())
      llvm::append_range(allTargets, region.front().getArguments());
  llvm::append_range(allTargets, op->getResults());
  for (RegionBranchPoint point : op.getAllRegionBranchPoints())
    forEachForwarded(op, point, [&](OpOperand &operand, Value target) {
      auto known = llvm::find_if(forwarded, [&](auto &pair) { return pair.first == &operand; });
      if (known == forwarded.end())
        forwarded.push_back({&operand, target});
      else if (Value a = leaderOf(known->second), b = leaderOf(target); a != b)
        leaders[b] = a;
    });
}

Value ForwardedValues::leaderOf(Value target) const {
  for (auto found = leaders.find(target); found != leaders.end(); found = leaders.find(target))
    target = found->second;
  return target;
}

} // namespace proa::sharding
