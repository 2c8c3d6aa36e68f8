#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/DropoutOps.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/nn/RandomInTraining.h"
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {

LogicalResult checkDropout(std::optional<Location> location, double p) {
  if (!(p >= 0 && p <= 1))
    return inferenceError(location, "C1: p must be in [0, 1], found " + std::to_string(p));
  return success();
}

void DropoutOp::getEffects(Effects &effects) { addEffectsInTraining(*this, effects); }

/// The probability of zero, in the type of x.
static Expression dropProbability(TensorBuilder &e, DropoutOp op, Expression x) {
  Type element = x.type().getElementType();
  if (Value p = op.getPTensor())
    return e.cast(e.reshape(e.wrap(p), {}), element);
  return e.constant(op.getP().convertToDouble(), element);
}

/// x if `mask` is not 0, in mode upscale_in_train divided by 1 - p; else 0, also if x is not finite.
static Expression keepMasked(TensorBuilder &e, DropoutOp op, Expression x, Expression keep) {
  if (op.getMode() == DropoutMode::UpscaleInTrain)
    x = x / (1.0 - dropProbability(e, op, x));
  return e.select(keep, x, 0.0);
}

FailureOr<SmallVector<Value>> DropoutOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  Type maskElement = tensorType(getMask()).getElementType();
  if (!getIsTest()) {
    Expression wide = e.computed(x), numbers = uniform(e, dimSizesOf(x), builder.getF32Type(), 0, 1,
                                                       getFixSeed() ? getSeed() : 0, getSeedTensor());
    Expression p = e.cast(dropProbability(e, *this, wide), builder.getF32Type());
    Expression keep = e.wrap(e.create<GreaterEqualOp>(numbers, p));
    return e.results({keepMasked(e, *this, wide, keep), e.cast(keep, maskElement)});
  }
  Expression mask = expandTo(e.constant(1, maskElement), dimSizesOf(x));
  if (getMode() == DropoutMode::UpscaleInTrain)
    return e.results({x, mask});
  Expression wide = e.computed(x);
  return e.results({wide * (1.0 - dropProbability(e, *this, wide)), mask});
}

/// The mask is applied to the cotangent: nothing is sampled again.
FailureOr<SmallVector<Value>> DropoutOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  SmallVector<Value> gradients(getNumOperands());
  if (!cotangents[0])
    return gradients;
  TensorBuilder e(builder, getOperation());
  Expression out = e.computed(cotangents[0]), gradient = out;
  if (!getIsTest())
    gradient = keepMasked(e, *this, out, e.cast(e.wrap(getMask()), builder.getI1Type()));
  else if (getMode() != DropoutMode::UpscaleInTrain)
    gradient = out * (1.0 - dropProbability(e, *this, out));
  gradients[0] = e.gradient(gradient, getX());
  return gradients;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Dropout.cpp.inc"
#include "dialects/pd/ops/nn/Dropout.methods.inc"
#include "dialects/pd/ops/nn/Dropout.scalar.inc"
