//! Batching rules of ops that keep their attributes: only the operands get a dimension for the examples.
#include "dialects/pd/autodiff/BatchingRules.h"

using namespace mlir;

namespace proa::pd {

FailureOr<SmallVector<Value>> firstBatched(Batcher &batcher, Operation *op) {
  SmallVector<Value> operands{batcher.batched(op->getOperand(0))};
  for (Value operand : llvm::drop_begin(op->getOperands())) {
    if (batcher.isBatched(operand))
      return failure();
    operands.push_back(batcher.plain(operand));
  }
  return operands;
}

BatchedResults batchFirstOperand(Batcher &batcher, Operation *op) {
  auto operands = firstBatched(batcher, op);
  if (failed(operands))
    return failure();
  return batcher.allOf(batcher.cloneOn(op, *operands));
}

BatchedResults batchAllOperands(Batcher &batcher, Operation *op) {
  auto operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return batcher.batched(operand); });
  return batcher.allOf(batcher.cloneOn(op, operands));
}

} // namespace proa::pd
