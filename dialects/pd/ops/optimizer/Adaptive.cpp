#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/optimizer/AdaptiveOps.h"
#include "dialects/pd/ops/optimizer/Optimizer.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

struct AdamStep {
  Expression param, moment1, moment2, moment2Max, beta1Pow, beta2Pow;
};

/// The rule of adam, from a parameter that may have decayed.
template <class Op> AdamStep stepByAdam(UpdateBuilder &update, Op op, Expression param) {
  TensorBuilder &e = update.builder();
  Expression beta1 = update.number(op.getBeta1Tensor(), op.getBeta1().convertToDouble());
  Expression beta2 = update.number(op.getBeta2Tensor(), op.getBeta2().convertToDouble());
  Expression epsilon = update.number(op.getEpsilonTensor(), op.getEpsilon().convertToDouble());
  Expression power1 = update.number(op.getBeta1Pow()), power2 = update.number(op.getBeta2Pow());
  Expression gradient = update.tensor(op.getGrad());
  Expression rate = update.number(op.getLearningRate());
  Expression correction = e.sqrt(1.0 - power2);
  Expression moment1 = beta1 * update.tensor(op.getMoment1()) + (1.0 - beta1) * gradient;
  Expression moment2 = beta2 * update.tensor(op.getMoment2()) + (1.0 - beta2) * gradient * gradient;
  Expression greatest = op.getMoment2Max() ? e.maximum(moment2, update.tensor(op.getMoment2Max())) : moment2;
  Expression divisor = e.sqrt(op.getAmsgrad() ? greatest : moment2) + epsilon * correction;
  Expression newParam = param - rate * (correction / (1.0 - power1)) * (moment1 / divisor);
  bool advance = !op.getUseGlobalBetaPow();
  auto power = [&](Value old, Expression beta) {
    Expression value = update.tensor(old);
    return advance ? beta * value : value;
  };
  return {
      newParam, moment1, moment2, greatest, power(op.getBeta1Pow(), beta1), power(op.getBeta2Pow(), beta2)};
}

template <class Op> SmallVector<Value> finishAdam(UpdateBuilder &update, Op op, const AdamStep &step) {
  Value oldMax = op.getMoment2Max() ? op.getMoment2Max() : op.getMoment2();
  return update.finishUnless(
      op.getSkipUpdate(),
      {step.param, step.moment1, step.moment2, step.moment2Max, step.beta1Pow, step.beta2Pow},
      {op.getParam(), op.getMoment1(), op.getMoment2(), oldMax, op.getBeta1Pow(), op.getBeta2Pow()});
}

/// One of two numbers.
Expression elementOf(UpdateBuilder &update, Value pair, int64_t position) {
  TensorBuilder &e = update.builder();
  Value vector = e.reshape(e.wrap(pair), {2});
  const int64_t axis[] = {0}, start[] = {position}, end[] = {position + 1}, stride[] = {1};
  return update.number(e.create<SliceOp>(vector, Value(), Value(), Value(), llvm::ArrayRef(axis),
                                         llvm::ArrayRef(start), llvm::ArrayRef(end), llvm::ArrayRef(stride)));
}

} // namespace

FailureOr<SmallVector<Value>> AdamOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  return finishAdam(update, *this, stepByAdam(update, *this, update.param()));
}

FailureOr<SmallVector<Value>> AdamwOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  Expression param = update.param();
  if (!getWithDecay())
    return finishAdam(update, *this, stepByAdam(update, *this, param));
  Expression rate = update.number(getLearningRate()) * getLrRatio().convertToDouble();
  Expression decayed = param - rate * getCoeff().convertToDouble() * param;
  return finishAdam(update, *this, stepByAdam(update, *this, decayed));
}

FailureOr<SmallVector<Value>> AdamaxOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  TensorBuilder &e = update.builder();
  double beta1 = getBeta1().convertToDouble(), beta2 = getBeta2().convertToDouble();
  Expression gradient = update.tensor(getGrad());
  Expression moment = update.tensor(getMoment()) * beta1 + gradient * (1.0 - beta1);
  Expression norm =
      e.maximum(e.abs(gradient), update.tensor(getInfNorm()) * beta2 + getEpsilon().convertToDouble());
  Expression rate = update.number(getLearningRate()) / (1.0 - update.number(getBeta1Pow()));
  return update.finish({update.param() - rate * (moment / norm), moment, norm});
}

FailureOr<SmallVector<Value>> AdagradOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  TensorBuilder &e = update.builder();
  Expression gradient = update.tensor(getGrad());
  Expression moment = update.tensor(getMoment()) + gradient * gradient;
  Expression step =
      update.number(getLearningRate()) * gradient / (e.sqrt(moment) + getEpsilon().convertToDouble());
  return update.finish({update.param() - step, moment});
}

FailureOr<SmallVector<Value>> DecayedAdagradOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), Value(), false);
  TensorBuilder &e = update.builder();
  double decay = getDecay().convertToDouble();
  Expression gradient = update.tensor(getGrad());
  Expression moment = update.tensor(getMoment()) * decay + gradient * gradient * (1.0 - decay);
  Expression step =
      update.number(getLearningRate()) * gradient / (e.sqrt(moment) + getEpsilon().convertToDouble());
  return update.finish({update.param() - step, moment});
}

FailureOr<SmallVector<Value>> AdadeltaOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  TensorBuilder &e = update.builder();
  double rho = getRho().convertToDouble(), epsilon = getEpsilon().convertToDouble();
  Expression gradient = update.tensor(getGrad()), oldUpdate = update.tensor(getAvgSquaredUpdate());
  Expression squaredGrad = update.tensor(getAvgSquaredGrad()) * rho + gradient * gradient * (1.0 - rho);
  Expression step = -(e.sqrt((oldUpdate + epsilon) / (squaredGrad + epsilon)) * gradient);
  Expression squaredUpdate = oldUpdate * rho + step * step * (1.0 - rho);
  return update.finish(
      {update.param() + update.number(getLearningRate(), 1) * step, squaredGrad, squaredUpdate});
}

FailureOr<SmallVector<Value>> RmspropOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  TensorBuilder &e = update.builder();
  double decay = getDecay().convertToDouble();
  Expression gradient = update.tensor(getGrad());
  Expression meanSquare = update.tensor(getMeanSquare()) * decay + gradient * gradient * (1.0 - decay);
  Expression meanGrad = getMeanGrad() ? update.tensor(getMeanGrad()) : update.tensor(getMeanSquare()) * 0.0;
  Expression variance = meanSquare;
  if (getCentered()) {
    meanGrad = meanGrad * decay + gradient * (1.0 - decay);
    variance = meanSquare - meanGrad * meanGrad;
  }
  Expression moment =
      update.tensor(getMoment()) * getMomentum().convertToDouble() +
      update.number(getLearningRate()) * gradient / e.sqrt(variance + getEpsilon().convertToDouble());
  return update.finish({update.param() - moment, moment, meanSquare, meanGrad});
}

FailureOr<SmallVector<Value>> LambOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  TensorBuilder &e = update.builder();
  double beta1 = getBeta1().convertToDouble(), beta2 = getBeta2().convertToDouble();
  double decay = getWeightDecay().convertToDouble();
  Expression param = update.param(), gradient = update.tensor(getGrad());
  Expression power1 = update.number(getBeta1Pow()), power2 = update.number(getBeta2Pow());
  Expression moment1 = update.tensor(getMoment1()) * beta1 + gradient * (1.0 - beta1);
  Expression moment2 = update.tensor(getMoment2()) * beta2 + gradient * gradient * (1.0 - beta2);
  Expression direction =
      moment1 / (1.0 - power1) / (e.sqrt(moment2 / (1.0 - power2)) + getEpsilon().convertToDouble()) +
      decay * param;
  Expression rate = update.number(getLearningRate());
  if (decay > 0 || getAlwaysAdapt()) {
    Expression paramNorm = update.norm(param), stepNorm = update.norm(direction);
    Expression ratio =
        e.select(paramNorm > 0.0, e.select(stepNorm > 0.0, paramNorm / stepNorm, update.constant(1)),
                 update.constant(1));
    rate = rate * ratio;
  }
  return update.finishUnless(getSkipUpdate(),
                             {param - rate * direction, moment1, moment2,
                              update.tensor(getBeta1Pow()) * beta1, update.tensor(getBeta2Pow()) * beta2},
                             {getParam(), getMoment1(), getMoment2(), getBeta1Pow(), getBeta2Pow()});
}

FailureOr<SmallVector<Value>> FtrlOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), Value(), false);
  TensorBuilder &e = update.builder();
  // Paddle increases both, so that the update is defined without regularization.
  double l1 = getL1().convertToDouble() + 1e-10, l2 = getL2().convertToDouble() + 1e-10;
  double exponent = -getLrPower().convertToDouble();
  auto power = [&](Expression x) {
    return exponent == 0.5 ? e.sqrt(x) : e.pow(x, update.constant(exponent));
  };
  Expression gradient = update.tensor(getGrad()), rate = update.number(getLearningRate());
  Expression oldSquared = update.tensor(getSquaredAccumulator());
  Expression squared = oldSquared + gradient * gradient;
  Expression linear = update.tensor(getLinearAccumulator()) + gradient -
                      (power(squared) - power(oldSquared)) / rate * update.param();
  Expression numerator = e.wrap(e.create<SignOp>(linear)) * l1 - linear;
  Expression divisor = power(squared) / rate + 2.0 * l2;
  Expression param = e.select(e.abs(linear) > l1, numerator / divisor, update.constant(0));
  return update.finish({param, squared, linear});
}

FailureOr<SmallVector<Value>> NadamOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  TensorBuilder &e = update.builder();
  // The decay of the momentum decay, a constant of the rule.
  constexpr double decay = 0.96;
  double beta1 = getBeta1().convertToDouble(), beta2 = getBeta2().convertToDouble();
  Expression exponent = update.constant(getMomentumDecay().convertToDouble());
  Expression gradient = update.tensor(getGrad());
  Expression power = update.tensor(getMomentumDecayPow()) * decay,
             power2 = update.tensor(getBeta2Pow()) * beta2;
  Expression mu = beta1 * (1.0 - 0.5 * e.pow(power, exponent));
  Expression nextMu = beta1 * (1.0 - 0.5 * e.pow(power * decay, exponent));
  Expression product = update.tensor(getMuProduct()) * mu;
  Expression moment1 = beta1 * update.tensor(getMoment1()) + (1.0 - beta1) * gradient;
  Expression moment2 = beta2 * update.tensor(getMoment2()) + (1.0 - beta2) * gradient * gradient;
  Expression mean = nextMu / (1.0 - product * nextMu) * moment1 + (1.0 - mu) / (1.0 - product) * gradient;
  Expression divisor = e.sqrt(moment2 / (1.0 - power2)) + getEpsilon().convertToDouble();
  return update.finish({update.param() - update.number(getLearningRate()) * mean / divisor, power, power2,
                        product, moment1, moment2});
}

FailureOr<SmallVector<Value>> RadamOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  TensorBuilder &e = update.builder();
  double beta1 = getBeta1().convertToDouble(), beta2 = getBeta2().convertToDouble();
  double limit = 2 / (1 - beta2) - 1;
  Expression gradient = update.tensor(getGrad());
  Expression power1 = update.tensor(getBeta1Pow()) * beta1, power2 = update.tensor(getBeta2Pow()) * beta2;
  Expression rho = (update.tensor(getRho()) * (beta2 - power2) + power2) / (1.0 - power2);
  Expression moment1 = beta1 * update.tensor(getMoment1()) + (1.0 - beta1) * gradient;
  Expression moment2 = beta2 * update.tensor(getMoment2()) + (1.0 - beta2) * gradient * gradient;
  // Below this length the variance of the adaptive rate is not finite.
  constexpr double shortest = 5;
  Expression length = limit - 2.0 * rho, known = e.maximum(length, shortest);
  Expression rectified =
      e.sqrt((known - 4.0) * (known - 2.0) * limit / ((limit - 4) * (limit - 2) * known) * (1.0 - power2));
  Expression adapted = rectified / (e.sqrt(moment2) + getEpsilon().convertToDouble());
  Expression scale = e.select(length > shortest, adapted, 1.0);
  Expression step = update.number(getLearningRate()) / (1.0 - power1) * moment1 * scale;
  return update.finish({update.param() - step, power1, power2, rho, moment1, moment2});
}

FailureOr<SmallVector<Value>> RpropOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  TensorBuilder &e = update.builder();
  Expression gradient = update.tensor(getGrad());
  Expression agreement = gradient * update.tensor(getPrev());
  Expression factor = e.select(agreement > 0.0, elementOf(update, getEtas(), 1), 1.0);
  factor = e.select(agreement < 0.0, elementOf(update, getEtas(), 0), factor);
  gradient = e.select(agreement < 0.0, 0.0, gradient);
  Expression rate = update.tensor(getLearningRate()) * factor;
  rate = e.minimum(rate, elementOf(update, getLearningRateRange(), 1));
  rate = e.maximum(rate, elementOf(update, getLearningRateRange(), 0));
  Expression sign = e.wrap(e.create<SignOp>(gradient));
  return update.finish({update.param() - sign * rate, gradient, rate});
}

FailureOr<SmallVector<Value>> AsgdOp::decompose(OpBuilder &builder) {
  UpdateBuilder update(builder, getOperation(), getParam(), getMasterParam(), getMultiPrecision());
  Expression gradient = update.tensor(getGrad());
  Expression sum = update.tensor(getD()) - update.tensor(getY()) + gradient;
  Expression rate = update.number(getLearningRate()) / update.number(getN());
  return update.finish({update.param() - rate * sum, sum, gradient});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/optimizer/Adaptive.cpp.inc"
#include "dialects/pd/ops/optimizer/Adaptive.methods.inc"
#include "dialects/pd/ops/optimizer/Adaptive.scalar.inc"
