//! Batching rules of layers of click-through-rate models.
#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/nn/ClickThrough.h"

using namespace mlir;

namespace proa::pd {

/// Counters of columns: the examples' columns are joined.
BatchedResults DataNormOp::batch(Batcher &batcher) {
  SmallVector<Role> operands(getOperation()->getNumOperands(), Role::First);
  operands.front() = Role::Second;
  return SampleJoiner(batcher, *this).join(operands, {Role::Second, Role::First, Role::First});
}

/// Shows and clicks of rows: the examples' rows are joined.
BatchedResults CvmOp::batch(Batcher &batcher) {
  SmallVector<Role> operands(getOperation()->getNumOperands(), Role::First);
  return SampleJoiner(batcher, *this).join(operands, {Role::First});
}

} // namespace proa::pd
