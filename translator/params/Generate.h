/// Weights that are generated from a seed and the variable's name.
#pragma once

#include "proa/Tensor.h"

#include <string_view>

namespace proa::params {

/// Uniform float32 values in [lo, hi). With 64-bit integers that wrap and G = 0x9E3779B97F4A7C15:
///   z = (fnv1a64(name) XOR seed * G) + (i + 1) * G for element i, mixed as splitmix64 does,
///   v[i] = float32(lo + (hi - lo) * ((z >> 40) / 2^24)) with the arithmetic in double.
/// So each element depends on its index only. `dims` must have an elementCount.
Tensor generateParameter(std::string_view name, std::vector<int64_t> dims, uint64_t seed, double lo,
                         double hi);

} // namespace proa::params
