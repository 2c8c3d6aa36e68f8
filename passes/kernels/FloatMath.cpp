// Arithmetic of scalars, and remainders: see ExpandMath.h.
#include "passes/kernels/ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {

Value FloatMath::constant(double value) {
  return arith::ConstantOp::create(builder, builder.getFloatAttr(type, value));
}

Value FloatMath::add(Value x, Value y) { return arith::AddFOp::create(builder, x, y); }
Value FloatMath::subtract(Value x, Value y) { return arith::SubFOp::create(builder, x, y); }
Value FloatMath::multiply(Value x, Value y) { return arith::MulFOp::create(builder, x, y); }
Value FloatMath::divide(Value x, Value y) { return arith::DivFOp::create(builder, x, y); }
Value FloatMath::fma(Value x, Value y, Value z) { return math::FmaOp::create(builder, x, y, z); }
Value FloatMath::absolute(Value x) { return math::AbsFOp::create(builder, x); }

Value FloatMath::less(Value x, double limit) {
  return arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, x, constant(limit));
}

Value FloatMath::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(builder, condition, yes, no);
}

Value FloatMath::polynomial(Value x, llvm::ArrayRef<double> coefficients) {
  Value sum = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(x, sum, constant(coefficient));
  return sum;
}

/// A remainder of 16-bit floats is one of floats, which is exact.
static arith::RemFOp widened(arith::RemFOp op) {
  if (op.getType().getIntOrFloatBitWidth() != 16)
    return op;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto widen = [&](Value x) { return arith::ExtFOp::create(builder, builder.getF32Type(), x); };
  auto wide = arith::RemFOp::create(builder, widen(op.getLhs()), widen(op.getRhs()));
  op.replaceAllUsesWith(arith::TruncFOp::create(builder, op.getType(), wide).getResult());
  op.erase();
  return wide;
}

/// x - y trunc(x / y), which is exact for quotients of few bits. The quotient may be rounded up to an
/// integer, and then the rest has the other sign. Other quotients, and infinities and zeros, are left to
/// libm.
static void expandRemainder(arith::RemFOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto type = cast<FloatType>(op.getType());
  FloatMath math(builder, type);
  const double most = type.isF32() ? 0x1p22 : 0x1p51;
  Value x = op.getLhs(), y = op.getRhs(), quotient = math.divide(x, y);
  Value isShort = math.less(math.absolute(quotient), most); // false for NaN
  auto choice = scf::IfOp::create(builder, type, isShort, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(choice.thenBlock());
  Value whole = math::TruncOp::create(builder, quotient);
  Value rest = math.fma(arith::NegFOp::create(builder, whole), y, x);
  Value isOpposite =
      math.less(math.multiply(rest, math::CopySignOp::create(builder, math.constant(1), x)), 0);
  Value next = math.add(rest, math::CopySignOp::create(builder, y, x));
  rest = math.select(isOpposite, next, rest);
  // Also where y is infinite, and the product above NaN.
  Value isWhole =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, math.absolute(x), math.absolute(y));
  rest = math.select(isWhole, x, rest);
  scf::YieldOp::create(builder, math::CopySignOp::create(builder, rest, x).getResult());
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder, arith::RemFOp::create(builder, x, y).getResult());
  op.replaceAllUsesWith(choice.getResult(0));
  op.erase();
}

void expandRemainders(Operation *root) {
  SmallVector<arith::RemFOp> remainders;
  root->walk([&](arith::RemFOp op) {
    if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(op.getType()))
      remainders.push_back(op);
  });
  for (arith::RemFOp op : remainders)
    expandRemainder(widened(op));
}

Value powerOfInteger(ImplicitLocOpBuilder &builder, Value sum) {
  auto type = cast<FloatType>(sum.getType());
  unsigned mantissaBits = type.getFPMantissaWidth() - 1;
  int64_t exponentOfOne = APFloat::semanticsMaxExponent(type.getFloatSemantics());
  Type bitsType = builder.getIntegerType(type.getWidth());
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, builder.getIntegerAttr(bitsType, value));
  };
  Value bits = arith::BitcastOp::create(builder, bitsType, sum);
  bits = arith::ShLIOp::create(builder, bits, integer(mantissaBits));
  bits = arith::AddIOp::create(builder, bits, integer(exponentOfOne << mantissaBits));
  return arith::BitcastOp::create(builder, type, bits);
}

} // namespace proa
