/// Helpers of the kernels of random ops.
#pragma once

#include "lib/runtime/host/Random.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/plan/Library.h"

namespace proa::runtime {

/// The numbers of a call of an op with this seed (0: none).
inline RandomCall drawOf(Call &call, uint64_t seed) {
  return seed != 0 ? RandomCall{seed, 0} : call.random().next();
}

/// In [0, 1), of 24 and of 53 bits.
inline float unitFloat(uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }
inline double unitDouble(uint32_t low, uint32_t high) {
  return static_cast<double>((uint64_t(high) << 32 | low) >> 11) * 0x1p-53;
}

} // namespace proa::runtime
