//! Batching rules of searches along an axis, and of tables.
#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/search/Tables.h"

using namespace mlir;

namespace proa::pd {

/// The tensor that may give the axis must have been folded into the attribute.
template <class Op> static BatchedResults batchArg(Batcher &batcher, Op op) {
  return op.getAxisTensor() ? BatchedResults(failure()) : batchAlongAxis(batcher, op);
}

BatchedResults ArgmaxOp::batch(Batcher &batcher) { return batchArg(batcher, *this); }
BatchedResults ArgminOp::batch(Batcher &batcher) { return batchArg(batcher, *this); }

BatchedResults HashOp::batch(Batcher &batcher) {
  return SampleJoiner(batcher, *this).join({Role::First}, {Role::First});
}

BatchedResults LookupTableDequantOp::batch(Batcher &batcher) {
  return SampleJoiner(batcher, *this).join({Role::Shared, Role::First}, {Role::First});
}

} // namespace proa::pd
