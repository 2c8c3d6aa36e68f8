#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/DropoutFormula.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/nn/RandomInTraining.h"
#include "dialects/pd/ops/random/DeviceShard.h"
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

Expression keepAtRandom(Expression x, Expression p, int64_t seed, Value seedTensor, RandomShard shard) {
  TensorBuilder &e = x.owner();
  Type f32 = e.getBuilder().getF32Type();
  Expression values = uniform(e, dimSizesOf(x), f32, 0, 1, seed, seedTensor, shard);
  return e.wrap(e.create<GreaterEqualOp>(values, e.cast(p, f32)));
}

Expression keepMasked(Expression x, Expression keep, Expression p, DropoutMode mode) {
  if (mode == DropoutMode::UpscaleInTrain)
    x = x / (1.0 - p);
  return x.owner().select(keep, x, 0.0);
}

/// The probability of zero, in the type of x.
static Expression dropProbability(TensorBuilder &e, DropoutOp op, Expression x) {
  Type element = x.type().getElementType();
  if (Value p = op.getPTensor())
    return e.cast(e.reshape(e.wrap(p), {}), element);
  return e.constant(op.getP().convertToDouble(), element);
}

FailureOr<SmallVector<Value>> DropoutOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  Type maskElement = tensorType(getMask()).getElementType();
  if (!getIsTest()) {
    Expression wide = e.computed(x), p = dropProbability(e, *this, wide);
    Expression keep = keepAtRandom(wide, p, getFixSeed() ? getSeed() : 0, getSeedTensor(),
                                   {getPartBegin(), getWholeShape()});
    return e.results({keepMasked(wide, keep, p, getMode()), e.cast(keep, maskElement)});
  }
  Expression mask = expandTo(e.constant(1, maskElement), dimSizesOf(x));
  if (getMode() == DropoutMode::UpscaleInTrain)
    return e.results({x, mask});
  Expression wide = e.computed(x);
  return e.results({wide * (1.0 - dropProbability(e, *this, wide)), mask});
}

/// With is_test nothing is dropped. Passes that split, fuse or form attention need not know the op then.
LogicalResult DropoutOp::canonicalize(DropoutOp op, PatternRewriter &rewriter) {
  if (!op.getIsTest())
    return rewriter.notifyMatchFailure(op, "it drops elements in training");
  FailureOr<SmallVector<Value>> results = op.decompose(rewriter);
  if (failed(results))
    return rewriter.notifyMatchFailure(op, "its decomposition failed");
  rewriter.replaceOp(op, *results);
  return success();
}

/// The mask is applied to the cotangent: nothing is sampled again.
FailureOr<SmallVector<Value>> DropoutOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  SmallVector<Value> gradients(getNumOperands());
  if (!cotangents[0])
    return gradients;
  TensorBuilder e(builder, getOperation());
  Expression out = e.computed(cotangents[0]), gradient = out;
  if (!getIsTest())
    gradient = keepMasked(out, e.cast(e.wrap(getMask()), builder.getI1Type()), dropProbability(e, *this, out),
                          getMode());
  else if (getMode() != DropoutMode::UpscaleInTrain)
    gradient = out * (1.0 - dropProbability(e, *this, out));
  gradients[0] = e.gradient(gradient, getX());
  return gradients;
}

//===-- Sharding
//-------------------------------------------------------------------------------------------===//

/// A clone for the shard of the device, with the mask of the whole.
static FailureOr<SmallVector<Value>> dropShard(LocalFormBuilder &form) {
  TensorBuilder e(form.getBuilder(), form.op());
  DeviceShard shard = shardOfResult(form, e);
  auto clone = cast<DropoutOp>(form.getBuilder().clone(*form.op()));
  for (unsigned i = 0; i < clone->getNumOperands(); ++i)
    clone->setOperand(i, form.operand(i));
  clone.getPartBeginMutable().assign(shard.begin);
  clone.setWholeShape(tensorType(cast<DropoutOp>(form.op()).getX()).getShape());
  if (failed(inferAgain(clone)))
    return failure();
  return SmallVector<Value>(clone->getResults());
}

bool DropoutOp::describeSharding(ShardingRuleBuilder &rule) {
  RankedTensorType type = rule.operandType(0);
  if (getIsTest()) { // elementwise
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      unsigned factor = rule.addFactor(type.getDimSize(dim));
      rule.setOperand(0, dim, factor);
      for (unsigned result : {0u, 1u})
        rule.setResult(result, dim, factor);
    }
    return true;
  }
  if (!type.hasStaticShape() || !getWholeShape().empty())
    return false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (auto factor = rule.splitResultByLocalForm(0, dim, dropShard)) {
      rule.setResult(1, dim, *factor);
      rule.setOperand(0, dim, *factor);
    }
  return true;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Dropout.cpp.inc"
#include "dialects/pd/ops/nn/Dropout.methods.inc"
#include "dialects/pd/ops/nn/Dropout.scalar.inc"
