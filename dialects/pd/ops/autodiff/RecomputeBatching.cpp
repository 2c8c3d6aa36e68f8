//! Batching rules of recomputation.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"

using namespace mlir;

namespace proa::pd {

/// One schedule for all examples, of the greatest number of iterations: an action after an example's own
/// iterations does nothing to it.
BatchedResults BinomialScheduleOp::batch(Batcher &batcher) {
  TensorBuilder e(batcher.builder, getOperation());
  Expression iterations = e.reshape(e.wrap(batcher.batched(getOperation()->getOperand(0))), {-1});
  Operation *created = batcher.cloneOn(*this, Value(e.max(iterations, {0})));
  for (auto [result, type] : llvm::zip(created->getResults(), getOperation()->getResultTypes()))
    result.setType(type);
  return SmallVector<Batched>{Batched(created->getResult(0), false), Batched(created->getResult(1), false)};
}

/// The region for a batch, which the gradient recomputes too.
BatchedResults CheckpointOp::batch(Batcher &batcher) {
  SmallVector<Value> inputs =
      llvm::map_to_vector(getInputs(), [&](Value input) { return batcher.either(input); });
  // The result types follow from the body. Rules write the body into an op, because they read its location.
  auto holder = CheckpointOp::create(batcher.builder, getLoc(), TypeRange(), inputs);
  Block &block = holder.getBody().emplaceBlock();
  OpBuilder inside(getContext());
  inside.setInsertionPointToStart(&block);
  Value source;
  for (auto [original, input] : llvm::zip(getInputs(), inputs)) {
    Value argument = block.addArgument(input.getType(), getLoc());
    source = !source && batcher.isBatched(original) ? argument : source;
  }
  Batcher inner = batcher.inside(inside, source);
  for (auto [original, argument, own] :
       llvm::zip(getInputs(), block.getArguments(), getBody().getArguments()))
    inner.map(own, Batched(argument, batcher.isBatched(original)));
  Block &old = getBody().front();
  if (failed(inner.write(old)))
    return failure();
  SmallVector<Value> yielded = llvm::map_to_vector(old.getTerminator()->getOperands(),
                                                   [&](Value value) { return inner.batched(value); });
  YieldOp::create(inside, getLoc(), yielded);
  auto created = CheckpointOp::create(batcher.builder, getLoc(), ValueRange(yielded).getTypes(), inputs);
  created.getBody().takeBody(holder.getBody());
  holder.erase();
  return batcher.allOf(created);
}

} // namespace proa::pd
