#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/loss/Loss.h"
#include "dialects/pd/ops/loss/RankingOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

LogicalResult inferPerRowOf(std::optional<Location> location, RankedTensorType x, RankedTensorType label,
                            bool isSoft, Results &results) {
  bool fits = x.getRank() > 0 && label.getRank() == x.getRank() &&
              (isSoft || label.getShape().back() == 1 || label.isDynamicDim(label.getRank() - 1));
  for (int64_t d = 0; fits && d < x.getRank() - (isSoft ? 0 : 1); ++d)
    fits = x.isDynamicDim(d) || label.isDynamicDim(d) || x.getDimSize(d) == label.getDimSize(d);
  if (!fits) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: label must have the dimensions of x"
                                   << (isSoft ? "" : " with a last one of 1") << ", found " << x << " and "
                                   << label;
    return inferenceError(location, text);
  }
  llvm::SmallVector<int64_t> shape(x.getShape());
  shape.back() = 1;
  results.push_back(x.clone(shape));
  return success();
}

namespace {

/// log(1 + exp(x)) without overflow. Not by max(x, 0) and |x|: their kinks at zero do not cancel in the
/// derivative.
Expression softplus(Expression x) {
  TensorBuilder &e = x.owner();
  Expression isPositive = x > 0.0;
  return e.select(isPositive, x, 0.0) + e.log1p(e.exp(e.select(isPositive, -x, x)));
}

/// The element of each row at the index of its label; labels out of range give 0.
Expression chosen(Expression x, Value label) {
  TensorBuilder &e = x.owner();
  Expression index = e.cast(e.wrap(label), e.getBuilder().getI64Type());
  Expression safe = e.maximum(index, 0.0);
  return e.wrap(e.create<TakeAlongAxisOp>(x, safe, static_cast<uint64_t>(x.rank() - 1)));
}

/// Logarithms with infinities replaced by 1e20.
Expression tolerableLog(Expression x) {
  TensorBuilder &e = x.owner();
  return e.maximum(e.minimum(e.log(x), 1e20), -1e20);
}

} // namespace

Values ModifiedHuberLossOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression v = e.computed(getX()) * (e.computed(getLabel()) * 2.0 - 1.0);
  Expression square = (1.0 - v) * (1.0 - v);
  return e.results({v, e.select(v < -1.0, v * -4.0, e.select(v < 1.0, square, 0.0))});
}

Values TeacherStudentSigmoidLossOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), label = e.computed(getLabel()), s = softplus(x);
  Expression taught = e.select(label < 1.0, s + (s - x * label), (s - x) + (s - x * (label - 1.0)));
  return e.results({e.select(label < -1.0, s, e.select(label < 0.0, s - x, taught))});
}

Values TeacherStudentSigmoidLossOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), label = e.computed(getLabel()), dout = e.computed(cotangents[0]);
  Expression sigmoid = 1.0 / (e.exp(-x) + 1.0);
  Expression slope =
      e.select(label < -1.0, sigmoid, e.select(label < 0.0, sigmoid - 1.0, sigmoid * 2.0 - label));
  Expression below = e.select(x < getSoftMaxUpBound().convertToDouble(), slope, 0.0);
  Expression inside = e.select(x > getSoftMaxLowerBound().convertToDouble(), below, 0.0);
  Expression byLabel = e.select(label < 0.0, 0.0, -x);
  return SmallVector<Value>{e.gradient(inside * dout, getX()), e.gradient(byLabel * dout, getLabel())};
}

Values BprLossOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  int64_t axis = x.rank() - 1;
  Expression losses = e.sum(softplus(x - chosen(x, getLabel())), {axis});
  // The label's own term is log(2).
  return e.results({(losses - std::log(2.0)) / (e.countAlong(x, {axis}) - 1.0)});
}

Values CrossEntropyOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  int64_t axis = x.rank() - 1;
  if (getSoftLabel()) {
    Expression out = -e.sum(e.computed(getLabel()) * tolerableLog(x), {axis});
    return e.results({out, out});
  }
  Expression match = chosen(x, getLabel());
  Expression ignored =
      e.constant(double(static_cast<int64_t>(getIgnoreIndex())), tensorType(getLabel()).getElementType());
  Expression isIgnored = e.wrap(e.create<EqualOp>(getLabel(), ignored));
  return e.results({e.select(isIgnored, 0.0, -tolerableLog(match)), match});
}

Values IdentityLossOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  if (getReduction() == 2)
    return e.results({x});
  llvm::SmallVector<int64_t> axes = reducedAxes({}, x.rank());
  return e.results({getReduction() == 0 ? e.sum(x, axes, false) : e.mean(x, axes, false)});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/loss/Ranking.cpp.inc"
#include "dialects/pd/ops/loss/Ranking.methods.inc"
#include "dialects/pd/ops/loss/Ranking.scalar.inc"
