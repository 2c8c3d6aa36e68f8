//! Gradients of reductions and scans.
#include "dialects/pd/TensorBuilder.h"
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/index/ScatterOps.h"
#include "dialects/pd/math/BinaryOps.h"
#include "dialects/pd/math/UnaryOps.h"
#include "dialects/pd/reduce/NormOps.h"
#include "dialects/pd/reduce/OthersOps.h"
#include "dialects/pd/reduce/Reduce.h"
#include "dialects/pd/reduce/ReduceOps.h"
#include "dialects/pd/reduce/ScanOps.h"
#include "dialects/pd/shape/Extent.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

using Gradients = FailureOr<llvm::SmallVector<Value>>;

/// What a reduction of x gave, laid back over the dimensions that it reduced.
template <class Op> Expression spread(TensorBuilder &e, Op op, Expression reduced, Expression x) {
  llvm::SmallVector<Extent> full = extentsOf(x), kept = full;
  for (int64_t axis : reducedAxes(op.getAxis(), x.rank()))
    kept[axis] = 1;
  return expandTo(op.getKeepdim() ? reduced : reshapeTo(reduced, kept), full);
}

/// Where x is the extreme that was found.
template <class Op> Expression extremes(TensorBuilder &e, Op op, Expression x) {
  return e.indicator(x == spread(e, op, e.computed(op.getOut()), x), x);
}

template <class Op> Gradients wholeGradient(OpBuilder &builder, Op op, Value cotangent) {
  TensorBuilder e(builder, op);
  Expression x = e.operand(0);
  Expression out = spread(e, op, e.computed(cotangent), x) * extremes(e, op, x);
  return llvm::SmallVector<Value>{e.gradient(out, op.getX())};
}

template <class Op> Gradients sharedGradient(OpBuilder &builder, Op op, Value cotangent) {
  TensorBuilder e(builder, op);
  Expression x = e.operand(0);
  Expression found = extremes(e, op, x);
  Expression number = e.sum(found, reducedAxes(op.getAxis(), x.rank()));
  return llvm::SmallVector<Value>{
      e.gradient(spread(e, op, e.computed(cotangent), x) * found / number, op.getX())};
}

/// The gradients of an op whose first operand alone has one.
llvm::SmallVector<Value> ofFirstOperand(Operation *op, Value gradient) {
  llvm::SmallVector<Value> gradients(op->getNumOperands());
  gradients[0] = gradient;
  return gradients;
}

/// The sum of what comes after (with `reverse` of the op: before) each element along the op's axis.
template <class Op> Expression sumBackwards(TensorBuilder &e, Op op, Expression x) {
  return e.wrap(e.create<CumsumOp>(
      x, Value(), e.getBuilder().getI64IntegerAttr(op.getAxis()), e.getBuilder().getBoolAttr(op.getFlatten()),
      e.getBuilder().getBoolAttr(op.getExclusive()), e.getBuilder().getBoolAttr(!op.getReverse())));
}

template <class Op> Gradients extremeScanGradient(OpBuilder &builder, Op op, Value cotangent) {
  TensorBuilder e(builder, op);
  auto type = tensorType(op.getX());
  if (type.getRank() == 0)
    return llvm::SmallVector<Value>{cotangent};
  int64_t axis = *normalizeAxis(std::nullopt, op.getAxis(), type.getRank());
  Value zeros = zerosLike(builder, op.getLoc(), op.getX());
  return llvm::SmallVector<Value>{e.create<PutAlongAxisOp>(
      zeros, op.getIndices(), cotangent, builder.getI64IntegerAttr(axis), builder.getStringAttr("add"))};
}

} // namespace

Gradients SumOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  return llvm::SmallVector<Value>{e.gradient(spread(e, *this, e.wrap(cotangents[0]), x), getX())};
}

Gradients MaxOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return wholeGradient(builder, *this, cotangents[0]);
}
Gradients MinOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return wholeGradient(builder, *this, cotangents[0]);
}
Gradients AmaxOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return sharedGradient(builder, *this, cotangents[0]);
}
Gradients AminOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return sharedGradient(builder, *this, cotangents[0]);
}

Gradients ProdOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0), others = e.wrap(e.create<ProductOfOthersOp>(x, getAxisAttr()));
  return llvm::SmallVector<Value>{
      e.gradient(spread(e, *this, e.computed(cotangents[0]), x) * e.conj(others), getX())};
}

Gradients CumsumOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Value out = e.create<CumsumOp>(cotangents[0], getAxisTensor(), getAxisAttr(), getFlattenAttr(),
                                 getExclusiveAttr(), builder.getBoolAttr(!getReverse()));
  return ofFirstOperand(getOperation(), reshapeTo(e.wrap(out), extentsOf(e.wrap(getX()))));
}

/// A product with one zero does not change with its other factors, and with the zero as it would without
/// that: the first zero of each line gets its gradient from products in which it is replaced by one.
Gradients CumprodOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0), cotangent = e.computed(cotangents[0]),
             along = reshapeTo(x, extentsOf(cotangent));
  IntegerAttr axis = builder.getI64IntegerAttr(getAxis());
  BoolAttr flatten = builder.getBoolAttr(getFlatten()), exclusive = builder.getBoolAttr(getExclusive()),
           reverse = builder.getBoolAttr(getReverse());
  Expression isZero = e.equal(along, 0.0);
  Expression zerosBefore = e.wrap(e.create<CumsumOp>(e.cast(isZero, builder.getI64Type()), Value(), axis,
                                                     flatten, builder.getBoolAttr(true), reverse));
  Expression isFirstZero = e.wrap(e.create<LogicalAndOp>(isZero, e.equal(zerosBefore, 0.0)));
  Expression rest =
      e.wrap(e.create<CumprodOp>(e.select(isFirstZero, 1.0, along), axis, flatten, exclusive, reverse));
  Expression sums = sumBackwards(e, *this, cotangent * e.conj(e.computed(getOut())));
  Expression sumsOfRest = sumBackwards(e, *this, cotangent * e.conj(rest));
  Expression others = e.select(isZero, 0.0, sums / e.conj(e.select(isZero, 1.0, along)));
  return llvm::SmallVector<Value>{
      e.gradient(reshapeTo(e.select(isFirstZero, sumsOfRest, others), extentsOf(x)), getX())};
}

Gradients LogcumsumexpOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  // exp(x[i] - out[j]) as a product, whose factors a number near x keeps from becoming infinite.
  Expression x = e.operand(0);
  Expression greatest = getFlatten()
                            ? e.max(x, {}, false)
                            : e.max(x, reducedAxes({static_cast<int64_t>(getAxis())}, x.rank()), true);
  Expression sums =
      sumBackwards(e, *this, e.computed(cotangents[0]) * e.exp(greatest - e.computed(getOut())));
  return llvm::SmallVector<Value>{e.gradient(reshapeTo(sums, extentsOf(x)) * e.exp(x - greatest), getX())};
}

Gradients CummaxOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return extremeScanGradient(builder, *this, cotangents[0]);
}
Gradients CumminOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return extremeScanGradient(builder, *this, cotangents[0]);
}

/// Zero where the norm is zero, as in Paddle.
Gradients PNormOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  llvm::SmallVector<Extent> kept = extentsOf(x);
  for (int64_t axis :
       getAsvector() ? reducedAxes({}, x.rank()) : reducedAxes(static_cast<int64_t>(getAxis()), x.rank()))
    kept[axis] = 1;
  Expression norm = reshapeTo(e.computed(getOut()), kept), dnorm = reshapeTo(e.computed(cotangents[0]), kept);
  double p = getPorder().convertToDouble(), epsilon = getEpsilon().convertToDouble();
  Expression sign = e.wrap(e.create<SignOp>(x));
  if (p == 0)
    return llvm::SmallVector<Value>{e.gradient(x * 0.0, getX())};
  if (std::isinf(p))
    return llvm::SmallVector<Value>{e.gradient(sign * e.indicator(e.abs(x) == norm, x) * dnorm, getX())};
  if (p == 1)
    return llvm::SmallVector<Value>{e.gradient(sign * dnorm, getX())};
  if (p == 2)
    return llvm::SmallVector<Value>{e.gradient(x * (dnorm / (norm + epsilon)), getX())};
  auto power = [&](Expression base, double exponent) {
    return e.pow(base, e.constant(exponent, x.type().getElementType()));
  };
  return llvm::SmallVector<Value>{
      e.gradient(power(e.abs(x), p - 1) * sign * (dnorm * power(norm + epsilon, 1 - p)), getX())};
}

} // namespace proa::pd
