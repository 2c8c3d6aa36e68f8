//! Small floats on the bits of f32.
#include "dialects/pd/builders/FloatFormat.h"
#include "dialects/pd/builders/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace proa::pd {

Value ScalarBuilder::bitcast(Value x, Type type) {
  return arith::BitcastOp::create(builder, location, type, x);
}

Value ScalarBuilder::decodeExponent(Value code) {
  Type i32 = builder.getI32Type();
  Value bits = arith::ShLIOp::create(builder, location, code, constant(23, i32));
  bits = select(equal(code, constant(0, i32)), constant(0x00400000, i32), bits); // 2^-127 is subnormal
  bits = select(equal(code, constant(255, i32)), constant(0x7FC00000, i32), bits);
  return bitcast(bits, builder.getF32Type());
}

Value ScalarBuilder::decodeFloat(Value x, FloatFormat format) {
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  Value code = arith::ExtUIOp::create(builder, location, i32, x);
  if (format == FloatFormat::E8M0)
    return decodeExponent(code);
  FloatLayout layout = layoutOf(format);
  auto i32Constant = [&](int value) { return constant(value, i32); };
  auto shift = [&](Value value, int bits) -> Value {
    return arith::ShRUIOp::create(builder, location, value, i32Constant(bits));
  };
  Value exponent = bitAnd(shift(code, layout.mantissaBits), i32Constant((1 << layout.exponentBits) - 1));
  Value mantissa = bitAnd(code, i32Constant((1 << layout.mantissaBits) - 1));
  Value isNormal = notEqual(exponent, i32Constant(0));
  // (mantissa with its leading one) * 2^(exponent - bias - mantissaBits)
  mantissa = select(isNormal, bitOr(mantissa, i32Constant(1 << layout.mantissaBits)), mantissa);
  exponent =
      add(select(isNormal, exponent, i32Constant(1)), i32Constant(127 - layout.bias - layout.mantissaBits));
  Value factor = bitcast(arith::ShLIOp::create(builder, location, exponent, i32Constant(23)), f32);
  Value size = multiply(arith::UIToFPOp::create(builder, location, f32, mantissa), factor);
  Value isNegative = notEqual(bitAnd(code, i32Constant(1 << layout.signBit())), i32Constant(0));
  Value value = select(isNegative, negate(size), size);
  if (!layout.hasNan)
    return value;
  Value nan = bitcast(i32Constant(0x7FC00000), f32);
  return select(equal(bitAnd(code, i32Constant(255)), i32Constant(layout.nan())), nan, value);
}

Value ScalarBuilder::encodeExponent(Value x, FloatRounding rounding, bool saturates) {
  Type i32 = builder.getI32Type();
  auto i32Constant = [&](int value) { return constant(value, i32); };
  Value bits = bitcast(abs(x), i32), fraction = bitAnd(bits, i32Constant(0x7FFFFF));
  Value exponent = arith::ShRUIOp::create(builder, location, bits, i32Constant(23)),
        next = add(exponent, i32Constant(1));
  if (rounding == FloatRounding::Up)
    exponent = select(lessThan(i32Constant(0), fraction), next, exponent);
  if (rounding == FloatRounding::Nearest) {
    // A half rounds up, except for half of the smallest number.
    Value isTie = bitAnd(equal(fraction, i32Constant(0x400000)), lessThan(i32Constant(0), exponent));
    exponent = select(bitOr(lessThan(i32Constant(0x400000), fraction), isTie), next, exponent);
  }
  Value most = i32Constant(saturates ? 254 : 255);
  exponent = select(lessThan(most, exponent), most, exponent);
  exponent = select(isnan(x), i32Constant(255), exponent);
  return arith::TruncIOp::create(builder, location, resultType, exponent);
}

Value ScalarBuilder::encodeFloat(Value x, FloatFormat format, FloatRounding rounding, bool saturates) {
  if (format == FloatFormat::E8M0)
    return encodeExponent(x, rounding, saturates);
  FloatLayout layout = layoutOf(format);
  Type i32 = builder.getI32Type();
  int dropped = 23 - layout.mantissaBits;
  auto i32Constant = [&](int value) { return constant(value, i32); };
  auto shift = [&](Value value, int bits) -> Value {
    return arith::ShRUIOp::create(builder, location, value, i32Constant(bits));
  };
  Value size = abs(x), bits = bitcast(size, i32);
  // With an exponent: the bias changes, and half of the last place is added, less a bit if that place is
  // even.
  Value isOdd = bitAnd(shift(bits, dropped), i32Constant(1));
  Value normal = subtract(bits, i32Constant((127 - layout.bias) << 23));
  normal = shift(add(normal, add(isOdd, i32Constant((1 << (dropped - 1)) - 1))), dropped);
  // Without: a multiple of the smallest number. Others are out of range, which the select discards.
  Value unit = constant(1 / std::ldexp(layout.smallestNormal(), -layout.mantissaBits), size.getType());
  Value small = arith::FPToSIOp::create(builder, location, i32, roundEven(multiply(size, unit)));
  Value code = select(lessThan(size, constant(layout.smallestNormal(), size.getType())), small, normal);
  bool becomesNan = layout.hasNan && !saturates;
  Value isTooLarge = lessThan(i32Constant(layout.largest()), code);
  code = select(isTooLarge, i32Constant(becomesNan ? layout.nan() : layout.largest()), code);
  Value sign = shift(bitcast(x, i32), 31 - layout.signBit());
  Value withSign = bitOr(code, bitAnd(sign, i32Constant(layout.nan())));
  // -0 is NaN where that exists.
  code = layout.hasNan ? select(equal(code, i32Constant(0)), code, withSign) : withSign;
  code = select(isnan(x), i32Constant(layout.nan()), code);
  return arith::TruncIOp::create(builder, location, resultType, code);
}

} // namespace proa::pd
