#include "dialects/pd/ops/detection/RoiPool.h"
#include "dialects/pd/ops/detection/RoiFormula.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

LogicalResult checkCellChannels(std::optional<Location> location, RankedTensorType x, int64_t channels,
                                RankedTensorType cells) {
  int64_t expectedChannels = channels * cells.getDimSize(2) * cells.getDimSize(3);
  if (channels > 0 && (x.isDynamicDim(1) || x.getDimSize(1) == expectedChannels))
    return success();
  return inferenceError(
      location, "C4: output_channels must be positive and x have a channel for each cell of each, found " +
                    llvm::Twine(channels) + " and " + llvm::Twine(x.getDimSize(1)) + " channels of x");
}

LogicalResult checkRoiGrad(std::optional<Location> location, Type out, ValueRange given) {
  auto type = cast<RankedTensorType>(out);
  bool fits = tensorType(given.front()).getElementType() == type.getElementType();
  for (Value value : given)
    fits &= succeeded(verifyCompatibleShape(tensorType(value).getShape(), type.getShape()));
  if (fits)
    return success();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "C5: out_grad must have the type " << type
         << " of the pooling's result, and arg_max its dimensions, found ";
  llvm::interleaveComma(given.getTypes(), stream);
  return inferenceError(location, text);
}

using Values = FailureOr<SmallVector<Value>>;

namespace {

/// The gradient of x; boxes have none.
Values gradientOfX(Operation *op, Value gradient) {
  SmallVector<Value> gradients(op->getNumOperands());
  gradients[0] = gradient;
  return gradients;
}

} // namespace

Values RoiAlignOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return gradientOfX(getOperation(),
                     RoiAlignGradOp::create(builder, getLoc(), getX(), getBoxes(), cotangents[0],
                                            getBoxesNum(), getPooledHeightAttr(), getPooledWidthAttr(),
                                            getSpatialScaleAttr(), getSamplingRatioAttr(), getAlignedAttr()));
}

Values PsroiPoolOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return gradientOfX(getOperation(),
                     PsroiPoolGradOp::create(builder, getLoc(), getX(), getBoxes(), cotangents[0],
                                             getBoxesNum(), getPooledHeightAttr(), getPooledWidthAttr(),
                                             getSpatialScaleAttr(), getOutputChannelsAttr()));
}

Values RoiPoolOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return gradientOfX(getOperation(),
                     RoiPoolGradOp::create(builder, getLoc(), getX(), getBoxes(), cotangents[0], getArgMax(),
                                           getBoxesNum(), getPooledHeightAttr(), getPooledWidthAttr(),
                                           getSpatialScaleAttr()));
}

namespace {

/// The gradients are linear in the gradients of the results: their transposition is the pooling.
template <class Op> Values gradientOfOutGrad(Op op, Value pooled) {
  SmallVector<Value> gradients(op->getNumOperands());
  gradients[2] = pooled;
  return gradients;
}

} // namespace

Expression imageIndices(TensorBuilder &e, OpBuilder &builder, Value boxes, Value boxesNum) {
  Type integer = builder.getI64Type();
  Expression regions = iota(e, DimSize(e.wrap(boxes), 0), integer);
  if (!boxesNum)
    return regions * 0;
  Expression ends = e.wrap(e.create<CumsumOp>(e.cast(e.wrap(boxesNum), integer), Value(), int64_t(0)));
  return e.sum(e.cast(insertDim(ends, 0) <= insertDim(regions, 1), integer), {1}, false);
}

Values RoiAlignGradOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return gradientOfOutGrad(*this, RoiAlignOp::create(builder, getLoc(), cotangents[0], getBoxes(),
                                                     getBoxesNum(), getPooledHeightAttr(),
                                                     getPooledWidthAttr(), getSpatialScaleAttr(),
                                                     getSamplingRatioAttr(), getAlignedAttr()));
}

Values PsroiPoolGradOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return gradientOfOutGrad(*this,
                           PsroiPoolOp::create(builder, getLoc(), cotangents[0], getBoxes(), getBoxesNum(),
                                               getPooledHeightAttr(), getPooledWidthAttr(),
                                               getSpatialScaleAttr(), getOutputChannelsAttr()));
}

/// The elements of the images at the indices of the maxima; zeros for empty windows.
Values RoiPoolGradOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression image = e.wrap(cotangents[0]), positions = e.wrap(getArgMax());
  SmallVector<DimSize> whole = dimSizesOf(image), pooled = dimSizesOf(positions);
  Expression planes = reshapeTo(image, {whole[0], whole[1], multiply(e, whole[2], whole[3])});
  planes = e.wrap(
      e.create<GatherOp>(planes, imageIndices(e, builder, getBoxes(), getBoxesNum()), Value(), int64_t(0)));
  Expression flat = reshapeTo(positions, {pooled[0], pooled[1], multiply(e, pooled[2], pooled[3])});
  Expression taken = e.wrap(e.create<TakeAlongAxisOp>(planes, e.maximum(flat, 0), int64_t(2)));
  return gradientOfOutGrad(*this, reshapeTo(e.select(flat < 0, 0, taken), pooled));
}

LogicalResult inferMovedCells(std::optional<Location> location, ValueRange operands,
                              llvm::ArrayRef<int64_t> dimSizes, llvm::ArrayRef<int64_t> groups,
                              llvm::ArrayRef<int64_t> bins, Results &results) {
  auto x = tensorType(operands[0]), boxes = tensorType(operands[1]), trans = tensorType(operands[2]);
  bool fits = x.getRank() == 4 && boxes.getRank() == 2 && trans.getRank() == 4 &&
              (boxes.isDynamicDim(1) || boxes.getDimSize(1) == 4);
  if (!fits) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: x and trans must have rank 4 and boxes be [R, 4], found " << x
                                   << ", " << trans << " and " << boxes;
    return inferenceError(location, text);
  }
  auto arePositive = [](llvm::ArrayRef<int64_t> list) {
    return llvm::all_of(list, [](int64_t size) { return size > 0; });
  };
  if (!arePositive(dimSizes) || !arePositive(groups) || !arePositive(bins) || groups.size() != 2 ||
      bins.size() != 2)
    return inferenceError(location,
                          "C2: output_dim, sample_per_part, the pooled dims and the pairs group_size "
                          "and part_size must be positive");
  results.append(2, x.clone({boxes.getDimSize(0), dimSizes[0], dimSizes[1], dimSizes[2]}));
  return success();
}

Values DeformablePsroiPoolingOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  auto gradient = DeformablePsroiPoolingGradOp::create(
      builder, getLoc(), getX(), getBoxes(), getTrans(), cotangents[0], getBoxesNum(), getNoTransAttr(),
      getSpatialScaleAttr(), getOutputDimAttr(), getGroupSizeAttr(), getPooledHeightAttr(),
      getPooledWidthAttr(), getPartSizeAttr(), getSamplePerPartAttr(), getTransStdAttr());
  SmallVector<Value> gradients(getOperation()->getNumOperands());
  gradients[0] = gradient.getXGrad();
  gradients[2] = gradient.getTransGrad();
  return gradients;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/detection/RoiPool.cpp.inc"
#include "dialects/pd/ops/detection/RoiPool.methods.inc"
#include "dialects/pd/ops/detection/RoiPool.scalar.inc"
