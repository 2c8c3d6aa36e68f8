//! Batching rule of hash codes.
#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/nn/Hash.h"

using namespace mlir;

namespace proa::pd {

BatchedResults HashOp::batch(Batcher &batcher) {
  return SampleJoiner(batcher, *this).join({Role::First}, {Role::First});
}

} // namespace proa::pd
