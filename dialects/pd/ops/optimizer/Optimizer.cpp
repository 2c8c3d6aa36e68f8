#include "dialects/pd/ops/optimizer/Optimizer.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/optimizer/AdaptiveOps.h"
#include "dialects/pd/ops/optimizer/OptimizerOps.h"
#include "dialects/pd/ops/optimizer/ScalingOps.h"
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/ops/reduce/Reduce.h"

using namespace mlir;

namespace proa::pd {

LogicalResult inferUpdate(std::optional<Location> location, Value param, Value grad, Value learningRate,
                          llvm::ArrayRef<Value> updated, Results &results) {
  auto type = tensorType(param);
  auto hasOne = [](RankedTensorType other) { return !other.hasStaticShape() || other.getNumElements() == 1; };
  auto fits = [&](RankedTensorType other) {
    return succeeded(verifyCompatibleShape(type.getShape(), other.getShape()));
  };
  if (!fits(tensorType(grad)))
    return inferenceError(location, "C1: grad must have the dimensions of param, found " +
                                        llvm::Twine(debugString(grad.getType())) + " and " +
                                        debugString(type));
  if (learningRate && !hasOne(tensorType(learningRate)))
    return inferenceError(location, "C2: learning_rate must have one element, found " +
                                        llvm::Twine(debugString(learningRate.getType())));
  for (Value value : updated) {
    if (!value)
      continue;
    auto state = tensorType(value);
    if (!fits(state) && !(state.getRank() <= 1 && hasOne(state)))
      return inferenceError(location, "C1: a state must have the dimensions of param, found " +
                                          llvm::Twine(debugString(state)) + " and " + debugString(type));
    results.push_back(state);
  }
  return success();
}

//===-- UpdateBuilder -----------------------------------------------------------------------------------===//

UpdateBuilder::UpdateBuilder(OpBuilder &builder, Operation *op, Value param, Value master,
                             bool multiPrecision)
    : e(builder, op), master(master), startsFromMaster(master && multiPrecision),
      element(tensorType(e.computed(startsFromMaster ? master : param)).getElementType()),
      start(e.computed(startsFromMaster ? master : param)) {}

Expression UpdateBuilder::number(Value value, double otherwise) {
  return value ? e.cast(e.reshape(e.wrap(value), {}), element) : constant(otherwise);
}

Expression UpdateBuilder::norm(Expression x) {
  return e.sqrt(e.sum(x * x, reducedAxes({}, x.rank()), false));
}

llvm::SmallVector<Value> UpdateBuilder::finish(llvm::ArrayRef<Expression> values) {
  llvm::SmallVector<Expression> all(values);
  // Without multi_precision a given master parameter does not change.
  if (master)
    all.push_back(startsFromMaster ? values.front() : e.wrap(master));
  return e.results(all);
}

llvm::SmallVector<Value> UpdateBuilder::finishUnless(Value skip, llvm::ArrayRef<Expression> values,
                                                     llvm::ArrayRef<Value> old) {
  llvm::SmallVector<Value> results = finish(values);
  if (!skip)
    return results;
  Expression condition = e.reshape(e.wrap(skip), {});
  llvm::SmallVector<Value> kept(old);
  if (master)
    kept.push_back(master);
  for (auto [value, before] : llvm::zip(results, kept))
    value = e.select(condition, e.wrap(before), e.wrap(value));
  return results;
}

Expression proximalStep(UpdateBuilder &update, Expression p, Expression rate, double l1, double l2) {
  TensorBuilder &e = update.builder();
  if (l1 > 0)
    p = e.wrap(e.create<SignOp>(p)) * e.maximum(e.abs(p) - rate * l1, 0.0);
  return p / (1.0 + rate * l2);
}

//===-- Rules with at most a velocity -------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> SgdOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  return update.finish({update.param() - update.number(getLearningRate()) * update.tensor(getGrad())});
}

namespace {

struct VelocityStep {
  Expression param, velocity;
};

/// The rule of momentum, from any gradient.
template <class Op> VelocityStep stepByMomentum(UpdateBuilder &update, Op op, Expression gradient) {
  double mu = op.getMu().convertToDouble(), coefficient = op.getRegularizationCoeff().convertToDouble();
  Expression param = update.param(), rate = update.number(op.getLearningRate());
  if (op.getRegularizationMethod() == Regularization::L2Decay)
    gradient = gradient + coefficient * param;
  Expression velocity = update.tensor(op.getVelocity()) * mu + gradient;
  Expression direction = op.getUseNesterov() ? gradient + velocity * mu : velocity;
  return {param - direction * rate, velocity};
}

} // namespace

FailureOr<SmallVector<Value>> MomentumOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  VelocityStep step = stepByMomentum(update, *this, update.tensor(getGrad()));
  return update.finish({step.param, step.velocity});
}

FailureOr<SmallVector<Value>> SparseMomentumOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), {}, false);
  TensorBuilder &e = update.builder();
  auto turned = [&](Expression x) { return getAxis() == 0 ? x : e.transpose(x, {1, 0}); };
  Expression index = e.reshape(e.wrap(getIndex()), {-1, 1});
  Expression zeros = turned(update.param() * 0.0), rows = turned(update.tensor(getGrad()));
  Value placed = e.create<ScatterNdOp>(zeros, index, rows, ScatterReduce::Assign);
  Expression gradient = turned(e.wrap(placed)) * getRescaleGrad().convertToDouble();
  VelocityStep step = stepByMomentum(update, *this, gradient);
  return update.finish({step.param, step.velocity});
}

FailureOr<SmallVector<Value>> DgcMomentumOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  TensorBuilder &e = update.builder();
  Expression gradient = update.tensor(getGrad()) / update.number(getNranks());
  VelocityStep momentum = stepByMomentum(update, *this, gradient);
  Expression plain = update.param() - update.number(getLearningRate()) * gradient;
  Expression velocity = update.tensor(getVelocity());
  double begin = getRampupBeginStep().convertToDouble();
  Expression old = update.param(), newParam = old, newVelocity = velocity,
             newGradient = update.tensor(getGrad());
  if (begin >= 0) {
    Expression early = update.number(getCurrentStep()) < begin;
    newParam = e.select(early, momentum.param, plain);
    newVelocity = e.select(early, momentum.velocity, velocity);
    newGradient = gradient;
  }
  llvm::SmallVector<Value> results = update.finish({newParam, newVelocity});
  results.push_back(e.cast(newGradient, tensorType(getGradOut()).getElementType()));
  return results;
}

FailureOr<SmallVector<Value>> LarsMomentumOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  TensorBuilder &e = update.builder();
  double decay = getLarsWeightDecay().convertToDouble();
  Expression param = update.param(), rate = update.number(getLearningRate());
  Expression gradient = update.tensor(getGrad()) * getRescaleGrad().convertToDouble();
  if (decay > 0) {
    Expression paramNorm = update.norm(param), gradientNorm = update.norm(gradient);
    Expression local = rate * getLarsCoeff().convertToDouble() * paramNorm /
                       (gradientNorm + decay * paramNorm + getEpsilon().convertToDouble());
    rate = e.select(paramNorm > 0.0, e.select(gradientNorm > 0.0, local, rate), rate);
  }
  Expression velocity =
      update.tensor(getVelocity()) * getMu().convertToDouble() + rate * (gradient + decay * param);
  return update.finish({param - velocity, velocity});
}

FailureOr<SmallVector<Value>> ProximalGdOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), Value(), false);
  Expression rate = update.number(getLearningRate());
  Expression p = update.param() - rate * update.tensor(getGrad());
  return update.finish({proximalStep(update, p, rate, getL1().convertToDouble(), getL2().convertToDouble())});
}

FailureOr<SmallVector<Value>> ProximalAdagradOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), Value(), false);
  TensorBuilder &e = update.builder();
  Expression rate = update.number(getLearningRate()), gradient = update.tensor(getGrad());
  Expression moment = update.tensor(getMoment()) + gradient * gradient;
  Expression p = update.param() - rate * gradient / e.sqrt(moment);
  return update.finish(
      {proximalStep(update, p, rate, getL1().convertToDouble(), getL2().convertToDouble()), moment});
}

FailureOr<SmallVector<Value>> DpsgdOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), Value(), false);
  TensorBuilder &e = update.builder();
  Expression gradient = update.tensor(getGrad());
  Expression shrink = e.maximum(update.norm(gradient) / getClip().convertToDouble(), 1.0);
  Expression noise =
      gaussian(e, {}, gradient.type().getElementType(), getSigma().convertToDouble(), getSeed());
  return update.finish({update.param() - update.number(getLearningRate()) *
                                             (gradient / shrink + noise / getBatchSize().convertToDouble())});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/optimizer/Optimizer.cpp.inc"
#include "dialects/pd/ops/optimizer/Optimizer.methods.inc"
#include "dialects/pd/ops/optimizer/Optimizer.scalar.inc"
