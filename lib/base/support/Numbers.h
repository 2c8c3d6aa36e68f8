/// Conversions of numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace proa {

/// The integer part of a float, as compiled C++ on x86-64 converts it, which Paddle's casts rely on. Values
/// out of range are undefined in C++; the processor truncates to a signed integer of 32 or 64 bits and gives
/// the smallest integer for NaN and values out of range:
/// - up to 16 bits: the low bits of the int32,
/// - uint32: the low bits of the int64,
/// - uint64: 2^63 is subtracted from values from 2^63 on, and added after the conversion.
/// `ScalarBuilder::cast` emits the same conversions for kernels.
template <class Int> Int toInteger(double value) {
  static_assert(std::is_integral_v<Int> && !std::is_same_v<Int, bool>);
  if constexpr (std::is_same_v<Int, int32_t> || std::is_same_v<Int, int64_t>) {
    constexpr double limit = sizeof(Int) == 4 ? 0x1p31 : 0x1p63;
    return value >= -limit && value < limit ? static_cast<Int>(value) : std::numeric_limits<Int>::min();
  } else if constexpr (sizeof(Int) < 4) {
    return static_cast<Int>(toInteger<int32_t>(value));
  } else if constexpr (sizeof(Int) == 4) {
    return static_cast<Int>(toInteger<int64_t>(value));
  } else if (value >= 0x1p63) {
    return static_cast<Int>(toInteger<int64_t>(value - 0x1p63)) + (Int(1) << 63);
  } else {
    return static_cast<Int>(toInteger<int64_t>(value));
  }
}

} // namespace proa
