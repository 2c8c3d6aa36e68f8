//! Batching rules of searches along an axis.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ops/search/SearchOps.h"

using namespace mlir;

namespace proa::pd {

/// The tensor that may give the axis must have been folded into the attribute.
template <class Op> static BatchedResults batchArg(Batcher &batcher, Op op) {
  return op.getAxisTensor() ? BatchedResults(failure()) : batchAlongAxis(batcher, op);
}

BatchedResults ArgmaxOp::batch(Batcher &batcher) { return batchArg(batcher, *this); }
BatchedResults ArgminOp::batch(Batcher &batcher) { return batchArg(batcher, *this); }

} // namespace proa::pd
