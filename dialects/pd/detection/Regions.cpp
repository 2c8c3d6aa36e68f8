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

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/detection/Regions.cpp.inc"
#include "dialects/pd/detection/Regions.methods.inc"
#include "dialects/pd/detection/Regions.scalar.inc"
