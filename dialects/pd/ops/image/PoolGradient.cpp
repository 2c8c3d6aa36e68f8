//! Gradients of poolings and of interpolations.
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/image/Image.h"
#include "dialects/pd/ops/image/InterpolateOps.h"
#include "dialects/pd/ops/image/PoolOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"

using namespace mlir;

namespace proa::pd {

LogicalResult inferGradientOf(std::optional<Location> location, Type input, Value outGradient, Type out,
                              llvm::StringRef constraint, Results &results) {
  if (compatibleTypes(out, outGradient.getType())) {
    results.push_back(input);
    return success();
  }
  std::string text;
  llvm::raw_string_ostream(text) << constraint << ": out_gradient must be " << out << ", found "
                                 << outGradient.getType();
  return inferenceError(location, text);
}

namespace {

using Gradients = FailureOr<llvm::SmallVector<Value>>;

llvm::SmallVector<Value> ofOperand(Operation *op, unsigned index, Value gradient) {
  llvm::SmallVector<Value> gradients(op->getNumOperands());
  gradients[index] = gradient;
  return gradients;
}

/// The mean is linear in x, the maximum is not.
llvm::SmallVector<llvm::SmallVector<unsigned>> linearGroupsOfPool(PoolingType poolingType) {
  if (poolingType == PoolingType::Avg)
    return {{0}};
  return {};
}

template <class GradientOp, class PoolOp>
Gradients poolGradient(OpBuilder &builder, PoolOp op, Value cotangent) {
  auto gradient = GradientOp::create(builder, op.getLoc(), op.getX(), cotangent, op.getKernelSizeTensor(),
                                     op.getKernelSizeAttr(), op.getStridesAttr(), op.getPaddingsAttr(),
                                     op.getCeilModeAttr(), op.getExclusiveAttr(), op.getDataFormatAttr(),
                                     op.getPoolingTypeAttr(), op.getGlobalPoolingAttr(), op.getAdaptiveAttr(),
                                     op.getPaddingAlgorithmAttr());
  return ofOperand(op, 0, gradient.getXGradient());
}

/// The dims of batch and channels, and of each plane as one.
llvm::SmallVector<DimSize> planesOf(TensorBuilder &e, Expression image) {
  llvm::SmallVector<DimSize> dimSizes = dimSizesOf(image);
  DimSize plane = 1;
  for (const DimSize &dimSize : llvm::ArrayRef<DimSize>(dimSizes).drop_front(2))
    plane = multiply(e, plane, dimSize);
  return {dimSizes[0], dimSizes[1], plane};
}

/// The elements of `tangent` at the indices of the maxima of x.
template <class IndexOp, class GradientOp>
Gradients pickedAtMaxima(OpBuilder &builder, GradientOp op, Value tangent) {
  TensorBuilder e(builder, op.getOperation());
  Expression x = e.wrap(op.getX()), picked = e.wrap(tangent);
  PoolWindow pool = poolWindow(op, x.rank() - 2);
  llvm::SmallVector<int64_t> kernel = pool.window.kernel, paddings;
  if (!pool.isGlobal && !pool.isAdaptive) {
    auto both = pool.window.resolvedPaddings(spatialDims(x.type().getShape(), pool.dataFormat));
    if (llvm::is_contained(both, ShapedType::kDynamic))
      return failure();
    bool isSymmetric = true;
    for (size_t i = 0; i < both.size(); i += 2)
      isSymmetric &= both[i] == both[i + 1];
    for (size_t i = 0; i < both.size(); i += 2)
      paddings.push_back(isSymmetric ? both[i] : 0);
    if (!isSymmetric) { // max_pool_with_index has one entry for each dimension
      bool last = channelsAreLast(pool.dataFormat);
      llvm::SmallVector<int64_t> whole(last ? 2 : 4, 0);
      llvm::append_range(whole, both);
      whole.resize(2 * x.rank(), 0);
      x = e.wrap(e.create<PadOp>(x, whole, llvm::APFloat(-std::numeric_limits<double>::infinity())));
      picked = e.wrap(e.create<PadOp>(picked, whole, llvm::APFloat(0.0)));
    }
  }
  bool isLast = channelsAreLast(pool.dataFormat);
  llvm::SmallVector<int64_t> channelsFirst{0, x.rank() - 1}, channelsLast{0};
  for (int64_t d = 1; d + 1 < x.rank(); ++d) {
    channelsFirst.push_back(d);
    channelsLast.push_back(d + 1);
  }
  channelsLast.push_back(1);
  if (isLast) {
    x = e.transpose(x, channelsFirst);
    picked = e.transpose(picked, channelsFirst);
  }
  auto index = IndexOp::create(builder, op.getLoc(), x, builder.getDenseI64ArrayAttr(kernel),
                               op.getStridesAttr(), builder.getDenseI64ArrayAttr(paddings),
                               op.getGlobalPoolingAttr(), op.getAdaptiveAttr(), op.getCeilModeAttr());
  Expression mask = e.wrap(index.getMask());
  Expression rows = reshapeTo(picked, planesOf(e, picked)), positions = reshapeTo(mask, planesOf(e, mask));
  // A window in the padding has no maximum.
  Expression out =
      e.wrap(e.create<TakeAlongAxisOp>(rows, e.maximum(positions, 0), builder.getI64IntegerAttr(2)));
  out = e.select(positions < 0, 0, out);
  out = reshapeTo(out, dimSizesOf(mask));
  return ofOperand(op, 1, isLast ? e.transpose(out, channelsLast) : out);
}

/// A mean is linear, so its transposition transposed is itself. The indices of maxima do not change with x.
template <class PoolOp, class IndexOp, class GradientOp>
Gradients poolOfCotangent(OpBuilder &builder, GradientOp op, Value cotangent) {
  if (op.getPoolingType() == PoolingType::Max)
    return pickedAtMaxima<IndexOp>(builder, op, cotangent);
  auto pooled = PoolOp::create(
      builder, op.getLoc(), cotangent, op.getKernelSizeTensor(), op.getKernelSizeAttr(), op.getStridesAttr(),
      op.getPaddingsAttr(), op.getCeilModeAttr(), op.getExclusiveAttr(), op.getDataFormatAttr(),
      op.getPoolingTypeAttr(), op.getGlobalPoolingAttr(), op.getAdaptiveAttr(), op.getPaddingAlgorithmAttr());
  return ofOperand(op, 1, pooled.getOut());
}

/// Each cotangent is added at the index in its plane that the mask has.
template <class Op> Gradients indexedPoolGradient(OpBuilder &builder, Op op, Value cotangent) {
  TensorBuilder e(builder, op.getOperation());
  Expression x = e.wrap(op.getX()), out = e.wrap(cotangent);
  Expression rows = reshapeTo(out, planesOf(e, out)),
             positions = reshapeTo(e.wrap(op.getMask()), planesOf(e, out));
  // A window in the padding has no maximum.
  bool mayBeEmpty = op.getCeilMode();
  for (auto [padding, dimSize] : llvm::zip(op.getPaddings(), op.getKernelSize()))
    mayBeEmpty |= padding >= dimSize;
  if (mayBeEmpty) {
    rows = e.select(positions < 0, 0, rows);
    positions = e.maximum(positions, 0);
  }
  Expression zeros = expandTo(e.constant(0, x.type().getElementType()), planesOf(e, x));
  Expression sums =
      e.wrap(e.create<PutAlongAxisOp>(zeros, positions, rows, builder.getI64IntegerAttr(2),
                                      ScatterReduceAttr::get(builder.getContext(), ScatterReduce::Add)));
  return llvm::SmallVector<Value>{reshapeTo(sums, dimSizesOf(x))};
}

template <class Op> Gradients interpolateGradient(OpBuilder &builder, Op op, Value cotangent) {
  auto gradient = InterpolateGradientOp::create(
      builder, op.getLoc(), op.getX(), cotangent, op.getOutSize(), op.getSizeTensor(), op.getScaleTensor(),
      op.getDataFormatAttr(), op.getOutDAttr(), op.getOutHAttr(), op.getOutWAttr(), op.getScaleAttr(),
      op.getInterpMethodAttr(), op.getAlignCornersAttr(), op.getAlignModeAttr());
  return ofOperand(op, 0, gradient.getXGradient());
}

template <class Op> Value interpolated(OpBuilder &builder, InterpolateGradientOp op, Value x) {
  return Op::create(builder, op.getLoc(), x, op.getOutSize(), op.getSizeTensor(), op.getScaleTensor(),
                    op.getDataFormatAttr(), op.getOutDAttr(), op.getOutHAttr(), op.getOutWAttr(),
                    op.getScaleAttr(), op.getInterpMethodAttr(), op.getAlignCornersAttr(),
                    op.getAlignModeAttr())
      .getOutput();
}

} // namespace

llvm::SmallVector<llvm::SmallVector<unsigned>> Pool2dOp::getLinearGroups() {
  return linearGroupsOfPool(getPoolingType());
}
llvm::SmallVector<llvm::SmallVector<unsigned>> Pool3dOp::getLinearGroups() {
  return linearGroupsOfPool(getPoolingType());
}

Gradients Pool2dOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return poolGradient<Pool2dGradientOp>(builder, *this, cotangents[0]);
}
Gradients Pool3dOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return poolGradient<Pool3dGradientOp>(builder, *this, cotangents[0]);
}
Gradients Pool2dGradientOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return poolOfCotangent<Pool2dOp, MaxPool2dWithIndexOp>(builder, *this, cotangents[0]);
}
Gradients Pool3dGradientOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return poolOfCotangent<Pool3dOp, MaxPool3dWithIndexOp>(builder, *this, cotangents[0]);
}
Gradients MaxPool2dWithIndexOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return indexedPoolGradient(builder, *this, cotangents[0]);
}
Gradients MaxPool3dWithIndexOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return indexedPoolGradient(builder, *this, cotangents[0]);
}

Gradients LinearInterpOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return interpolateGradient(builder, *this, cotangents[0]);
}
Gradients BilinearInterpOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return interpolateGradient(builder, *this, cotangents[0]);
}
Gradients TrilinearInterpOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return interpolateGradient(builder, *this, cotangents[0]);
}
Gradients BicubicInterpOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return interpolateGradient(builder, *this, cotangents[0]);
}
Gradients NearestInterpOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return interpolateGradient(builder, *this, cotangents[0]);
}

Gradients InterpolateGradientOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  auto resampled = [&](auto make) { return ofOperand(*this, 1, make(builder, *this, cotangents[0])); };
  switch (getInterpMethod()) {
  case Interpolation::Linear:
    return resampled(interpolated<LinearInterpOp>);
  case Interpolation::Bilinear:
    return resampled(interpolated<BilinearInterpOp>);
  case Interpolation::Trilinear:
    return resampled(interpolated<TrilinearInterpOp>);
  case Interpolation::Bicubic:
    return resampled(interpolated<BicubicInterpOp>);
  case Interpolation::Nearest:
    return resampled(interpolated<NearestInterpOp>);
  }
  return failure();
}

// The input and the gradient of the output are images.
unsigned Pool2dGradientOp::getNumImageOperands() { return 2; }
unsigned Pool3dGradientOp::getNumImageOperands() { return 2; }
unsigned InterpolateGradientOp::getNumImageOperands() { return 2; }

} // namespace proa::pd
