/// Layers of neural networks: convolutions, poolings, normalizations, softmax, embeddings, resampling,
/// recurrent layers.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Layout.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/RandomPart.h"
#include "dialects/pd/ops/nn/Window.h"

namespace proa::pd {

//===-- Convolutions ------------------------------------------------------------------------------------===//

/// The number of channels of an image.
inline int64_t channelsOf(mlir::RankedTensorType image, DataFormat dataFormat) {
  return image.getDimSize(channelsAreLast(dataFormat) ? image.getRank() - 1 : 1);
}

/// The window of a convolution, for ops and adaptors.
template <class ConvOp> Window convWindow(ConvOp op, int64_t spatial, mlir::RankedTensorType filter) {
  llvm::SmallVector<int64_t> kernel(filter.getShape().drop_front(std::min<size_t>(2, filter.getRank())));
  return {spatial,
          kernel,
          llvm::SmallVector<int64_t>(op.getStrides()),
          llvm::SmallVector<int64_t>(op.getPaddings()),
          llvm::SmallVector<int64_t>(op.getDilations()),
          op.getPaddingAlgorithm()};
}

/// The result of a convolution: of `element`, or by default of the element type that both operands must
/// share.
mlir::LogicalResult inferConvOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                const Window &window, int64_t groups, DataFormat dataFormat, Results &results,
                                mlir::Type element = {});
mlir::LogicalResult inferConvTransposeOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                         const Window &window, int64_t groups, DataFormat dataFormat,
                                         llvm::ArrayRef<int64_t> outputPadding,
                                         llvm::ArrayRef<int64_t> outputSize, Results &results);

template <int64_t spatial, class Adaptor>
mlir::LogicalResult inferConv(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferConvOf(location, adaptor.getOperands(),
                     convWindow(adaptor, spatial, tensorType(adaptor.getFilter())), adaptor.getGroups(),
                     adaptor.getDataFormat(), results);
}

template <class Adaptor>
mlir::LogicalResult inferIntegerConv2d(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  return inferConvOf(location, adaptor.getOperands(), convWindow(adaptor, 2, tensorType(adaptor.getFilter())),
                     adaptor.getGroups(), adaptor.getDataFormat(), results,
                     mlir::IntegerType::get(adaptor.getInput().getContext(), 32));
}

template <int64_t spatial, class Adaptor>
mlir::LogicalResult inferConvTranspose(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  return inferConvTransposeOf(location, adaptor.getOperands(),
                              convWindow(adaptor, spatial, tensorType(adaptor.getFilter())),
                              adaptor.getGroups(), adaptor.getDataFormat(), adaptor.getOutputPadding(),
                              adaptor.getOutputSize(), results);
}

mlir::LogicalResult inferConvWeightGradientOf(std::optional<mlir::Location> location,
                                              mlir::RankedTensorType input,
                                              mlir::RankedTensorType outGradient, const Window &window,
                                              int64_t groups, DataFormat dataFormat, Results &results);

template <int64_t spatial, class Adaptor>
mlir::LogicalResult inferConvWeightGradient(std::optional<mlir::Location> location, Adaptor adaptor,
                                            Results &results) {
  Window window{spatial,
                llvm::SmallVector<int64_t>(adaptor.getKernelSize()),
                llvm::SmallVector<int64_t>(adaptor.getStrides()),
                llvm::SmallVector<int64_t>(adaptor.getPaddings()),
                llvm::SmallVector<int64_t>(adaptor.getDilations()),
                adaptor.getPaddingAlgorithm()};
  return inferConvWeightGradientOf(location, tensorType(adaptor.getInput()),
                                   tensorType(adaptor.getOutGradient()), window, adaptor.getGroups(),
                                   adaptor.getDataFormat(), results);
}

//===-- Poolings ----------------------------------------------------------------------------------------===//

struct PoolWindow {
  Window window;
  DataFormat dataFormat = DataFormat::NCHW;
  bool ceilMode, isGlobal, isAdaptive;
};

/// The elements of a constant kernel_size tensor, kDynamic for others.
llvm::SmallVector<int64_t> kernelFromTensor(mlir::Value tensor, int64_t spatial);

template <class PoolOp> PoolWindow maxPoolWindow(PoolOp op, int64_t spatial) {
  Window window{spatial, llvm::SmallVector<int64_t>(op.getKernelSize()),
                llvm::SmallVector<int64_t>(op.getStrides()), llvm::SmallVector<int64_t>(op.getPaddings()),
                llvm::SmallVector<int64_t>(spatial, 1)};
  // Missing strides and paddings have Paddle's defaults.
  if (window.strides.empty())
    window.strides.assign(spatial, 1);
  if (window.paddings.empty())
    window.paddings.assign(spatial, 0);
  return {window, DataFormat::NCHW, op.getCeilMode(), op.getGlobalPooling(), op.getAdaptive()};
}

template <class PoolOp> PoolWindow poolWindow(PoolOp op, int64_t spatial) {
  PoolWindow pool = maxPoolWindow(op, spatial);
  if (op.getKernelSizeTensor())
    pool.window.kernel = kernelFromTensor(op.getKernelSizeTensor(), spatial);
  pool.window.paddingAlgorithm = op.getPaddingAlgorithm();
  pool.dataFormat = op.getDataFormat();
  return pool;
}

mlir::LogicalResult inferPoolOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                const PoolWindow &pool, Results &results);

template <int64_t spatial, class Adaptor>
mlir::LogicalResult inferPool(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferPoolOf(location, tensorType(adaptor.getX()), poolWindow(adaptor, spatial), results);
}

/// The gradient of an op's input has the type of the input, if the cotangent has the type of the result.
mlir::LogicalResult inferGradientOf(std::optional<mlir::Location> location, mlir::Type input,
                                    mlir::Value outGradient, mlir::Type out, llvm::StringRef constraint,
                                    Results &results);

template <int64_t spatial, class Adaptor>
mlir::LogicalResult inferPoolGradient(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  llvm::SmallVector<mlir::Type> out;
  if (failed(inferPool<spatial>(location, adaptor, out)))
    return mlir::failure();
  return inferGradientOf(location, adaptor.getX().getType(), adaptor.getOutGradient(), out[0], "C7", results);
}

template <int64_t spatial, class Adaptor>
mlir::LogicalResult inferMaxPoolWithIndex(std::optional<mlir::Location> location, Adaptor adaptor,
                                          Results &results) {
  if (failed(inferPoolOf(location, tensorType(adaptor.getX()), maxPoolWindow(adaptor, spatial), results)))
    return mlir::failure();
  auto out = mlir::cast<mlir::RankedTensorType>(results.back());
  results.push_back(out.clone(mlir::IntegerType::get(out.getContext(), 32)));
  return mlir::success();
}

//===-- Normalizations ----------------------------------------------------------------------------------===//

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

//===-- Softmax, dropout, activations with parameters ---------------------------------------------------===//

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
      failed(checkPart(location, adaptor.getPartBegin(), adaptor.getWholeShape(), type.getRank(), "C2")))
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
mlir::LogicalResult checkPositionEncoding(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                          bool hasOffsets);

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
mlir::LogicalResult inferPositionEncoding(std::optional<mlir::Location> location, Adaptor adaptor,
                                          Results &results) {
  if (failed(checkPositionEncoding(location, tensorType(adaptor.getX()),
                                   static_cast<bool>(adaptor.getOffsets()))))
    return mlir::failure();
  results.push_back(adaptor.getX().getType());
  return mlir::success();
}

mlir::LogicalResult checkRotaryEmbedding(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                         mlir::RankedTensorType cosines, mlir::RankedTensorType sines);

template <class Adaptor>
mlir::LogicalResult inferRotaryEmbedding(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  if (failed(checkRotaryEmbedding(location, tensorType(adaptor.getX()), tensorType(adaptor.getCosines()),
                                  tensorType(adaptor.getSines()))))
    return mlir::failure();
  results.push_back(adaptor.getX().getType());
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

//===-- Embeddings, resampling, recurrence --------------------------------------------------------------===//

mlir::LogicalResult inferEmbeddingOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                     mlir::RankedTensorType weight, int64_t paddingIndex, Results &results);

/// The inputs that determine the size of a resampled image.
struct InterpolateShape {
  Interpolation kind;
  mlir::RankedTensorType x;
  mlir::Value outSize;
  llvm::SmallVector<mlir::Value> sizeTensors;
  mlir::Value scaleTensor;
  llvm::SmallVector<double> scale;
  std::array<int64_t, 3> attributes; ///< out_d, out_h, out_w
  DataFormat dataFormat;
  Interpolation method;
};
mlir::LogicalResult inferInterpolateOf(std::optional<mlir::Location> location, const InterpolateShape &given,
                                       Results &results);

template <class Adaptor> InterpolateShape interpolateShape(Interpolation kind, Adaptor adaptor) {
  return {kind,
          tensorType(adaptor.getX()),
          adaptor.getOutSize(),
          llvm::to_vector(llvm::map_range(adaptor.getSizeTensor(), [](mlir::Value v) { return v; })),
          adaptor.getScaleTensor(),
          llvm::SmallVector<double>(adaptor.getScale()),
          {static_cast<int64_t>(adaptor.getOutD()), static_cast<int64_t>(adaptor.getOutH()),
           static_cast<int64_t>(adaptor.getOutW())},
          adaptor.getDataFormat(),
          adaptor.getInterpMethod()};
}

template <Interpolation kind, class Adaptor>
mlir::LogicalResult inferInterpolate(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  return inferInterpolateOf(location, interpolateShape(kind, adaptor), results);
}

template <class Adaptor>
mlir::LogicalResult inferInterpolateGradient(std::optional<mlir::Location> location, Adaptor adaptor,
                                             Results &results) {
  llvm::SmallVector<mlir::Type> out;
  if (failed(inferInterpolateOf(location, interpolateShape(adaptor.getInterpMethod(), adaptor), out)))
    return mlir::failure();
  return inferGradientOf(location, adaptor.getX().getType(), adaptor.getOutGradient(), out[0], "C2", results);
}

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

//===-- Grids and columns -------------------------------------------------------------------------------===//

mlir::LogicalResult inferGridSampleOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                      mlir::RankedTensorType grid, Results &results);
mlir::LogicalResult inferAffineGridOf(std::optional<mlir::Location> location, mlir::RankedTensorType input,
                                      mlir::Value shapeTensor, llvm::ArrayRef<int64_t> shape,
                                      Results &results);
/// The window of unfold and fold; C2.
mlir::FailureOr<Window> foldWindow(std::optional<mlir::Location> location, llvm::ArrayRef<int64_t> kernel,
                                   llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> paddings,
                                   llvm::ArrayRef<int64_t> dilations);
mlir::LogicalResult inferUnfoldOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                  const Window &window, Results &results);
mlir::LogicalResult inferFoldOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                llvm::ArrayRef<int64_t> output, const Window &window, Results &results);
struct UnpoolShape {
  llvm::ArrayRef<int64_t> kernel, strides, padding, output;
};
mlir::LogicalResult inferUnpoolOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                  mlir::RankedTensorType indices, const UnpoolShape &given, Results &results);
mlir::LogicalResult inferUnpool3dOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                    mlir::RankedTensorType indices, const UnpoolShape &given,
                                    Results &results);
mlir::LogicalResult inferSppOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                               int64_t height, Results &results);
mlir::LogicalResult checkTemporalShift(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                       int64_t steps, double ratio);

template <class Adaptor>
mlir::LogicalResult inferGridSample(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  return inferGridSampleOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getGrid()), results);
}

template <class Adaptor>
mlir::LogicalResult inferAffineGrid(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  return inferAffineGridOf(location, tensorType(adaptor.getInput()), adaptor.getOutputShapeTensor(),
                           adaptor.getOutputShape(), results);
}

template <class Adaptor>
mlir::LogicalResult inferUnfold(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto window = foldWindow(location, adaptor.getKernelSizes(), adaptor.getStrides(), adaptor.getPaddings(),
                           adaptor.getDilations());
  return failed(window) ? mlir::failure()
                        : inferUnfoldOf(location, tensorType(adaptor.getX()), *window, results);
}

template <class Adaptor>
mlir::LogicalResult inferFold(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto window = foldWindow(location, adaptor.getKernelSizes(), adaptor.getStrides(), adaptor.getPaddings(),
                           adaptor.getDilations());
  if (failed(window))
    return mlir::failure();
  return inferFoldOf(location, tensorType(adaptor.getX()), adaptor.getOutputSizes(), *window, results);
}

template <class Adaptor>
mlir::LogicalResult inferUnpool(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferUnpoolOf(
      location, tensorType(adaptor.getX()), tensorType(adaptor.getIndices()),
      {adaptor.getKsize(), adaptor.getStrides(), adaptor.getPadding(), adaptor.getOutputSize()}, results);
}

template <class Adaptor>
mlir::LogicalResult inferUnpool3d(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferUnpool3dOf(
      location, tensorType(adaptor.getX()), tensorType(adaptor.getIndices()),
      {adaptor.getKsize(), adaptor.getStrides(), adaptor.getPadding(), adaptor.getOutputSize()}, results);
}

template <class Adaptor>
mlir::LogicalResult inferSpp(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferSppOf(location, tensorType(adaptor.getX()), static_cast<int64_t>(adaptor.getPyramidHeight()),
                    results);
}

template <class Adaptor>
mlir::LogicalResult inferTemporalShift(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  if (failed(checkTemporalShift(location, tensorType(adaptor.getX()), adaptor.getSegNum(),
                                adaptor.getShiftRatio().convertToDouble())))
    return mlir::failure();
  results.push_back(adaptor.getX().getType());
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
