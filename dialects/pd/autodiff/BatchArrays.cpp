//! Batching of tensor arrays: an array of batched elements. Where it is read or written is the same for all
//! examples.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/control/Control.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Tensors and arrays batched, indices not; failure where an index differs from example to example.
FailureOr<Operation *> onArrays(Batcher &batcher, Operation *op) {
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool isElement = isa<ArrayWriteOp, ArrayReadOrOp>(op) && i == 2;
    if (isElement || isa<ArrayType>(operand.getType()))
      operands.push_back(batcher.batched(operand));
    else if (!batcher.isBatched(operand))
      operands.push_back(batcher.plain(operand));
    else
      return failure();
  }
  return batcher.cloneOn(op, operands);
}

BatchedResults element(Batcher &batcher, Operation *op) {
  auto made = onArrays(batcher, op);
  return failed(made) ? BatchedResults(failure()) : batcher.allOf(*made);
}

BatchedResults length(Batcher &batcher, Operation *op) {
  Value count = ArrayLengthOp::create(batcher.builder, op->getLoc(), batcher.batched(op->getOperand(0)));
  return SmallVector<Batched>{Batched(count, false)};
}

BatchedResults toTensor(Batcher &batcher, Operation *op) {
  auto join = cast<ArrayToTensorOp>(op);
  int64_t rank = tensorType(join.getOut()).getRank(), axis = join.getAxis();
  auto made = cast<ArrayToTensorOp>(batcher.cloneOn(op, batcher.batched(join.getArray())));
  made.setAxis((axis < 0 ? axis + rank : axis) + 1);
  made.getSizes().setType(cast<RankedTensorType>(join.getSizes().getType()));
  return SmallVector<Batched>{Batched(made.getOut()), Batched(made.getSizes(), false)};
}

BatchedResults split(Batcher &batcher, Operation *op) {
  auto parts = cast<ArraySplitOp>(op);
  if (batcher.isBatched(parts.getSizes()))
    return failure();
  int64_t rank = tensorType(parts.getX()).getRank(), axis = parts.getAxis();
  Operation *made = batcher.cloneOn(op, {batcher.batched(parts.getX()), batcher.plain(parts.getSizes())});
  cast<ArraySplitOp>(made).setAxis((axis < 0 ? axis + rank : axis) + 1);
  return batcher.allOf(made);
}

} // namespace

void addArrayBatching(BatchingRules &rules) {
  rules.add<ArrayWriteOp, ArrayReadOp, ArrayReadOrOp, ArrayAddOp, ArrayConcatOp, ArraySliceOp, ArrayCastOp>(
      element);
  rules.add<ArrayLengthOp>(length);
  rules.add<ArrayToTensorOp>(toTensor);
  rules.add<ArraySplitOp>(split);
}

} // namespace proa::pd
