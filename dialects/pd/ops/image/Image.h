/// Ops on images: poolings, resampling, grids, shifts in time.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Layout.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/conv/Window.h"

namespace proa::pd {

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

mlir::LogicalResult inferGridSampleOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                      mlir::RankedTensorType grid, Results &results);
mlir::LogicalResult inferAffineGridOf(std::optional<mlir::Location> location, mlir::RankedTensorType input,
                                      mlir::Value shapeTensor, llvm::ArrayRef<int64_t> shape,
                                      Results &results);
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

} // namespace proa::pd
