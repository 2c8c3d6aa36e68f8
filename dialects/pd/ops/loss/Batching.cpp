//! Batching rules of losses: each stays one op, because its gradient is a rule of its own and not the
//! derivative of its decomposition.
#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/loss/LossOps.h"
#include "dialects/pd/ops/loss/TransducerLoss.h"

using namespace mlir;

namespace proa::pd {

BatchedResults CrossEntropyWithSoftmaxOp::batch(Batcher &batcher) {
  Value operands[] = {batcher.batched(getInput()), batcher.batched(getLabel())};
  auto created = cast<CrossEntropyWithSoftmaxOp>(batcher.cloneOn(*this, operands));
  created.setAxis(batchedAxis(static_cast<int64_t>(getAxis()), tensorType(getInput()).getRank()));
  return batcher.allOf(created);
}

BatchedResults WarprnntOp::batch(Batcher &batcher) {
  SmallVector<Role> roles(getOperation()->getNumOperands(), Role::First);
  return joinedOrEach(batcher, *this, roles, {Role::First, Role::First});
}

} // namespace proa::pd
