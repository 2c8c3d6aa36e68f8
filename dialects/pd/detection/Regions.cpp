#include "dialects/pd/detection/Regions.h"
#include "dialects/pd/autodiff/Autodiff.h"

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

namespace {

/// The gradient of x, and none of the boxes.
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

LogicalResult inferMovedCells(std::optional<Location> location, ValueRange operands,
                              llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> groups,
                              llvm::ArrayRef<int64_t> parts, Results &results) {
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
    return llvm::all_of(list, [](int64_t number) { return number > 0; });
  };
  if (!arePositive(extents) || !arePositive(groups) || !arePositive(parts) || groups.size() != 2 ||
      parts.size() != 2)
    return inferenceError(location,
                          "C2: output_dim, sample_per_part, the pooled extents and the pairs group_size "
                          "and part_size must be positive");
  results.append(2, x.clone({boxes.getDimSize(0), extents[0], extents[1], extents[2]}));
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
#include "dialects/pd/detection/Regions.cpp.inc"
#include "dialects/pd/detection/Regions.methods.inc"
#include "dialects/pd/detection/Regions.scalar.inc"
