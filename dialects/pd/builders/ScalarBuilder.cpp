#include "dialects/pd/builders/ScalarBuilder.h"

#include "lib/base/support/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

bool isFloat(Value v) { return isa<FloatType>(v.getType()); }
bool isBool(Value v) { return v.getType().isInteger(1); }

/// The integer part of a float in 32 or 64 bits; the least integer for NaN and values out of range.
Value truncated(OpBuilder &builder, Location location, Value x, unsigned width) {
  double limit = std::ldexp(1.0, static_cast<int>(width) - 1);
  Type type = builder.getIntegerType(width);
  ScalarBuilder b(builder, location, type, /*operandUnsigned=*/false);
  // The conversion of a value out of range is poison, which the select discards.
  Value whole = arith::FPToSIOp::create(builder, location, type, x);
  return b.select(b.lessThan(b.abs(x), b.number(limit, x)), whole, b.constant(-limit, type));
}

/// The integer part of a float as an unsigned integer of 64 bits: 2^63 is subtracted from large numbers.
Value truncatedUnsigned(OpBuilder &builder, Location location, Value x) {
  ScalarBuilder b(builder, location, builder.getI64Type(), /*operandUnsigned=*/false);
  Value limit = b.number(0x1p63, x), isLarge = b.lessEqual(limit, x);
  Value whole = truncated(builder, location, b.select(isLarge, b.subtract(x, limit), x), 64);
  Value high = b.constant(-0x1p63, builder.getI64Type());
  return b.select(isLarge, b.add(whole, high), whole);
}

/// A float as an integer of this type, by the rules of lib/base/support/Numbers.h.
Value toInteger(OpBuilder &builder, Location location, Value x, Type to, bool isUnsigned) {
  unsigned width = to.getIntOrFloatBitWidth();
  if (x.getType().getIntOrFloatBitWidth() < 32)
    x = arith::ExtFOp::create(builder, location, builder.getF32Type(), x);
  if (isUnsigned && width == 64)
    return truncatedUnsigned(builder, location, x);
  unsigned firstWidth = isUnsigned && width == 32 ? 64 : std::max(width, 32u);
  Value whole = truncated(builder, location, x, firstWidth);
  return width < firstWidth ? arith::TruncIOp::create(builder, location, to, whole).getResult() : whole;
}

} // namespace

bool ScalarBuilder::isComplex(Value x) { return isa<ComplexType>(x.getType()); }

Value ScalarBuilder::constant(double value, Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    auto element = mlir::cast<FloatType>(complexType.getElementType()); // not our member cast
    return complex::ConstantOp::create(
        builder, location, type,
        builder.getArrayAttr({builder.getFloatAttr(element, value), builder.getFloatAttr(element, 0.0)}));
  }
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(builder, location, builder.getFloatAttr(type, value));
  auto integer =
      value < 0 ? static_cast<uint64_t>(proa::toInteger<int64_t>(value)) : proa::toInteger<uint64_t>(value);
  APInt bits(type.getIntOrFloatBitWidth(), integer, /*isSigned=*/false, /*implicitTrunc=*/true);
  return arith::ConstantOp::create(builder, location, IntegerAttr::get(type, bits));
}

// One op for floats, one for complex numbers, one for signed and one for unsigned integers.
#define PROA_BINARY(name, floatOp, complexOp, signedOp, unsignedOp)                                          \
  Value ScalarBuilder::name(Value x, Value y) {                                                              \
    if (isComplex(x))                                                                                        \
      return complexOp::create(builder, location, x, y);                                                     \
    if (isFloat(x))                                                                                          \
      return floatOp::create(builder, location, x, y);                                                       \
    if (operandUnsigned)                                                                                     \
      return unsignedOp::create(builder, location, x, y);                                                    \
    return signedOp::create(builder, location, x, y);                                                        \
  }
PROA_BINARY(subtract, arith::SubFOp, complex::SubOp, arith::SubIOp, arith::SubIOp)
#undef PROA_BINARY

Value ScalarBuilder::add(Value x, Value y) {
  if (isBool(x))
    return arith::OrIOp::create(builder, location, x, y);
  if (isComplex(x))
    return complex::AddOp::create(builder, location, x, y);
  if (isFloat(x))
    return arith::AddFOp::create(builder, location, x, y);
  return arith::AddIOp::create(builder, location, x, y);
}

Value ScalarBuilder::multiply(Value x, Value y) {
  if (isBool(x))
    return arith::AndIOp::create(builder, location, x, y);
  if (isComplex(x))
    return complex::MulOp::create(builder, location, x, y);
  if (isFloat(x))
    return arith::MulFOp::create(builder, location, x, y);
  return arith::MulIOp::create(builder, location, x, y);
}

Value ScalarBuilder::divide(Value x, Value y) {
  if (isComplex(x))
    return complex::DivOp::create(builder, location, x, y);
  if (isFloat(x))
    return arith::DivFOp::create(builder, location, x, y);
  // Integer division by zero traps on CPUs, so the quotient is defined as 0.
  Value zero = constant(0, x.getType());
  Value one = constant(1, x.getType());
  Value isZero = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, y, zero);
  Value safe = arith::SelectOp::create(builder, location, isZero, one, y);
  Value quotient = operandUnsigned ? arith::DivUIOp::create(builder, location, x, safe).getResult()
                                   : arith::DivSIOp::create(builder, location, x, safe).getResult();
  return arith::SelectOp::create(builder, location, isZero, zero, quotient);
}

#define PROA_EXTREMUM(name, floatOp, signedOp, unsignedOp)                                                   \
  Value ScalarBuilder::name(Value x, Value y) {                                                              \
    if (isFloat(x))                                                                                          \
      return floatOp::create(builder, location, x, y);                                                       \
    if (operandUnsigned)                                                                                     \
      return unsignedOp::create(builder, location, x, y);                                                    \
    return signedOp::create(builder, location, x, y);                                                        \
  }
PROA_EXTREMUM(maximum, arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp)
PROA_EXTREMUM(minimum, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp)
PROA_EXTREMUM(fmax, arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp)
PROA_EXTREMUM(fmin, arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp)
#undef PROA_EXTREMUM

Value ScalarBuilder::floorDivide(Value x, Value y) {
  if (isFloat(x))
    return math::FloorOp::create(builder, location, arith::DivFOp::create(builder, location, x, y));
  Value quotient = divide(x, y);
  if (operandUnsigned)
    return quotient;
  Value product = arith::MulIOp::create(builder, location, quotient, y);
  Value rest = arith::SubIOp::create(builder, location, x, product);
  Value zero = constant(0, x.getType());
  Value inexact = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, rest, zero);
  Value restSign = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, rest, zero);
  Value divisorSign = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, y, zero);
  Value differ = arith::XOrIOp::create(builder, location, restSign, divisorSign);
  Value down = arith::AndIOp::create(builder, location, inexact, differ);
  Value lower = arith::SubIOp::create(builder, location, quotient, constant(1, x.getType()));
  return arith::SelectOp::create(builder, location, down, lower, quotient);
}

Value ScalarBuilder::remainder(Value x, Value y) {
  Value zero = constant(0, x.getType());
  if (!isFloat(x)) {
    Value quotient = floorDivide(x, y);
    Value rest =
        arith::SubIOp::create(builder, location, x, arith::MulIOp::create(builder, location, quotient, y));
    Value isZero = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, y, zero);
    return arith::SelectOp::create(builder, location, isZero, zero, rest);
  }
  Value rest = arith::RemFOp::create(builder, location, x, y);
  Value inexact = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNE, rest, zero);
  Value restSign = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OLT, rest, zero);
  Value divisorSign = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OLT, y, zero);
  Value differ = arith::XOrIOp::create(builder, location, restSign, divisorSign);
  Value shift = arith::AndIOp::create(builder, location, inexact, differ);
  Value shifted = arith::AddFOp::create(builder, location, rest, y);
  return arith::SelectOp::create(builder, location, shift, shifted, rest);
}

Value ScalarBuilder::pow(Value x, Value y) {
  if (isComplex(x))
    return complex::PowOp::create(builder, location, x, y);
  if (isFloat(x))
    return math::PowFOp::create(builder, location, x, y);
  // As in Paddle, integers are computed in doubles and rounded.
  Type f64 = builder.getF64Type();
  auto real = [&](Value value) {
    return operandUnsigned || isBool(value)
               ? arith::UIToFPOp::create(builder, location, f64, value).getResult()
               : arith::SIToFPOp::create(builder, location, f64, value).getResult();
  };
  Value power = math::PowFOp::create(builder, location, real(x), real(y));
  Value rounded = math::RoundEvenOp::create(builder, location, power);
  Value whole = operandUnsigned ? truncatedUnsigned(builder, location, rounded)
                                : truncated(builder, location, rounded, 64);
  return x.getType().isInteger(64)
             ? whole
             : arith::TruncIOp::create(builder, location, x.getType(), whole).getResult();
}

Value ScalarBuilder::atan2(Value x, Value y) { return math::Atan2Op::create(builder, location, x, y); }

Value ScalarBuilder::compare(Value x, Value y, int floatPredicate, int signedPredicate,
                             int unsignedPredicate) {
  // Paddle orders complex numbers by their real components.
  if (isComplex(x))
    return compare(real(x), real(y), floatPredicate, signedPredicate, unsignedPredicate);
  if (isFloat(x))
    return arith::CmpFOp::create(builder, location, static_cast<arith::CmpFPredicate>(floatPredicate), x, y);
  bool isUnsigned = operandUnsigned || isBool(x);
  return arith::CmpIOp::create(
      builder, location, static_cast<arith::CmpIPredicate>(isUnsigned ? unsignedPredicate : signedPredicate),
      x, y);
}

Value ScalarBuilder::equal(Value x, Value y) {
  if (isComplex(x))
    return complex::EqualOp::create(builder, location, x, y);
  return compare(x, y, int(arith::CmpFPredicate::OEQ), int(arith::CmpIPredicate::eq),
                 int(arith::CmpIPredicate::eq));
}

Value ScalarBuilder::notEqual(Value x, Value y) {
  if (isComplex(x))
    return complex::NotEqualOp::create(builder, location, x, y);
  return compare(x, y, int(arith::CmpFPredicate::UNE), int(arith::CmpIPredicate::ne),
                 int(arith::CmpIPredicate::ne));
}

Value ScalarBuilder::lessThan(Value x, Value y) {
  return compare(x, y, int(arith::CmpFPredicate::OLT), int(arith::CmpIPredicate::slt),
                 int(arith::CmpIPredicate::ult));
}

Value ScalarBuilder::lessEqual(Value x, Value y) {
  return compare(x, y, int(arith::CmpFPredicate::OLE), int(arith::CmpIPredicate::sle),
                 int(arith::CmpIPredicate::ule));
}

Value ScalarBuilder::bitAnd(Value x, Value y) { return arith::AndIOp::create(builder, location, x, y); }
Value ScalarBuilder::bitOr(Value x, Value y) { return arith::OrIOp::create(builder, location, x, y); }
Value ScalarBuilder::bitXor(Value x, Value y) { return arith::XOrIOp::create(builder, location, x, y); }

Value ScalarBuilder::bitNot(Value x) {
  return arith::XOrIOp::create(builder, location, x, constant(isBool(x) ? 1 : -1, x.getType()));
}

Value ScalarBuilder::toBool(Value x) { return isBool(x) ? x : notEqual(x, constant(0, x.getType())); }

Value ScalarBuilder::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(builder, location, condition, x, y);
}

template <class Float, class Complex> Value ScalarBuilder::unary(Value x) {
  if constexpr (!std::is_void_v<Complex>)
    if (isComplex(x))
      return Complex::create(builder, location, x);
  return Float::create(builder, location, x);
}

Value ScalarBuilder::exp(Value x) { return unary<math::ExpOp, complex::ExpOp>(x); }
Value ScalarBuilder::expm1(Value x) { return unary<math::ExpM1Op, complex::Expm1Op>(x); }
Value ScalarBuilder::log(Value x) { return unary<math::LogOp, complex::LogOp>(x); }
Value ScalarBuilder::log1p(Value x) { return unary<math::Log1pOp, complex::Log1pOp>(x); }
Value ScalarBuilder::log2(Value x) { return isComplex(x) ? complexLog(x, 2) : unary<math::Log2Op>(x); }
Value ScalarBuilder::log10(Value x) { return isComplex(x) ? complexLog(x, 10) : unary<math::Log10Op>(x); }
Value ScalarBuilder::sqrt(Value x) { return unary<math::SqrtOp, complex::SqrtOp>(x); }
Value ScalarBuilder::rsqrt(Value x) { return unary<math::RsqrtOp, complex::RsqrtOp>(x); }
Value ScalarBuilder::sin(Value x) { return unary<math::SinOp, complex::SinOp>(x); }
Value ScalarBuilder::cos(Value x) { return unary<math::CosOp, complex::CosOp>(x); }
Value ScalarBuilder::tan(Value x) { return unary<math::TanOp, complex::TanOp>(x); }
Value ScalarBuilder::asin(Value x) { return isComplex(x) ? complexAsin(x) : unary<math::AsinOp>(x); }
Value ScalarBuilder::acos(Value x) { return isComplex(x) ? complexAcos(x) : unary<math::AcosOp>(x); }
Value ScalarBuilder::atan(Value x) {
  return isComplex(x) ? throughImaginary(x, &ScalarBuilder::complexAtanh) : unary<math::AtanOp>(x);
}
Value ScalarBuilder::sinh(Value x) { return isComplex(x) ? complexSinh(x) : unary<math::SinhOp>(x); }
Value ScalarBuilder::cosh(Value x) { return isComplex(x) ? complexCosh(x) : unary<math::CoshOp>(x); }
Value ScalarBuilder::tanh(Value x) { return unary<math::TanhOp, complex::TanhOp>(x); }
Value ScalarBuilder::asinh(Value x) {
  return isComplex(x) ? throughImaginary(x, &ScalarBuilder::complexAsin) : unary<math::AsinhOp>(x);
}
Value ScalarBuilder::acosh(Value x) { return isComplex(x) ? complexAcosh(x) : unary<math::AcoshOp>(x); }
Value ScalarBuilder::atanh(Value x) { return isComplex(x) ? complexAtanh(x) : unary<math::AtanhOp>(x); }
Value ScalarBuilder::erf(Value x) { return unary<math::ErfOp>(x); }
Value ScalarBuilder::ceil(Value x) { return unary<math::CeilOp>(x); }
Value ScalarBuilder::floor(Value x) { return unary<math::FloorOp>(x); }
Value ScalarBuilder::round(Value x) { return unary<math::RoundOp>(x); }
Value ScalarBuilder::roundEven(Value x) { return unary<math::RoundEvenOp>(x); }

Value ScalarBuilder::copysign(Value x, Value y) { return math::CopySignOp::create(builder, location, x, y); }

Value ScalarBuilder::shiftLeft(Value x, Value y) {
  Type type = x.getType();
  Value isInside = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult, y,
                                         constant(type.getIntOrFloatBitWidth(), type));
  Value bits = select(isInside, y, constant(0, type));
  return select(isInside, arith::ShLIOp::create(builder, location, x, bits), constant(0, type));
}

Value ScalarBuilder::shiftRight(Value x, Value y, bool isArithmetic) {
  Type type = x.getType();
  bool keepsSign = isArithmetic && !operandUnsigned;
  Value last = constant(type.getIntOrFloatBitWidth() - 1, type);
  Value isInside = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ule, y, last);
  Value bits = select(isInside, y, last);
  if (keepsSign)
    return arith::ShRSIOp::create(builder, location, x, bits);
  return select(isInside, arith::ShRUIOp::create(builder, location, x, bits), constant(0, type));
}

Value ScalarBuilder::trunc(Value x) { return isFloat(x) ? unary<math::TruncOp>(x) : x; }

Value ScalarBuilder::sign(Value x) {
  if (isComplex(x))
    return complexSign(x);
  Value zero = constant(0, x.getType());
  Value one = constant(1, x.getType());
  Value positive = select(lessThan(zero, x), one, zero);
  if (operandUnsigned)
    return positive;
  Value signedResult = select(lessThan(x, zero), constant(-1, x.getType()), positive);
  return isFloat(x) ? select(isnan(x), x, signedResult) : signedResult;
}

Value ScalarBuilder::negate(Value x) {
  if (isComplex(x))
    return complex::NegOp::create(builder, location, x);
  if (isFloat(x))
    return arith::NegFOp::create(builder, location, x);
  return subtract(constant(0, x.getType()), x);
}

Value ScalarBuilder::abs(Value x) {
  if (isComplex(x))
    return complex::AbsOp::create(builder, location, x);
  if (isFloat(x))
    return math::AbsFOp::create(builder, location, x);
  return operandUnsigned ? x : math::AbsIOp::create(builder, location, x).getResult();
}

Value ScalarBuilder::isnan(Value x) {
  if (isComplex(x))
    return notEqual(x, x);
  if (!isFloat(x))
    return constant(0, builder.getI1Type());
  return arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNO, x, x);
}

Value ScalarBuilder::isinf(Value x) {
  if (isComplex(x)) {
    Value re = complex::ReOp::create(builder, location, x);
    Value im = complex::ImOp::create(builder, location, x);
    return bitOr(isinf(re), isinf(im));
  }
  if (!isFloat(x))
    return constant(0, builder.getI1Type());
  return equal(abs(x), constant(std::numeric_limits<double>::infinity(), x.getType()));
}

Value ScalarBuilder::isfinite(Value x) { return bitNot(bitOr(isnan(x), isinf(x))); }

Value ScalarBuilder::nextafter(Value x, Value y) {
  Type type = x.getType();
  Type integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
  auto bits = [&](Value v) { return arith::BitcastOp::create(builder, location, integer, v).getResult(); };
  auto asInteger = [&](Value v) { return arith::BitcastOp::create(builder, location, type, v).getResult(); };
  Value zero = constant(0, type), one = constant(1, integer);
  // Away from zero the bit pattern increases by one.
  Value away = equal(lessThan(x, y), lessThan(zero, x));
  Value plain = select(away, arith::AddIOp::create(builder, location, bits(x), one),
                       arith::SubIOp::create(builder, location, bits(x), one));
  Value smallest = math::CopySignOp::create(builder, location, asInteger(one), y);
  Value next = select(equal(x, zero), smallest, asInteger(plain));
  Value either = select(equal(x, y), y, next);
  return select(bitOr(isnan(x), isnan(y)), add(x, y), either);
}

Value ScalarBuilder::widen(Value x) {
  if (!isFloat(x) || x.getType().isF64())
    return x;
  return arith::ExtFOp::create(builder, location, builder.getF64Type(), x);
}

Value ScalarBuilder::cast(Value x) {
  Type from = x.getType(), to = resultType;
  if (from == to)
    return x;
  if (auto complexTo = dyn_cast<ComplexType>(to)) {
    Value re = x, im;
    if (isComplex(x)) {
      re = complex::ReOp::create(builder, location, x);
      im = complex::ImOp::create(builder, location, x);
    }
    ScalarBuilder component(builder, location, complexTo.getElementType(), operandUnsigned);
    re = component.cast(re);
    im = im ? component.cast(im) : component.constant(0, complexTo.getElementType());
    return complex::CreateOp::create(builder, location, to, re, im);
  }
  if (to.isInteger(1))
    return notEqual(x, constant(0, from));
  if (isComplex(x))
    return cast(complex::ReOp::create(builder, location, x));
  if (isFloat(x)) {
    if (auto floatTo = dyn_cast<FloatType>(to)) {
      unsigned toWidth = floatTo.getWidth(), fromWidth = from.getIntOrFloatBitWidth();
      if (toWidth > fromWidth)
        return arith::ExtFOp::create(builder, location, to, x);
      // From f64 to 16 bits through f32: a direct conversion would call the compiler's support library, which
      // kernels do not link.
      if (toWidth < 32 && fromWidth > 32)
        x = arith::TruncFOp::create(builder, location, builder.getF32Type(), x);
      if (toWidth < fromWidth)
        return arith::TruncFOp::create(builder, location, to, x);
      // Between f16 and bf16, which have the same width, through f32.
      Value wide = arith::ExtFOp::create(builder, location, builder.getF32Type(), x);
      return arith::TruncFOp::create(builder, location, to, wide);
    }
    return toInteger(builder, location, x, to, resultUnsigned);
  }
  bool isUnsigned = operandUnsigned || isBool(x);
  if (isa<FloatType>(to))
    return isUnsigned ? arith::UIToFPOp::create(builder, location, to, x).getResult()
                      : arith::SIToFPOp::create(builder, location, to, x).getResult();
  unsigned toWidth = to.getIntOrFloatBitWidth(), fromWidth = from.getIntOrFloatBitWidth();
  if (toWidth == fromWidth)
    return x;
  if (toWidth < fromWidth)
    return arith::TruncIOp::create(builder, location, to, x);
  return isUnsigned ? arith::ExtUIOp::create(builder, location, to, x).getResult()
                    : arith::ExtSIOp::create(builder, location, to, x).getResult();
}

Value ScalarBuilder::castTowardZero(Value x) {
  auto to = dyn_cast<FloatType>(resultType);
  if (!to || to.getWidth() != 16 || x.getType() == to)
    return cast(x);
  auto bitcast = [&](Type type, Value v) {
    return arith::BitcastOp::create(builder, location, type, v).getResult();
  };
  Type half = builder.getI16Type(), full = builder.getI32Type();
  Value single = ScalarBuilder(builder, location, builder.getF32Type(), operandUnsigned).cast(x);
  if (to.isBF16()) {
    Value upper = arith::ShRUIOp::create(builder, location, bitcast(full, single), constant(16, full));
    return bitcast(to, arith::TruncIOp::create(builder, location, half, upper));
  }
  // On the bits: the exponent bias changes from 127 to 15 and 13 mantissa bits are dropped; below 2^-14 the
  // result is a multiple of 2^-24.
  Value size = abs(single), digits = bitcast(full, size);
  Value normal = arith::ShRUIOp::create(builder, location, subtract(digits, constant(0x38000000, full)),
                                        constant(13, full));
  Value small = arith::FPToSIOp::create(builder, location, full, multiply(size, number(16777216, size)));
  Value bits = select(lessThan(size, number(0x1p-14, size)), small, normal);
  bits = select(lessThan(number(65504, size), size), constant(0x7C00, full), bits);
  bits = select(isnan(single), constant(0x7E00, full), bits);
  Value sign = arith::ShRUIOp::create(
      builder, location, bitAnd(bitcast(full, single), constant(-0x80000000LL, full)), constant(16, full));
  return bitcast(to, arith::TruncIOp::create(builder, location, half, bitOr(bits, sign)));
}

} // namespace proa::pd
