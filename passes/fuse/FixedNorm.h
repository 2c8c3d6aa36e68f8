/// Batch normalizations with fixed statistics as a factor and a shift of each channel.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/nn/NormOps.h"

namespace proa {

/// Whether the statistics are operands, not computed from the batch.
inline bool hasFixedStatistics(pd::BatchNormOp op) {
  return op.getUseGlobalStats() || (op.getIsTest() && !op.getTrainableStatistics());
}

/// `x * factor + shift`, with one element of each for a channel.
struct FixedNorm {
  pd::Expression factor, shift;

  /// Of `x + before`, where `before` has one element for each channel or is null.
  FixedNorm(pd::TensorBuilder &e, pd::BatchNormOp op, mlir::Value before = {})
      : factor(e.rsqrt(e.wrap(op.getVariance()) + op.getEpsilon().convertToDouble())), shift(factor) {
    if (op.getScale())
      factor = factor * e.wrap(op.getScale());
    pd::Expression mean = e.wrap(op.getMean());
    if (before)
      mean = mean - e.reshape(e.wrap(before), {-1});
    shift = -(mean * factor);
    if (op.getBias())
      shift = e.wrap(op.getBias()) + shift;
  }
};

} // namespace proa
