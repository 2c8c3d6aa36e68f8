//! Gradients of reductions and scans.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/NormOps.h"
#include "dialects/pd/ops/reduce/ProductOfOthersOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

using Gradients = FailureOr<llvm::SmallVector<Value>>;

/// The result of a reduction of x, broadcast over the reduced dimensions.
template <class Op> Expression spread(TensorBuilder &e, Op op, Expression reduced, Expression x) {
  llvm::SmallVector<DimSize> full = dimSizesOf(x), kept = full;
  for (int64_t axis : reducedAxes(op.getAxis(), x.rank()))
    kept[axis] = 1;
  return expandTo(op.getKeepdim() ? reduced : reshapeTo(reduced, kept), full);
}

/// Where x equals the extremum.
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
  Expression count = e.sum(found, reducedAxes(op.getAxis(), x.rank()));
  return llvm::SmallVector<Value>{
      e.gradient(spread(e, op, e.computed(cotangent), x) * found / count, op.getX())};
}

/// The gradients of an op whose first operand is the only one with a gradient.
llvm::SmallVector<Value> ofFirstOperand(Operation *op, Value gradient) {
  llvm::SmallVector<Value> gradients(op->getNumOperands());
  gradients[0] = gradient;
  return gradients;
}

/// A scan along one axis: of a vector if the op flattens.
struct Lines {
  explicit Lines(LinearRecurrenceOp op)
      : axis(*normalizeAxis(op.getAxis(), tensorType(op.getX()).getRank())), reverse(op.getReverse()) {}
  template <class Op> Lines(Op op, Expression x) : reverse(op.getReverse()) {
    bool isVector = op.getFlatten() || x.rank() == 0;
    axis = isVector ? 0 : *normalizeAxis(op.getAxis(), x.rank());
    if (isVector)
      shape = {elementsOf(x)};
    else
      shape = dimSizesOf(x);
  }

  /// x along the lines.
  Expression of(Expression x) const { return reshapeTo(x, shape); }
  /// For each element the next or the previous one in the op's direction; `fill` if there is none.
  Expression next(Expression x, double fill = 0) const { return neighbour(x, !reverse, fill); }
  Expression previous(Expression x, double fill = 0) const { return neighbour(x, reverse, fill); }
  /// x[i] + decay[i] * out[i + 1], with i + 1 the next one in the op's direction.
  Expression sumBackwards(Expression x, Expression decay) const {
    return x.owner().wrap(x.owner().create<LinearRecurrenceOp>(x, decay, axis, !reverse));
  }

  llvm::SmallVector<DimSize> shape;
  int64_t axis;
  bool reverse;

private:
  Expression neighbour(Expression x, bool fromRight, double fill) const {
    llvm::SmallVector<int64_t> paddings(2 * static_cast<size_t>(x.rank()), 0);
    paddings[2 * axis + (fromRight ? 1 : 0)] = 1;
    TensorBuilder &e = x.owner();
    Expression padded = e.wrap(e.create<PadOp>(x, llvm::ArrayRef<int64_t>(paddings), llvm::APFloat(fill)));
    return fromRight ? slice(padded, axis, 1, toTheEnd) : slice(padded, axis, 0, -1);
  }
};

template <class Op> Gradients extremeScanGradient(OpBuilder &builder, Op op, Value cotangent) {
  TensorBuilder e(builder, op);
  auto type = tensorType(op.getX());
  if (type.getRank() == 0)
    return llvm::SmallVector<Value>{cotangent};
  int64_t axis = *normalizeAxis(op.getAxis(), type.getRank());
  Value zeros = zerosLike(builder, op.getLoc(), op.getX());
  return llvm::SmallVector<Value>{
      e.create<PutAlongAxisOp>(zeros, op.getIndices(), cotangent, builder.getI64IntegerAttr(axis),
                               ScatterReduceAttr::get(op.getContext(), ScatterReduce::Add))};
}

} // namespace

Gradients SumOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  return llvm::SmallVector<Value>{e.gradient(spread(e, *this, e.wrap(cotangents[0]), x), getX())};
}

Gradients MaxOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return getPropagateNan() ? sharedGradient(builder, *this, cotangents[0])
                           : wholeGradient(builder, *this, cotangents[0]);
}
Gradients MinOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return getPropagateNan() ? sharedGradient(builder, *this, cotangents[0])
                           : wholeGradient(builder, *this, cotangents[0]);
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
  return ofFirstOperand(getOperation(), reshapeTo(e.wrap(out), dimSizesOf(e.wrap(getX()))));
}

/// The product of the elements before an element, times the sum of the cotangents after it, each times the
/// product in between: without a division, so that zeros are not special.
Gradients CumprodOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Lines lines(*this, e.operand(0));
  Expression x = e.conj(lines.of(e.operand(0))), cotangent = lines.of(e.computed(cotangents[0]));
  Expression before = e.wrap(e.create<CumprodOp>(x, lines.axis, false, true, lines.reverse));
  Expression own = getExclusive() ? lines.next(cotangent) : cotangent;
  Expression sums = lines.sumBackwards(own, lines.next(x));
  return llvm::SmallVector<Value>{e.gradient(reshapeTo(before * sums, dimSizesOf(e.wrap(getX()))), getX())};
}

/// Element i of x contributes to all results from the i-th on, which grow: the sum of cotangents[j] *
/// exp(out[i] - out[j]) is a recurrence with decays of at most one. If all addends are -inf there is no
/// gradient.
Gradients LogcumsumexpOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Lines lines(*this, e.operand(0));
  Expression x = lines.of(e.operand(0)), cotangent = lines.of(e.computed(cotangents[0]));
  auto element = mlir::cast<FloatType>(x.type().getElementType());
  double lowest = llvm::APFloat::getLargest(element.getFloatSemantics(), /*Negative=*/true).convertToDouble();
  Expression out = e.maximum(lowest, lines.of(e.computed(getOut())));
  Expression sums = lines.sumBackwards(cotangent, e.exp(out - lines.next(out)));
  if (getExclusive()) {
    out = lines.next(out, std::numeric_limits<double>::infinity());
    sums = lines.next(sums);
  }
  return llvm::SmallVector<Value>{
      e.gradient(reshapeTo(sums * e.exp(x - out), dimSizesOf(e.wrap(getX()))), getX())};
}

/// The reversed recurrence is the transposition.
Gradients LinearRecurrenceOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Lines lines(*this);
  Expression sums = lines.sumBackwards(e.computed(cotangents[0]), lines.next(e.conj(e.operand(1))));
  return llvm::SmallVector<Value>{
      e.gradient(sums, getX()), e.gradient(sums * e.conj(lines.previous(e.computed(getOut()))), getDecay())};
}

Gradients CummaxOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return extremeScanGradient(builder, *this, cotangents[0]);
}
Gradients CumminOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return extremeScanGradient(builder, *this, cotangents[0]);
}

/// Zero if the norm is zero, as in Paddle.
Gradients PNormOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  llvm::SmallVector<DimSize> kept = dimSizesOf(x);
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
  // As Paddle: epsilon is added to norm^(p - 1).
  if (p == 1)
    return llvm::SmallVector<Value>{e.gradient(sign * dnorm * (1 / (1 + epsilon)), getX())};
  if (p == 2)
    return llvm::SmallVector<Value>{e.gradient(x * (dnorm / (norm + epsilon)), getX())};
  auto power = [&](Expression base, double exponent) {
    return e.pow(base, e.constant(exponent, x.type().getElementType()));
  };
  return llvm::SmallVector<Value>{
      e.gradient(power(e.abs(x), p - 1) * sign * (dnorm / (power(norm, p - 1) + epsilon)), getX())};
}

} // namespace proa::pd
