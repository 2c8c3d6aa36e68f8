#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/math/ComplexOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/signal/FftOps.h"
#include "dialects/pd/ops/signal/FrameOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Gradients = FailureOr<llvm::SmallVector<Value>>;

/// C1; the axes counted from the front.
FailureOr<llvm::SmallVector<int64_t>> checkTransform(std::optional<Location> location, RankedTensorType type,
                                                     llvm::ArrayRef<int64_t> axes) {
  llvm::SmallVector<int64_t> out;
  for (int64_t axis : axes) {
    int64_t normal = axis < 0 ? axis + type.getRank() : axis;
    if (normal < 0 || normal >= type.getRank() || llvm::is_contained(out, normal))
      return inferenceError(location, "C1: axes must be in [-" + llvm::Twine(type.getRank()) + ", " +
                                          llvm::Twine(type.getRank()) + ") and none twice, found " +
                                          llvm::Twine(axis));
    out.push_back(normal);
  }
  if (out.empty())
    return inferenceError(location, "C1: at least one axis is expected, found none");
  return out;
}

/// The normalization for which the opposite direction has the same factor.
FftNormalization opposite(FftNormalization normalization) {
  switch (normalization) {
  case FftNormalization::Backward:
    return FftNormalization::Forward;
  case FftNormalization::Forward:
    return FftNormalization::Backward;
  case FftNormalization::Ortho:
    return FftNormalization::Ortho;
  }
  return normalization;
}

Expression transform(TensorBuilder &e, Value x, llvm::ArrayRef<int64_t> axes, FftNormalization normalization,
                     bool forward) {
  return e.wrap(e.create<FftC2cOp>(x, axes, normalization, forward));
}

} // namespace

LogicalResult FftC2cOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         Results &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(checkTransform(location, type, adaptor.getAxes())))
    return failure();
  results.push_back(type);
  return success();
}

LogicalResult FftR2cOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         Results &results) {
  auto type = tensorType(adaptor.getX());
  auto axes = checkTransform(location, type, adaptor.getAxes());
  if (failed(axes))
    return failure();
  llvm::SmallVector<int64_t> shape(type.getShape());
  if (adaptor.getOnesided() && !type.isDynamicDim(axes->back()))
    shape[axes->back()] = shape[axes->back()] / 2 + 1;
  results.push_back(RankedTensorType::get(shape, ComplexType::get(type.getElementType())));
  return success();
}

LogicalResult FftC2rOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         Results &results) {
  auto type = tensorType(adaptor.getX());
  auto axes = checkTransform(location, type, adaptor.getAxes());
  if (failed(axes))
    return failure();
  llvm::SmallVector<int64_t> shape(type.getShape());
  int64_t &last = shape[axes->back()];
  if (auto size = static_cast<int64_t>(adaptor.getLastDimSize()); size > 0)
    last = size;
  else if (!ShapedType::isDynamic(last))
    last = std::max<int64_t>(0, 2 * (last - 1));
  // Operands of other elements are refused by the op's constraint afterwards.
  auto element = dyn_cast<ComplexType>(type.getElementType());
  results.push_back(RankedTensorType::get(shape, element ? element.getElementType() : type.getElementType()));
  return success();
}

Gradients FftC2cOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  return llvm::SmallVector<Value>{
      transform(e, cotangents[0], getAxes(), opposite(getNormalization()), !getForward())};
}

// The missing half of the result is filled with zeros.
Gradients FftR2cOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression gradient = e.wrap(cotangents[0]);
  if (getOnesided()) {
    int64_t last = getAxes().back() < 0 ? getAxes().back() + gradient.rank() : getAxes().back();
    llvm::SmallVector<DimSize> missing = dimSizesOf(gradient);
    missing[last] = divide(e, add(e, DimSize(e.wrap(getX()), last), -1), 2);
    if (!missing[last].isNumber(0))
      gradient = concat({gradient, expandTo(e.constant(0, gradient.type().getElementType()), missing)}, last);
  }
  Expression full = transform(e, gradient, getAxes(), opposite(getNormalization()), !getForward());
  return llvm::SmallVector<Value>{e.create<RealOp>(full)};
}

// Each element except the first, and the middle one of an even length, counts twice.
Gradients FftC2rOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  auto type = tensorType(getX()), outType = tensorType(getOut());
  int64_t last = getAxes().back() < 0 ? getAxes().back() + type.getRank() : getAxes().back();
  int64_t given = type.getDimSize(last), length = outType.getDimSize(last);
  if (ShapedType::isDynamic(given) || ShapedType::isDynamic(length))
    return failure(); // not yet
  if (given != length / 2 + 1) {
    emitOpError("has a gradient only where half the last dim and one is given, found ")
        << type << " for " << outType;
    return failure();
  }
  Expression half =
      e.wrap(e.create<FftR2cOp>(cotangents[0], getAxes(), opposite(getNormalization()), !getForward(), true));
  int64_t mirrored = (length + 1) / 2;
  llvm::SmallVector<Expression> pieces{slice(half, last, 0, 1)};
  if (mirrored > 1)
    pieces.push_back(slice(half, last, 1, mirrored) * 2.0);
  if (mirrored < given)
    pieces.push_back(slice(half, last, mirrored, given));
  return llvm::SmallVector<Value>{concat(pieces, last)};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/signal/Fft.cpp.inc"
#include "dialects/pd/ops/signal/Fft.methods.inc"
#include "dialects/pd/ops/signal/Fft.scalar.inc"
