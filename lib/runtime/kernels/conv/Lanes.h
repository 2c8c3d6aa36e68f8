/// Loads and stores of a part of a vector, without calls.
#pragma once

#include "lib/runtime/kernels/common/Vectors.h"

namespace proa::runtime {

/// Copies `count` elements, fewer than a vector's.
PROA_VECTOR_INLINE void copyRange(const float *from, int64_t count, float *to) {
  constexpr size_t half = 8 * sizeof(float), quarter = 4 * sizeof(float);
  if (count >= 8) {
    float last[8];
    std::memcpy(last, from + count - 8, half);
    std::memcpy(to, from, half);
    std::memcpy(to + count - 8, last, half);
  } else if (count >= 4) {
    float last[4];
    std::memcpy(last, from + count - 4, quarter);
    std::memcpy(to, from, quarter);
    std::memcpy(to + count - 4, last, quarter);
  } else {
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[i];
  }
}

/// Stores the first elements of a vector; `width` elements are there.
PROA_VECTOR_INLINE void storeLanes(const Vector &from, int64_t width, float *to) {
  if (width >= vectorSize) {
    std::memcpy(to, &from, sizeof(Vector));
    return;
  }
  float all[vectorSize];
  std::memcpy(all, &from, sizeof(Vector));
  copyRange(all, width, to);
}

/// Loads the first elements of a vector, of which `width` are there; the others are zeros.
PROA_VECTOR_INLINE void loadLanes(const float *from, int64_t width, Vector &to) {
  if (width >= vectorSize) {
    std::memcpy(&to, from, sizeof(Vector));
    return;
  }
  float all[vectorSize] = {};
  copyRange(from, width, all);
  std::memcpy(&to, all, sizeof(Vector));
}

} // namespace proa::runtime
