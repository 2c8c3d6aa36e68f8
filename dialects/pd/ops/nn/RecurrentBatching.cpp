//! Batching rule of recurrent layers.
#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/nn/RecurrentOps.h"

using namespace mlir;

namespace proa::pd {

BatchedResults RnnOp::batch(Batcher &batcher) {
  SmallVector<Role> roles(1 + getPreState().size(), Role::Second);
  roles.append(getWeightList().size(), Role::Shared);
  if (getSequenceLength())
    roles.push_back(Role::First);
  SmallVector<Role> results(getOperation()->getNumResults(), Role::Second);
  return SampleJoiner(batcher, *this).join(roles, results);
}

} // namespace proa::pd
