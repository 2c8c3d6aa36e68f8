//! Batching rule of ops that work along one axis: scans, softmax, sorting.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ir/Types.h"

using namespace mlir;

namespace proa::pd {

BatchedResults batchAlongAxis(Batcher &batcher, Operation *op) {
  auto operands = firstBatched(batcher, op);
  int64_t rank = tensorType(op->getOperand(0)).getRank();
  if (failed(operands) || rank == 0)
    return failure();
  auto flatten = op->getAttrOfType<BoolAttr>("flatten"), keep = op->getAttrOfType<BoolAttr>("keepdims");
  bool isFlat = flatten && flatten.getValue();
  if (isFlat && keep && keep.getValue())
    return failure();
  if (isFlat) {
    TensorBuilder e(batcher.builder, op);
    operands->front() = e.reshape(e.wrap(operands->front()), {0, -1});
  }
  Operation *created = batcher.cloneOn(op, *operands);
  if (isFlat)
    created->setAttr("flatten", batcher.builder.getBoolAttr(false));
  auto attribute = op->getAttrOfType<IntegerAttr>("axis");
  int64_t axis = attribute ? attribute.getInt() : -1;
  created->setAttr("axis", batcher.builder.getI64IntegerAttr(isFlat ? 1 : batchedAxis(axis, rank)));
  return batcher.allOf(created);
}

} // namespace proa::pd
