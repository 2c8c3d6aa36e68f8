//! Batching rule of Fourier transforms: axes move by one.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ir/Types.h"

using namespace mlir;

namespace proa::pd {

BatchedResults batchTransform(Batcher &batcher, Operation *op) {
  int64_t rank = tensorType(op->getOperand(0)).getRank();
  Operation *created = batcher.cloneOn(op, batcher.batched(op->getOperand(0)));
  auto axes = batchedAxes(op->getAttrOfType<DenseI64ArrayAttr>("axes").asArrayRef(), rank);
  created->setAttr("axes", batcher.builder.getDenseI64ArrayAttr(axes));
  return batcher.allOf(created);
}

} // namespace proa::pd
