#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/nn/RmsNormOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                          Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  int64_t kept = type.getRank() - static_cast<int64_t>(adaptor.getNormalizedShape().size());
  if (kept < 0)
    return inferenceError(location, "C1: normalized_shape has " +
                                        llvm::Twine(adaptor.getNormalizedShape().size()) +
                                        " numbers, x rank " + llvm::Twine(type.getRank()));
  if (Value scale = adaptor.getScale()) {
    auto scales = tensorType(scale);
    llvm::ArrayRef<int64_t> dims = type.getShape().drop_front(kept);
    if (scales.hasStaticShape() && !ShapedType::isDynamicShape(dims) &&
        scales.getNumElements() != ShapedType::getNumElements(dims))
      return inferenceError(location, "C1: scale must have " + llvm::Twine(ShapedType::getNumElements(dims)) +
                                          " elements, found " + llvm::Twine(scales.getNumElements()));
  }
  Type element = type.getElementType();
  if (element.getIntOrFloatBitWidth() < 32)
    element = Float32Type::get(context);
  results.push_back(type);
  results.push_back(RankedTensorType::get(type.getShape().take_front(kept), element));
  return success();
}

FailureOr<SmallVector<Value>> RmsNormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  int64_t kept = x.rank() - static_cast<int64_t>(getNormalizedShape().size());
  llvm::SmallVector<DimSize> dimSizes = dimSizesOf(x), outer(dimSizes.begin(), dimSizes.begin() + kept),
                             inner(dimSizes.begin() + kept, dimSizes.end());
  llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(kept, x.rank()));
  Expression inverse = e.rsqrt(e.mean(x * x, axes) + getEpsilon().convertToDouble());
  Expression y = x * inverse;
  if (Value scale = getScale())
    y = y * reshapeTo(e.computed(scale), inner);
  return e.results({y, reshapeTo(inverse, outer)});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/RmsNorm.cpp.inc"
#include "dialects/pd/ops/nn/RmsNorm.methods.inc"
