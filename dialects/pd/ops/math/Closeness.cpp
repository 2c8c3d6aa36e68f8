#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ClosenessOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// A tolerance in the element type of the comparison.
Expression tolerance(TensorBuilder &e, Value tensor, llvm::APFloat value, Type element) {
  if (!tensor)
    return e.constant(value.convertToDouble(), element);
  return e.cast(e.reshape(e.wrap(tensor), {}), element);
}

template <class Op> Expression closeness(TensorBuilder &e, Op op) {
  Expression x = e.operand(0), y = e.operand(1);
  Type element = x.type().getElementType();
  // Integers and bools are compared as float64; complex numbers have a real distance.
  if (!isa<FloatType, ComplexType>(element)) {
    element = e.getBuilder().getF64Type();
    x = e.cast(x, element);
    y = e.cast(y, element);
  }
  Type real = isa<ComplexType>(element) ? cast<ComplexType>(element).getElementType() : element,
       wide = e.getBuilder().getF64Type();
  // As Paddle's kernel: the bound in float64, rounded to the type of the distance.
  Expression bound = e.cast(tolerance(e, op.getAtolTensor(), op.getAtol(), wide) +
                                tolerance(e, op.getRtolTensor(), op.getRtol(), wide) * e.cast(e.abs(y), wide),
                            real);
  Expression distance = e.abs(x - y);
  auto isAtMost = [&](Expression a, Expression b) { return e.wrap(e.create<LessEqualOp>(a, b)); };
  auto either = [&](Expression a, Expression b) { return e.wrap(e.create<LogicalOrOp>(a, b)); };
  Expression near = either(isAtMost(distance, bound),
                           isAtMost(e.cast(e.abs(distance - bound), wide), e.constant(1e-15, wide)));
  Expression close = either(e.wrap(e.create<EqualOp>(x, y)), near);
  if (!op.getEqualNan())
    return close;
  return e.wrap(e.create<LogicalOrOp>(close, e.wrap(e.create<LogicalAndOp>(e.isnan(x), e.isnan(y)))));
}

Expression all(Expression x) {
  return x.owner().wrap(x.owner().create<AllOp>(x, reducedAxes({}, x.rank()), false));
}

} // namespace

FailureOr<SmallVector<Value>> IscloseOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{closeness(e, *this)};
}

FailureOr<SmallVector<Value>> AllcloseOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{all(closeness(e, *this))};
}

FailureOr<SmallVector<Value>> EqualAllOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  auto x = tensorType(getX()), y = tensorType(getY());
  if (x.getRank() != y.getRank() || failed(verifyCompatibleShape(x.getShape(), y.getShape())))
    return SmallVector<Value>{e.constant(0, builder.getI1Type())};
  if (!x.hasStaticShape() || !y.hasStaticShape())
    return notifyDecompositionFailure(builder, *this,
                                      "dynamic dims may differ, and the result depends on that");
  return SmallVector<Value>{all(e.wrap(e.create<EqualOp>(getX(), getY(), getTolerance())))};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/math/Closeness.cpp.inc"
#include "dialects/pd/ops/math/Closeness.methods.inc"
#include "dialects/pd/ops/math/Closeness.scalar.inc"
