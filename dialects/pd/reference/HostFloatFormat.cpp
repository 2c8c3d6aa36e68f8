//! Small floats of the reference evaluator, by the value of each code.
#include "dialects/pd/builders/FloatFormat.h"
#include "dialects/pd/reference/HostScalar.h"

#include <cmath>
#include <limits>

namespace proa::pd {
namespace {

double decodeExponent(int code) {
  return code == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, code - 127);
}

double decodeSigned(int code, const FloatLayout &layout) {
  if (layout.hasNan && (code & 255) == layout.nan())
    return std::numeric_limits<double>::quiet_NaN();
  int mantissa = code & ((1 << layout.mantissaBits) - 1);
  int exponent = (code >> layout.mantissaBits) & ((1 << layout.exponentBits) - 1);
  double size = exponent == 0 ? std::ldexp(mantissa, 1 - layout.bias - layout.mantissaBits)
                              : std::ldexp((1 << layout.mantissaBits) + mantissa,
                                           exponent - layout.bias - layout.mantissaBits);
  return code >> layout.signBit() & 1 ? -size : size;
}

int encodeExponent(double x, FloatRounding rounding, bool saturates) {
  if (std::isnan(x))
    return 255;
  double size = std::abs(x);
  int code = 0; // the largest power of 2 that is at most x
  while (code < 255 && std::ldexp(1.0, code + 1 - 127) <= size)
    ++code;
  // Numbers below 2^-126 are taken as multiples of it, as an f32 stores them.
  double below = code == 0 ? 0 : std::ldexp(1.0, code - 127),
         above = std::ldexp(1.0, code == 0 ? -126 : code - 126);
  double middle = (below + above) / 2;
  bool isUp = (rounding == FloatRounding::Up && size > below) ||
              (rounding == FloatRounding::Nearest && (size > middle || (size == middle && code > 0)));
  return std::min(code + (isUp && code < 255), saturates ? 254 : 255);
}

} // namespace

HostScalar HostScalarBuilder::decodeFloat(HostScalar x, FloatFormat format) {
  int code = static_cast<int>(x.integer);
  return HostScalar::of(format == FloatFormat::E8M0 ? decodeExponent(code)
                                                    : decodeSigned(code, layoutOf(format)));
}

HostScalar HostScalarBuilder::encodeFloat(HostScalar x, FloatFormat format, FloatRounding rounding,
                                          bool saturates) {
  double value = x.real(), size = std::abs(value);
  if (format == FloatFormat::E8M0)
    return HostScalar::of(int64_t(encodeExponent(value, rounding, saturates)));
  FloatLayout layout = layoutOf(format);
  if (std::isnan(value))
    return HostScalar::of(int64_t(layout.nan()));
  // The nearest code; of two equally near ones the even one.
  int64_t code = 0;
  while (code < layout.largest() && size >= decodeSigned(static_cast<int>(code) + 1, layout))
    ++code;
  // The step after the largest number decides what is beyond it.
  double below = decodeSigned(static_cast<int>(code), layout);
  double step = code < layout.largest() ? decodeSigned(static_cast<int>(code) + 1, layout) - below
                                        : below - decodeSigned(static_cast<int>(code) - 1, layout);
  double half = below + step / 2;
  code += size > half || (size == half && code % 2 == 1);
  if (code > layout.largest()) {
    if (layout.hasNan && !saturates)
      return HostScalar::of(int64_t(layout.nan()));
    code = layout.largest();
  }
  bool isNegative = std::signbit(value) && !(layout.hasNan && code == 0);
  return HostScalar::of(code | (isNegative ? layout.nan() : 0));
}

} // namespace proa::pd
