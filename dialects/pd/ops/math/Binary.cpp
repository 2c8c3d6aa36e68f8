#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

/// The derivative of an extreme by the operand that is it where `isOwn` is true. In the new IR equal operands
/// share the gradient: `share` is added where they are equal.
template <class Op>
static Expression ofExtreme(TensorBuilder &e, Expression isOwn, Expression x, Expression y, Op op,
                            double share) {
  Expression own = e.indicator(isOwn, x);
  return op.getPropagateNan() ? own + e.indicator(x == y, x) * share : own;
}

/// y * x^(y - 1). For 0^0, which is constant along x, it is 0 and not 0 * infinity, also in derivatives: the
/// third derivative of x^2 evaluates it at y = 0.
static Expression derivativeByBase(TensorBuilder &e, Expression x, Expression y) {
  Expression isConstant = e.wrap(e.create<LogicalAndOp>(Value(e.equal(x, 0.0)), Value(e.equal(y, 0.0))));
  return e.select(isConstant, 0.0, y * e.pow(e.select(isConstant, 1.0, x), y - 1.0));
}

namespace {

/// The smallest value of a float type that is not below `value`. Elements of the type are below `value` if
/// and only if they are below the result.
double roundedUp(llvm::APFloat value, Type type) {
  bool losesInfo = false;
  value.convert(cast<FloatType>(type).getFloatSemantics(), llvm::APFloat::rmTowardPositive, &losesInfo);
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

/// Infinities are equal although their difference is NaN, so x and y are compared too.
template <class Builder, class Op>
typename Builder::Value areEqual(Builder &b, typename Builder::Value x, typename Builder::Value y, Op op) {
  typename Builder::Value same = b.equal(x, y);
  if (op.getTolerance().isZero())
    return same;
  Type element = getElementTypeOrSelf(op.getX().getType());
  auto bound = b.number(roundedUp(op.getTolerance(), element), x);
  return b.bitOr(same, b.lessThan(b.abs(b.subtract(x, y)), bound));
}

template <class Adaptor>
LogicalResult inferEquality(std::optional<Location> location, Adaptor adaptor, Results &results) {
  llvm::APFloat tolerance = adaptor.getTolerance();
  bool ofFloats = isa<FloatType>(getElementTypeOrSelf(adaptor.getX().getType()));
  bool isValid = tolerance.isFinite() && (tolerance.isZero() || (ofFloats && !tolerance.isNegative()));
  if (isValid)
    return inferCompare(location, adaptor, results);
  std::string text;
  llvm::raw_string_ostream(text) << "C3: tolerance must be finite and not negative"
                                 << (ofFloats ? "" : ", and 0 on elements that are not floats") << ", found "
                                 << tolerance.convertToDouble() << " on " << adaptor.getX().getType();
  return inferenceError(location, text);
}

} // namespace
} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/math/Binary.cpp.inc"
#include "dialects/pd/ops/math/Binary.methods.inc"
#include "dialects/pd/ops/math/Binary.scalar.inc"
