/// Quantization.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// Ops that quantize or dequantize (Pd_Quantizes).
template <class Op> class QuantizesTrait : public mlir::OpTrait::TraitBase<Op, QuantizesTrait> {};

mlir::LogicalResult checkQuantization(std::optional<mlir::Location> location, int64_t bitLength,
                                      int64_t roundType);
/// C3 and C4: `scale` may be null.
mlir::LogicalResult checkScale(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                               mlir::Value scale, int64_t axis);
/// The type of the scales of x along an axis; -1: a single scale.
mlir::RankedTensorType scaleType(mlir::RankedTensorType x, int64_t axis);

mlir::LogicalResult checkTrainedScale(std::optional<mlir::Location> location, bool isTraining, int64_t axis,
                                      mlir::Value accum, mlir::Value state);
mlir::LogicalResult inferChannelDequantizeOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                             mlir::ValueRange scales, size_t bits, int64_t axis,
                                             int64_t secondAxis, Results &results);

template <class Adaptor>
mlir::LogicalResult checkRounding(std::optional<mlir::Location> location, Adaptor adaptor) {
  return checkQuantization(location, static_cast<int64_t>(adaptor.getBitLength()),
                           static_cast<int64_t>(adaptor.getRoundType()));
}

template <class Adaptor>
mlir::LogicalResult inferLinearQuantization(std::optional<mlir::Location> location, Adaptor adaptor,
                                            Results &results) {
  auto x = tensorType(adaptor.getX());
  auto axis = static_cast<int64_t>(adaptor.getQuantAxis());
  if (failed(checkRounding(location, adaptor)) || failed(checkScale(location, x, adaptor.getScale(), axis)))
    return mlir::failure();
  bool isTraining =
      !adaptor.getIsTest() && !adaptor.getOnlyObserver() && mlir::isa<mlir::FloatType>(x.getElementType());
  if (!adaptor.getScale() && !isTraining && !adaptor.getOnlyObserver())
    return inferenceError(location, "C5: scale is missing");
  if (failed(checkTrainedScale(location, isTraining, axis, adaptor.getInAccum(), adaptor.getInState())))
    return mlir::failure();
  mlir::Type element = x.getElementType();
  if (adaptor.getScale())
    element = tensorType(adaptor.getScale()).getElementType();
  if (!mlir::isa<mlir::FloatType>(element))
    return inferenceError(location, "C5: scale is missing, and x is not a float tensor");
  auto one = mlir::RankedTensorType::get({1}, element);
  results.append({x.clone(element), one, one, isTraining ? scaleType(x, axis).clone(element) : one});
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferAbsMax(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX());
  results.append({x, scaleType(x, -1)});
  return checkRounding(location, adaptor);
}

template <class Adaptor>
mlir::LogicalResult inferChannelAbsMax(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  auto x = tensorType(adaptor.getX());
  auto axis = static_cast<int64_t>(adaptor.getQuantAxis());
  if (failed(checkScale(location, x, {}, axis)))
    return mlir::failure();
  results.append({x, scaleType(x, axis)});
  return checkRounding(location, adaptor);
}

template <class Adaptor>
mlir::LogicalResult inferObserver(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX());
  auto one = scaleType(x, -1);
  results.append({x, one, one, one});
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferMovingAverage(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  if (failed(checkRounding(location, adaptor)) ||
      failed(checkScale(location, tensorType(adaptor.getX()), adaptor.getInScale(), -1)))
    return mlir::failure();
  return inferObserver(location, adaptor, results);
}

template <class Adaptor>
mlir::LogicalResult inferRange(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX());
  if (failed(checkRounding(location, adaptor)) || failed(checkScale(location, x, adaptor.getInScale(), -1)))
    return mlir::failure();
  if (!adaptor.getIsTest() && (!adaptor.getIter() || !adaptor.getInScales()))
    return inferenceError(location, "C5: iter or in_scales is missing, which training needs");
  if (static_cast<int64_t>(adaptor.getWindowSize()) < 1)
    return inferenceError(location, "C6: window_size must be positive, found " +
                                        llvm::Twine(static_cast<int64_t>(adaptor.getWindowSize())));
  mlir::Type ring = adaptor.getInScales()
                        ? adaptor.getInScales().getType()
                        : mlir::Type(mlir::RankedTensorType::get(
                              {static_cast<int64_t>(adaptor.getWindowSize())}, x.getElementType()));
  results.append({x, scaleType(x, -1), ring});
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferChannelDequantize(std::optional<mlir::Location> location, Adaptor adaptor,
                                           Results &results) {
  return inferChannelDequantizeOf(location, tensorType(adaptor.getX()), adaptor.getScales(),
                                  adaptor.getQuantBits().size(), static_cast<int64_t>(adaptor.getQuantAxis()),
                                  static_cast<int64_t>(adaptor.getXNumColDims()), results);
}

template <class Adaptor>
mlir::LogicalResult inferDequantizeAbsMax(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  results.push_back(tensorType(adaptor.getX()).clone(tensorType(adaptor.getScale()).getElementType()));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferQuantize(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getInput());
  mlir::MLIRContext *context = type.getContext();
  bool isUnshifted = std::abs(adaptor.getShift().convertToDouble()) < 1; // rounded towards zero
  mlir::Type element =
      adaptor.getBfloat16()
          ? mlir::Type(mlir::BFloat16Type::get(context))
          : mlir::IntegerType::get(context, 8,
                                   adaptor.getIsNegativeInput() && isUnshifted ? mlir::IntegerType::Signless
                                                                               : mlir::IntegerType::Unsigned);
  results.push_back(type.clone(element));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferDequantize(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getInput());
  results.push_back(type.clone(mlir::Float32Type::get(type.getContext())));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferDequantizeLog(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  auto table = tensorType(adaptor.getDict());
  if (table.hasStaticShape() && table.getNumElements() != 128)
    return inferenceError(location,
                          "C1: dict must have 128 elements, found " + llvm::Twine(table.getNumElements()));
  results.push_back(tensorType(adaptor.getX()).clone(table.getElementType()));
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/quantization/Quantization.h.inc"
