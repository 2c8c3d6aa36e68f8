/// Conversions of numbers.
#pragma once

#include <cstdint>
#include <limits>

namespace proa {

/// The integer part; what no int64 holds, and NaN, is the least one, as the processors that Paddle runs on
/// convert it.
inline int64_t toInt64(double number) {
  return number >= -0x1p63 && number < 0x1p63 ? static_cast<int64_t>(number)
                                              : std::numeric_limits<int64_t>::min();
}

} // namespace proa
