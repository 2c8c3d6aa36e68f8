/// Conversions of many 16-bit floats. Without branches, so that compilers make vectors of them.
#pragma once

#include "lib/runtime/kernels/common/Vectors.h"
#include "proa/Half.h"

#include <bit>

namespace proa::runtime {

/// The float of the bits of a float16. Exact: a multiplication scales the exponent, also of subnormal
/// numbers.
PROA_VECTOR_INLINE float widenHalf(uint16_t half) {
  constexpr uint32_t infinity = 0x7f800000, scaledInfinity = 0x7c00U << 13;
  uint32_t magnitude = uint32_t(half & 0x7fff) << 13, sign = uint32_t(half & 0x8000) << 16;
  uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  bits |= magnitude >= scaledInfinity ? infinity : 0; // infinities and NaN
  return std::bit_cast<float>(bits | sign);
}

/// As Float16(value): rounded to nearest, ties to even.
PROA_VECTOR_INLINE uint16_t narrowToHalf(float value) {
  uint32_t word = std::bit_cast<uint32_t>(value), magnitude = word & 0x7fffffff;
  uint32_t normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000;
  uint32_t bits = magnitude < 0x38800000 ? subnormal : normal; // below 2^-14
  bits = magnitude >= 0x477ff000 ? 0x7c00 : bits;              // 65520 and above
  bits = magnitude > 0x7f800000 ? 0x7e00 : bits;               // a quiet NaN
  return static_cast<uint16_t>(bits | ((word >> 16) & 0x8000));
}

PROA_VECTOR_INLINE void widenHalves(const Float16 *from, int64_t count, float *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = widenHalf(from[i].bits);
}

PROA_VECTOR_INLINE void narrowToHalves(const float *from, int64_t count, Float16 *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i].bits = narrowToHalf(from[i]);
}

} // namespace proa::runtime
