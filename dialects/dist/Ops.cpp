//! Folders and generated code of the ops.
#include "dialects/dist/Dist.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/dist/Ops.cpp.inc"

namespace proa::dist {

OpFoldResult ReshardOp::fold(FoldAdaptor) {
  if (getFrom() == getTo())
    return getX();
  // A value with sharding A that becomes B and then C becomes C from A.
  auto before = getX().getDefiningOp<ReshardOp>();
  if (!before || before.getTo() != getFrom())
    return {};
  if (before.getFrom() == getTo())
    return before.getX();
  setFromAttr(before.getFrom());
  getXMutable().assign(before.getX());
  return getResult();
}

OpFoldResult ToLocalOp::fold(FoldAdaptor) {
  auto global = getX().getDefiningOp<ToGlobalOp>();
  bool reverses = global && global.getSharding() == getSharding() && global.getX().getType() == getType();
  return reverses ? global.getX() : Value();
}

OpFoldResult ToGlobalOp::fold(FoldAdaptor) {
  auto local = getX().getDefiningOp<ToLocalOp>();
  bool reverses = local && local.getSharding() == getSharding() && local.getX().getType() == getType();
  return reverses ? local.getX() : Value();
}

/// Whether an op that reverses another one restores the operand of the first. Reductions of several terms
/// have no operand to restore, except where the first op created the terms, and at most one term is not
/// neutral or all are equal.
static bool restores(spmd::StepKind first, spmd::StepKind second, ShardingAttr partial) {
  using spmd::StepKind;
  auto movesOnly = [](StepKind kind) {
    return kind != StepKind::ToPartial && kind != StepKind::ReduceScatter && kind != StepKind::AllReduce;
  };
  if (first != StepKind::ToPartial)
    return movesOnly(first) && movesOnly(second);
  // A mean of equal terms may round.
  return !movesOnly(second) && llvm::none_of(partial.getPartial(), [](PartialAttr p) {
    return p.getReduction() == Reduction::Avg;
  });
}

static OpFoldResult foldReversedStep(StepOpInterface op) {
  auto before = op.getX().getDefiningOp<StepOpInterface>();
  if (before && before.getFrom() == op.getTo() && before.getTo() == op.getFrom() &&
      before.getGlobal() == op.getGlobal() && before.getX().getType() == op->getResult(0).getType() &&
      restores(before.getStepKind(), op.getStepKind(), op.getFrom()))
    return Value(before.getX());
  return {};
}

OpFoldResult SliceOp::fold(FoldAdaptor) { return foldReversedStep(*this); }
OpFoldResult ToPartialOp::fold(FoldAdaptor) { return foldReversedStep(*this); }
OpFoldResult AllGatherOp::fold(FoldAdaptor) { return foldReversedStep(*this); }
OpFoldResult AllToAllOp::fold(FoldAdaptor) { return foldReversedStep(*this); }
OpFoldResult PermuteOp::fold(FoldAdaptor) { return foldReversedStep(*this); }
OpFoldResult ReduceScatterOp::fold(FoldAdaptor) { return foldReversedStep(*this); }
OpFoldResult AllReduceOp::fold(FoldAdaptor) { return foldReversedStep(*this); }

} // namespace proa::dist
