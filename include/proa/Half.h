/// Storage of the 16-bit floating-point types. Conversions from float round to nearest even; a NaN stays a
/// quiet NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace proa {

/// IEEE binary16: 1 sign, 5 exponent, 10 mantissa bits.
struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  explicit Float16(float value) : bits(encode(value)) {}
  explicit operator float() const { return decode(bits); }

private:
  static uint16_t encode(float value) {
    uint32_t word = std::bit_cast<uint32_t>(value);
    uint16_t sign = static_cast<uint16_t>((word >> 16) & 0x8000);
    uint32_t magnitude = word & 0x7fffffff;
    if (magnitude > 0x7f800000) // NaN stays a (quiet) NaN
      return static_cast<uint16_t>(sign | 0x7e00);
    if (magnitude >= 0x477ff000) // 65520 and above round to infinity
      return static_cast<uint16_t>(sign | 0x7c00);
    if (magnitude < 0x38800000) { // below 2^-14: subnormal; adding 0.5 lets the float unit round
      float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
    }
    uint32_t odd = (magnitude >> 13) & 1;
    return static_cast<uint16_t>(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
  }
  static float decode(uint16_t bits) {
    uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
    uint32_t magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00) // infinity or NaN
      return std::bit_cast<float>(sign | 0x7f800000 | ((magnitude & 0x3ff) << 13));
    if (magnitude >= 0x400)
      return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
    float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(subnormal));
  }
};

/// bfloat16: the upper 16 bits of a float: 1 sign, 8 exponent, 7 mantissa bits.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) : bits(encode(value)) {}
  explicit operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

private:
  static uint16_t encode(float value) {
    uint32_t word = std::bit_cast<uint32_t>(value);
    if ((word & 0x7fffffff) > 0x7f800000) // NaN stays a (quiet) NaN
      return static_cast<uint16_t>((word >> 16) | 0x40);
    return static_cast<uint16_t>((word + 0x7fff + ((word >> 16) & 1)) >> 16);
  }
};

static_assert(sizeof(Float16) == 2 && sizeof(BFloat16) == 2);

} // namespace proa
