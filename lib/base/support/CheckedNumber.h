/// The checks of integers that kernels read from tensors.
#pragma once

#include <cstdint>

namespace proa {

/// The meaning of an integer that a kernel checks against a bound. Attributes and plans store the number.
enum class CheckedNumber : int8_t {
  Index = 0,        ///< in [0, bound)
  IndexFromEnd = 1, ///< in [-bound, bound): negative ones count from the end
  GroupSize = 2     ///< not negative, and the sizes up to this one sum to the bound at most
};

} // namespace proa
