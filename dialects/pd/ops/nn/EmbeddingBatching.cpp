//! Batching rules of embeddings.
#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/index/Batching.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"

using namespace mlir;

namespace proa::pd {

/// With a batched weight it is a gather; a padding index has no counterpart there.
BatchedResults EmbeddingOp::batch(Batcher &batcher) {
  TensorBuilder e(batcher.builder, getOperation());
  if (!batcher.isBatched(getWeight())) {
    Value operands[] = {batcher.batched(getX()), batcher.plain(getWeight())};
    return batcher.allOf(batcher.cloneOn(*this, operands));
  }
  if (static_cast<int64_t>(getPaddingIdx()) != -1)
    return failure();
  if (!batcher.isBatched(getX()))
    return one(e.create<GatherOp>(batcher.batched(getWeight()), batcher.plain(getX()), Value(),
                                  e.getBuilder().getI64IntegerAttr(1)));
  Expression ids = e.wrap(batcher.batched(getX()));
  return one(e.create<GatherNdOp>(batcher.batched(getWeight()),
                                  withExample(batcher, e, insertDim(ids, ids.rank()))));
}

BatchedResults LookupTableDequantOp::batch(Batcher &batcher) {
  return SampleJoiner(batcher, *this).join({Role::Shared, Role::First}, {Role::First});
}

} // namespace proa::pd
