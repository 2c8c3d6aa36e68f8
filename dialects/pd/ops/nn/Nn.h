/// Layers of neural networks: normalizations, softmax, embeddings, recurrent layers.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Layout.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/RandomShard.h"

namespace proa::pd {

//===-- Normalizations
//--------------------------------------------------------------------------------------===//

int64_t channelAxis(mlir::RankedTensorType x, DataFormat dataFormat);
/// Whether batch_norm in training returns x, as in Paddle, because each channel has one element.
bool isOneElementAChannel(mlir::RankedTensorType x, int64_t channelAxis);
/// Whether the run decides if channels have several elements.
std::optional<Expression> haveChannelsElements(Expression x, int64_t channelAxis);
/// The dimensions of a tensor except these.
llvm::SmallVector<int64_t> axesBut(int64_t rank, llvm::ArrayRef<int64_t> kept);
/// A tensor with one element for each channel, shaped to broadcast against one of that rank.
Expression alongAxis(Expression parameter, int64_t axis, int64_t rank);

/// Checks of an op with parameters for each channel: C1, C2 and C3.
mlir::LogicalResult inferChannelNorm(std::optional<mlir::Location> location, mlir::Value x,
                                     llvm::ArrayRef<mlir::Value> parameters, DataFormat dataFormat);
mlir::LogicalResult inferLayerNormOf(std::optional<mlir::Location> location, mlir::Value x, mlir::Value scale,
                                     mlir::Value bias, int64_t axis, Results &results);
mlir::LogicalResult inferGroupNormOf(std::optional<mlir::Location> location, mlir::Value x,
                                     llvm::ArrayRef<mlir::Value> parameters, int64_t groups,
                                     DataFormat dataFormat, Results &results);
mlir::LogicalResult inferInstanceNormOf(std::optional<mlir::Location> location, mlir::Value x,
                                        llvm::ArrayRef<mlir::Value> parameters, Results &results);

template <class Adaptor>
mlir::LogicalResult inferBatchNorm(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  mlir::Value x = adaptor.getX();
  if (failed(inferChannelNorm(
          location, x, {adaptor.getMean(), adaptor.getVariance(), adaptor.getScale(), adaptor.getBias()},
          adaptor.getDataFormat())))
    return mlir::failure();
  mlir::Type moments = adaptor.getMean().getType();
  results.append({x.getType(), moments, moments, moments, moments,
                  mlir::RankedTensorType::get({0}, tensorType(x).getElementType())});
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferLayerNorm(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  return inferLayerNormOf(location, adaptor.getX(), adaptor.getScale(), adaptor.getBias(),
                          adaptor.getBeginNormAxis(), results);
}

template <class Adaptor>
mlir::LogicalResult inferGroupNorm(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  return inferGroupNormOf(location, adaptor.getX(), {adaptor.getScale(), adaptor.getBias()},
                          adaptor.getGroups(), adaptor.getDataFormat(), results);
}

template <class Adaptor>
mlir::LogicalResult inferInstanceNorm(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  return inferInstanceNormOf(location, adaptor.getX(), {adaptor.getScale(), adaptor.getBias()}, results);
}

template <class Adaptor>
mlir::LogicalResult inferNorm(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getX());
  auto axis = static_cast<int64_t>(adaptor.getAxis());
  if (failed(normalizeAxis(location, axis, std::max<int64_t>(type.getRank(), 1), "C1")))
    return mlir::failure();
  llvm::SmallVector<int64_t> shape(type.getShape());
  if (type.getRank() > 0)
    shape[axis < 0 ? axis + type.getRank() : axis] = 1;
  results.append({type, mlir::RankedTensorType::get(shape, type.getElementType())});
  return mlir::success();
}

mlir::LogicalResult checkLrn(std::optional<mlir::Location> location, mlir::RankedTensorType x, int64_t n);
mlir::LogicalResult checkSpectralNorm(std::optional<mlir::Location> location, mlir::RankedTensorType weight,
                                      mlir::RankedTensorType u, mlir::RankedTensorType v, int64_t dim,
                                      int64_t iterations);

template <class Adaptor>
mlir::LogicalResult inferLrn(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(checkLrn(location, type, adaptor.getN())))
    return mlir::failure();
  results.append({type, type});
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferSpectralNorm(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  if (failed(checkSpectralNorm(location, tensorType(adaptor.getWeight()), tensorType(adaptor.getU()),
                               tensorType(adaptor.getV()), adaptor.getDim(), adaptor.getPowerIters())))
    return mlir::failure();
  results.push_back(adaptor.getWeight().getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferAffineChannel(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  if (failed(inferChannelNorm(location, adaptor.getX(), {adaptor.getScale(), adaptor.getBias()},
                              adaptor.getDataFormat())))
    return mlir::failure();
  results.push_back(adaptor.getX().getType());
  return mlir::success();
}

//===-- Softmax, dropout, activations with parameters
//-------------------------------------------------------===//

/// log_softmax as a formula, which cross entropy uses too.
Expression logSoftmax(Expression x, llvm::ArrayRef<int64_t> axes);
mlir::LogicalResult checkDropout(std::optional<mlir::Location> location, double p);
mlir::LogicalResult checkPrelu(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                               mlir::RankedTensorType alpha, PreluMode mode, DataFormat dataFormat);
mlir::LogicalResult inferMaxoutOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                  int64_t groups, int64_t axis, Results &results);

template <class Adaptor>
mlir::LogicalResult inferAlongAxis(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(normalizeAxis(location, adaptor.getAxis(), std::max<int64_t>(type.getRank(), 1), "C1")))
    return mlir::failure();
  results.push_back(type);
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferDropout(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(checkDropout(location, adaptor.getP().convertToDouble())) ||
      failed(checkShard(location, adaptor.getPartBegin(), adaptor.getWholeShape(), type.getRank(), "C2")))
    return mlir::failure();
  results.append(
      {type, type.clone(mlir::IntegerType::get(type.getContext(), 8, mlir::IntegerType::Unsigned))});
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferPrelu(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(checkPrelu(location, type, tensorType(adaptor.getAlpha()), adaptor.getMode(),
                        adaptor.getDataFormat())))
    return mlir::failure();
  results.push_back(type);
  return mlir::success();
}

mlir::LogicalResult checkSoftmaxMask(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                     mlir::RankedTensorType mask);

template <class Adaptor>
mlir::LogicalResult inferSoftmaxMask(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(checkSoftmaxMask(location, type, tensorType(adaptor.getMask()))))
    return mlir::failure();
  results.push_back(type);
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferRrelu(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  results.append(2, adaptor.getX().getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferMaxout(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferMaxoutOf(location, tensorType(adaptor.getX()), adaptor.getGroups(), adaptor.getAxis(), results);
}

//===-- Embeddings, recurrence
//------------------------------------------------------------------------------===//

mlir::LogicalResult inferEmbeddingOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                     mlir::RankedTensorType weight, int64_t paddingIndex, Results &results);

struct RnnShape {
  mlir::RankedTensorType x;
  llvm::SmallVector<mlir::Value> states, weights;
  RnnMode mode;
  int64_t layers, directions, hidden;
};
mlir::LogicalResult inferRnnOf(std::optional<mlir::Location> location, const RnnShape &rnn, Results &results);

template <class Adaptor>
mlir::LogicalResult inferRnn(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  RnnShape rnn{tensorType(adaptor.getX()),
               {},
               {},
               adaptor.getMode(),
               static_cast<int64_t>(adaptor.getNumLayers()),
               adaptor.getIsBidirec() ? 2 : 1,
               static_cast<int64_t>(adaptor.getHiddenSize())};
  llvm::append_range(rnn.states, adaptor.getPreState());
  llvm::append_range(rnn.weights, adaptor.getWeightList());
  return inferRnnOf(location, rnn, results);
}

mlir::LogicalResult checkRnnCotangents(std::optional<mlir::Location> location, mlir::ValueRange cotangents,
                                       mlir::TypeRange out);

template <class Adaptor>
mlir::LogicalResult inferRnnGradient(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  llvm::SmallVector<mlir::Type> out;
  llvm::SmallVector<mlir::Value> cotangents{adaptor.getOutGradient()};
  llvm::append_range(cotangents, adaptor.getStateGradient());
  if (failed(inferRnn(location, adaptor, out)) || failed(checkRnnCotangents(location, cotangents, out)))
    return mlir::failure();
  results.push_back(adaptor.getX().getType());
  for (mlir::Value state : adaptor.getPreState())
    results.push_back(state.getType());
  for (mlir::Value weight : adaptor.getWeightList())
    results.push_back(weight.getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferLookupTableDequant(std::optional<mlir::Location> location, Adaptor adaptor,
                                            Results &results) {
  auto table = tensorType(adaptor.getW()), ids = tensorType(adaptor.getIds());
  bool fits = table.getRank() == 2 && table.getElementType().isF32() && ids.getRank() > 0 &&
              (table.isDynamicDim(1) || table.getDimSize(1) > 2) &&
              (ids.isDynamicDim(ids.getRank() - 1) || ids.getDimSize(ids.getRank() - 1) == 1);
  if (failed(require(location, fits, "C1: w must be float32 [rows, 3 or more], and the last dim of ids 1",
                     adaptor.getOperands())))
    return mlir::failure();
  llvm::SmallVector<int64_t> shape(ids.getShape());
  shape.back() = table.isDynamicDim(1) ? mlir::ShapedType::kDynamic : 4 * (table.getDimSize(1) - 2);
  results.push_back(table.clone(shape));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferEmbedding(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  return inferEmbeddingOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getWeight()),
                          adaptor.getPaddingIdx(), results);
}

} // namespace proa::pd
