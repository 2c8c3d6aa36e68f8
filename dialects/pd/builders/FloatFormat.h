/// The layouts of the small floats of pd.decode_float and pd.encode_float.
#pragma once

#include "dialects/pd/ir/Enums.h"

#include <cmath>

namespace proa::pd {

/// A format with a sign. An exponent of 0 means mantissa * 2^(1 - bias - mantissaBits).
struct FloatLayout {
  int exponentBits, mantissaBits, bias;
  /// Whether NaN is the bits of -0, which does not exist. Other formats have no NaN.
  bool hasNan;

  int signBit() const { return exponentBits + mantissaBits; }
  /// The bits of the largest number.
  int largest() const { return (1 << signBit()) - 1; }
  int nan() const { return 1 << signBit(); }
  /// The smallest number with an exponent.
  double smallestNormal() const { return std::ldexp(1.0, 1 - bias); }
};

/// Not for E8M0.
inline FloatLayout layoutOf(FloatFormat format) {
  switch (format) {
  case FloatFormat::E4M3FNUZ:
    return {4, 3, 8, true};
  case FloatFormat::E5M2FNUZ:
    return {5, 2, 16, true};
  case FloatFormat::E2M3:
    return {2, 3, 1, false};
  case FloatFormat::E3M2:
    return {3, 2, 3, false};
  default:
    return {2, 1, 1, false};
  }
}

} // namespace proa::pd
