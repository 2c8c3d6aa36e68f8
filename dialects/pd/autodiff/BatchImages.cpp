//! Batching rules of ops on images: the examples are merged into the batch dimension of the images.
#include "dialects/pd/autodiff/BatchingRules.h"

using namespace mlir;

namespace proa::pd {

Expression joinImages(TensorBuilder &e, Expression x) {
  SmallVector<DimSize> shape = dimSizesOf(x);
  DimSize both = multiply(e, shape[0], shape[1]);
  shape.erase(shape.begin());
  shape[0] = both;
  return reshapeTo(x, shape);
}

/// The type with its first dim multiplied by the number of examples.
static Type joinedType(Type type, const DimSize &examples) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  bool isKnown = examples.isKnown() && !ShapedType::isDynamic(shape[0]);
  shape[0] = isKnown ? shape[0] * examples.getNumber() : ShapedType::kDynamic;
  return tensor.clone(shape);
}

BatchedResults batchJoined(Batcher &batcher, Operation *op, unsigned images, unsigned like) {
  TensorBuilder e(batcher.builder, op);
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (i < images)
      operands.push_back(joinImages(e, e.wrap(batcher.batched(operand))));
    else if (!batcher.isBatched(operand))
      operands.push_back(batcher.plain(operand));
    else
      return failure();
  }
  Operation *created = batcher.builder.clone(*op);
  created->setOperands(operands);
  SmallVector<Batched> results;
  for (auto [result, original] : llvm::zip(created->getResults(), op->getResults())) {
    result.setType(joinedType(original.getType(), batcher.examples(e)));
    SmallVector<DimSize> shape = dimSizesOf(e.wrap(result));
    shape[0] = DimSize(e.wrap(batcher.batched(op->getOperand(like))), 1);
    shape.insert(shape.begin(), batcher.examples(e));
    results.push_back(Batched(reshapeTo(e.wrap(result), shape)));
  }
  return results;
}

BatchedResults batchImages(Batcher &batcher, Operation *op) { return batchJoined(batcher, op, 1); }
BatchedResults batchImagePairs(Batcher &batcher, Operation *op) { return batchJoined(batcher, op, 2); }
BatchedResults batchImageSamples(Batcher &batcher, Operation *op) {
  return batchJoined(batcher, op, op->getNumOperands());
}

} // namespace proa::pd
