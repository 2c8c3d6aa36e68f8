#include "dialects/pd/ops/creation/Creation.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {

FailureOr<llvm::SmallVector<int64_t>> dimsFromTensor(std::optional<Location> location, Value tensor,
                                                     llvm::StringRef constraint) {
  if (auto known = knownElements(tensor); succeeded(known))
    return *known;
  auto type = tensorType(tensor);
  if (!type.hasStaticShape())
    return inferenceError(location, constraint + ": a tensor of dims must have a static number of elements");
  return llvm::SmallVector<int64_t>(type.getNumElements(), ShapedType::kDynamic);
}

LogicalResult inferFullOf(std::optional<Location> location, Value shapeTensor, llvm::ArrayRef<int64_t> given,
                          Type dtype, Results &results) {
  llvm::SmallVector<int64_t> shape(given);
  if (shapeTensor) {
    auto dims = dimsFromTensor(location, shapeTensor, "C2");
    if (failed(dims))
      return failure();
    shape = *dims;
  }
  for (int64_t dimSize : shape)
    if (dimSize < 0 && !ShapedType::isDynamic(dimSize))
      return inferenceError(location, "C1: dims must not be negative, found " + llvm::Twine(dimSize));
  results.push_back(RankedTensorType::get(shape, dtype));
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// The fill value as a rank-0 tensor; `integer` has integers that a double cannot represent.
static Expression fillValue(TensorBuilder &e, Type element, const llvm::APFloat &value,
                            std::optional<int64_t> integer = std::nullopt) {
  if (element.isInteger(1)) // 0.2 is true, not a truncated integer
    return e.constant(integer.value_or(0) != 0 || value.isNonZero() ? 1 : 0, element);
  if (!integer || !isa<IntegerType>(element))
    return e.constant(value.convertToDouble(), element);
  auto type = RankedTensorType::get({}, element);
  llvm::APInt bits(element.getIntOrFloatBitWidth(), static_cast<uint64_t>(*integer), /*isSigned=*/true,
                   /*implicitTrunc=*/true);
  return e.wrap(e.create<ConstantOp>(type, DenseElementsAttr::get(type, bits)));
}

FailureOr<SmallVector<Value>> FullOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression scalar = getValueTensor() ? e.cast(e.reshape(e.wrap(getValueTensor()), {}), getDtype())
                                       : fillValue(e, getDtype(), getValue(), getIntegerValue());
  return SmallVector<Value>{e.create<ExpandOp>(scalar, getShapeTensor(), getShapeAttr())};
}

LogicalResult FullLikeOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                           llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  results.push_back(type.clone(adaptor.getDtype().value_or(type.getElementType())));
  return success();
}

FailureOr<SmallVector<Value>> FullLikeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Type element = tensorType(getOut()).getElementType();
  Expression value = getValueTensor() ? e.cast(e.reshape(e.wrap(getValueTensor()), {}), element)
                                      : fillValue(e, element, getValue());
  return SmallVector<Value>{expandTo(value, dimSizesOf(e.wrap(getX())))};
}

LogicalResult FullBatchSizeLikeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                    Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  llvm::SmallVector<int64_t> shape(adaptor.getShape());
  auto input = tensorType(adaptor.getInput());
  auto from = normalizeAxis(location, adaptor.getInputDimIdx(), input.getRank(), "C1");
  auto to = normalizeAxis(location, adaptor.getOutputDimIdx(), static_cast<int64_t>(shape.size()), "C1");
  if (failed(from) || failed(to))
    return failure();
  shape[*to] = input.getDimSize(*from);
  for (int64_t dimSize : shape)
    if (dimSize < 0 && !ShapedType::isDynamic(dimSize))
      return inferenceError(location, "C2: dims must not be negative, found " + llvm::Twine(dimSize));
  results.push_back(RankedTensorType::get(shape, adaptor.getDtype()));
  return success();
}

FailureOr<SmallVector<Value>> FullBatchSizeLikeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression input = e.wrap(getInput());
  llvm::SmallVector<DimSize> shape(getShape().begin(), getShape().end());
  int64_t to = *normalizeAxis(getOutputDimIdx(), static_cast<int64_t>(shape.size()));
  shape[to] = DimSize(input, *normalizeAxis(getInputDimIdx(), input.rank()));
  return SmallVector<Value>{expandTo(fillValue(e, getDtype(), getValue(), getIntegerValue()), shape)};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/creation/Creation.cpp.inc"
#include "dialects/pd/ops/creation/Creation.methods.inc"
#include "dialects/pd/ops/creation/Creation.scalar.inc"
