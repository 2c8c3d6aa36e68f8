#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

/// A parameter given by an attribute or a one-element tensor, as a rank-0 value of the element type of `x`.
Expression parameter(TensorBuilder &e, Expression x, Value tensor, double attribute) {
  Type element = x.type().getElementType();
  if (!tensor)
    return e.constant(attribute, element);
  return e.cast(e.reshape(e.wrap(tensor), {}), element);
}

} // namespace

FailureOr<SmallVector<Value>> ScaleOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  double scaleValue = getScale().convertToDouble(), biasValue = getBias().convertToDouble();
  // On integers a fractional factor is converted first: Paddle computes in the tensor's type.
  bool hasScale = getScaleTensor() || scaleValue != 1.0;
  // As in Paddle, a product of -0 becomes 0 by the sum with an offset of 0.
  bool isInteger = isa<IntegerType>(x.type().getElementType());
  bool changesZero = hasScale && !isInteger && !std::signbit(biasValue);
  bool hasBias = getBiasTensor() || biasValue != 0.0 || changesZero;
  auto scaled = [&](Expression v) {
    return hasScale ? v * parameter(e, x, getScaleTensor(), scaleValue) : v;
  };
  auto shifted = [&](Expression v) { return hasBias ? v + parameter(e, x, getBiasTensor(), biasValue) : v; };
  return e.results({getBiasAfterScale() ? shifted(scaled(x)) : scaled(shifted(x))});
}

/// An offset makes the op affine. A tensor as factor has a derivative of its own.
llvm::SmallVector<llvm::SmallVector<unsigned>> ScaleOp::getLinearGroups() {
  if (getScaleTensor() || getBiasTensor() || !getBias().isZero())
    return {};
  return {{0}};
}

FailureOr<SmallVector<Value>> PowOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  if (!getFactorTensor()) {
    double factor = getFactor().convertToDouble();
    if (factor == 1.0)
      return e.results({x});
    if (factor == 2.0)
      return e.results({x * x});
    if (factor == 3.0)
      return e.results({x * x * x});
    bool isFloat = isa<FloatType>(x.type().getElementType());
    if (factor == 0.5 && isFloat)
      return e.results({e.sqrt(x)});
    if (factor == -0.5 && isFloat)
      return e.results({e.rsqrt(x)});
  }
  return e.results({e.pow(x, parameter(e, x, getFactorTensor(), getFactor().convertToDouble()))});
}

FailureOr<SmallVector<Value>> ClipOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  Expression low = parameter(e, x, getMinTensor(), getMin().convertToDouble());
  Expression high = parameter(e, x, getMaxTensor(), getMax().convertToDouble());
  return e.results({e.minimum(high, e.maximum(low, x))});
}

/// Zero at the bounds, as in Paddle; the bounds have no gradient.
FailureOr<SmallVector<Value>> ClipOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  Expression low = parameter(e, x, getMinTensor(), getMin().convertToDouble());
  Expression high = parameter(e, x, getMaxTensor(), getMax().convertToDouble());
  Expression inside = e.select(x > low, e.select(x < high, e.computed(cotangents[0]), 0.0), 0.0);
  SmallVector<Value> gradients(getOperation()->getNumOperands());
  gradients[0] = e.gradient(inside, getX());
  return gradients;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/math/Scale.cpp.inc"
#include "dialects/pd/ops/math/Scale.methods.inc"
#include "dialects/pd/ops/math/Scale.scalar.inc"
