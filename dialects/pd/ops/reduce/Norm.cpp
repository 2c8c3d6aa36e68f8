#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/NormOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/DiagonalOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/reference/Evaluate.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

/// (sum |x|^p)^(1/p) along the axes, with the limits of p. If the norm is zero, so is its derivative, as in
/// Paddle.
Expression pNorm(Expression x, double p, llvm::ArrayRef<int64_t> axes, bool keepdim) {
  TensorBuilder &e = x.owner();
  if (std::isinf(p))
    return p > 0 ? e.max(e.abs(x), axes, keepdim) : e.wrap(e.create<MinOp>(e.abs(x), axes, keepdim));
  if (p == 0) {
    Expression zero = e.constant(0, x.type().getElementType());
    Expression nonzero = e.wrap(e.create<NotEqualOp>(x, zero));
    return e.sum(e.cast(nonzero, x.type().getElementType()), axes, keepdim);
  }
  if (p == 1)
    return e.sum(e.abs(x), axes, keepdim);
  auto power = [&](Expression v, double exponent) {
    return e.pow(v, e.constant(exponent, v.type().getElementType()));
  };
  Expression sum = e.sum(p == 2 ? x * x : power(e.abs(x), p), axes, keepdim);
  if (p < 0)
    return power(sum, 1 / p);
  Expression isZero = e.equal(sum, 0.0), base = e.select(isZero, 1.0, sum);
  return e.select(isZero, 0.0, p == 2 ? e.sqrt(base) : power(base, 1 / p));
}

llvm::SmallVector<int64_t> allAxes(Expression x) { return reducedAxes({}, x.rank()); }

} // namespace

FailureOr<SmallVector<Value>> LogsumexpOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  llvm::SmallVector<int64_t> axes = reducedAxes(getAxis(), x.rank());
  llvm::SmallVector<DimSize> shape;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (!llvm::is_contained(axes, d))
      shape.push_back(DimSize(x, d));
    else if (getKeepdim())
      shape.push_back(DimSize(1));
  if (llvm::any_of(axes, [&](int64_t axis) { return x.type().getDimSize(axis) == 0; })) {
    double infinity = std::numeric_limits<double>::infinity();
    return e.results({expandTo(e.constant(-infinity, x.type().getElementType()), shape)});
  }
  Expression greatest = e.max(x, axes, true);
  // inf - inf is NaN: an infinite maximum is not subtracted.
  Expression shift = e.select(e.wrap(e.create<IsfiniteOp>(greatest)), greatest, 0.0);
  Expression sum = e.log(e.sum(e.exp(x - shift), axes, true)) + shift;
  return e.results({getKeepdim() ? sum : reshapeTo(sum, shape)});
}

LogicalResult PNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto axis = static_cast<int64_t>(adaptor.getAxis());
  llvm::ArrayRef<int64_t> axes = adaptor.getAsvector() ? llvm::ArrayRef<int64_t>() : llvm::ArrayRef(axis);
  return inferReduction(location, type, axes, adaptor.getKeepdim(), type.getElementType(), results);
}

FailureOr<SmallVector<Value>> FrobeniusNormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  return e.results({pNorm(x, 2, reducedAxes(getAxis(), x.rank()), getKeepdim())});
}

FailureOr<SmallVector<Value>> PNormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  auto axis = static_cast<int64_t>(getAxis());
  llvm::SmallVector<int64_t> axes = getAsvector() ? allAxes(x) : reducedAxes(axis, x.rank());
  return e.results({pNorm(x, getPorder().convertToDouble(), axes, getKeepdim())});
}

LogicalResult DistOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       llvm::SmallVectorImpl<Type> &results) {
  auto element = commonElementType(location, adaptor.getOperands(), "C1");
  if (failed(element) || failed(broadcastShapes(location, adaptor.getOperands().getTypes(), "C2")))
    return failure();
  results.push_back(RankedTensorType::get({}, *element));
  return success();
}

FailureOr<SmallVector<Value>> DistOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression difference = e.operand(0) - e.operand(1);
  return e.results({pNorm(difference, getP().convertToDouble(), allAxes(difference), false)});
}

FailureOr<SmallVector<Value>> RenormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  auto axis = normalizeAxis(getAxis(), x.rank());
  if (failed(axis))
    return notifyDecompositionFailure(builder, *this, "its axis is out of range");
  llvm::SmallVector<int64_t> others = allAxes(x);
  others.erase(others.begin() + *axis);
  Expression norm = pNorm(x, getP().convertToDouble(), others, true);
  double limit = getMaxNorm().convertToDouble();
  return e.results(
      {x * e.select(norm > limit, limit / (norm + 1e-7), e.constant(1, x.type().getElementType()))});
}

LogicalResult TraceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto first = normalizeAxis(location, adaptor.getAxis1(), type.getRank(), "C1");
  auto second = normalizeAxis(location, adaptor.getAxis2(), type.getRank(), "C1");
  if (failed(first) || failed(second))
    return failure();
  if (*first == *second)
    return inferenceError(location,
                          "C1: axis1 and axis2 must differ, found dimension " + llvm::Twine(*first));
  llvm::SmallVector<int64_t> axes = {*first, *second};
  return inferReduction(location, type, axes, false, type.getElementType(), results);
}

FailureOr<SmallVector<Value>> TraceOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  int64_t rank = tensorType(getX()).getRank();
  auto normalized = [&](uint64_t axis) {
    return static_cast<int64_t>(axis) + (static_cast<int64_t>(axis) < 0 ? rank : 0);
  };
  auto [rows, columns] = std::minmax({normalized(getAxis1()), normalized(getAxis2())}); // a copy of both
  Expression diagonal = e.wrap(e.create<DiagonalOp>(getX(), getOffset(), rows, columns));
  int64_t last = diagonal.rank() - 1;
  return SmallVector<Value>{e.create<SumOp>(diagonal, llvm::ArrayRef(last), false,
                                            TypeAttr::get(diagonal.type().getElementType()))};
}

FailureOr<SmallVector<Value>> ClipByNormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  double limit = getMaxNorm().convertToDouble();
  Expression squares = e.sum(x * x, {}, false), norm = e.sqrt(squares), isLonger = norm > limit;
  // Selects the factor and not the result: inside of the limit x is unchanged, since x * 1 = x. The root is
  // not differentiated there, because it has no derivative at 0.
  Expression length = e.sqrt(e.select(isLonger, squares, 1.0));
  return e.results({x * e.select(isLonger, limit / length, 1.0)});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/reduce/Norm.cpp.inc"
#include "dialects/pd/ops/reduce/Norm.methods.inc"
