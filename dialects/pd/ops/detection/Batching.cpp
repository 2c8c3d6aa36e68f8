//! Batching rules of ops on regions of images: the examples are joined to the images' batch.
#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/detection/BoxesOps.h"
#include "dialects/pd/ops/detection/RoiPool.h"

using namespace mlir;

namespace proa::pd {

/// The number of regions of each image must be an operand: without it all regions are of the first image.
/// The results have as many rows as operand `like`.
template <class Op> static BatchedResults batchRegions(Batcher &batcher, Op op, unsigned like) {
  if (!op.getBoxesNum())
    return failure();
  return batchJoined(batcher, op, op->getNumOperands(), like);
}

BatchedResults RoiAlignOp::batch(Batcher &batcher) { return batchRegions(batcher, *this, 1); }
BatchedResults RoiPoolOp::batch(Batcher &batcher) { return batchRegions(batcher, *this, 1); }
BatchedResults PsroiPoolOp::batch(Batcher &batcher) { return batchRegions(batcher, *this, 1); }
BatchedResults DeformablePsroiPoolingOp::batch(Batcher &batcher) { return batchRegions(batcher, *this, 1); }
BatchedResults RoiAlignGradOp::batch(Batcher &batcher) { return batchRegions(batcher, *this, 0); }
BatchedResults RoiPoolGradOp::batch(Batcher &batcher) { return batchRegions(batcher, *this, 0); }
BatchedResults PsroiPoolGradOp::batch(Batcher &batcher) { return batchRegions(batcher, *this, 0); }

BatchedResults BoxDecoderAndAssignOp::batch(Batcher &batcher) {
  return SampleJoiner(batcher, *this)
      .join({Role::First, Role::Shared, Role::First, Role::First}, {Role::First, Role::First});
}

} // namespace proa::pd
