/// Vectors of floats for kernels that neither the compiler of kernels nor a library has: GCC's vector
/// extension, compiled for several instruction sets and chosen when the program starts.
#pragma once

#include "lib/runtime/host/CpuFeatures.h"

#include <cstdint>
#include <cstring>
#include <initializer_list>

#define PROA_VECTOR_INLINE [[gnu::always_inline]] inline

// GCC: vectors are only handed to functions that are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace proa::runtime {

inline constexpr int64_t vectorSize = 16;
using Vector = float __attribute__((vector_size(vectorSize * sizeof(float))));
using ByteVector = int8_t __attribute__((vector_size(vectorSize)));
using IntVector = int32_t __attribute__((vector_size(vectorSize * sizeof(int32_t))));

/// GCC 12 keeps the sums of a tile of vectors in memory.
#ifdef __clang__
inline constexpr bool keepsTilesInRegisters = true;
#else
inline constexpr bool keepsTilesInRegisters = false;
#endif

/// Whether a vector is one register.
inline bool hasWideVectors() { return vectorIsa() == VectorIsa::Avx512; }

#if defined(__x86_64__)
template <auto Body, class... Arguments>
__attribute__((target("avx512f"))) void runAvx512(Arguments &&...arguments) {
  Body(arguments...);
}
template <auto Body, class... Arguments>
__attribute__((target("avx2,fma,bmi,bmi2,lzcnt,f16c"))) void runAvx2(Arguments &&...arguments) {
  Body(arguments...);
}
#endif

/// Calls a function that is compiled for each instruction set, by the best one of this process. The function
/// and what it calls must be PROA_VECTOR_INLINE to be compiled so. It returns nothing and takes no vectors.
template <auto Body, class... Arguments> void runVectors(Arguments &&...arguments) {
#if defined(__x86_64__)
  switch (vectorIsa()) {
  case VectorIsa::Avx512:
    return runAvx512<Body>(arguments...);
  case VectorIsa::Avx2:
    return runAvx2<Body>(arguments...);
  case VectorIsa::Generic:
    break;
  }
#endif
  Body(arguments...);
}

/// The first `count` elements; zeros in the others.
PROA_VECTOR_INLINE void load(const float *from, int64_t count, Vector &to) {
  if (count >= vectorSize) {
    std::memcpy(&to, from, sizeof(Vector));
    return;
  }
  to = Vector{};
  std::memcpy(&to, from, static_cast<size_t>(count) * sizeof(float));
}
PROA_VECTOR_INLINE void store(const Vector &from, int64_t count, float *to) {
  if (count >= vectorSize)
    std::memcpy(to, &from, sizeof(Vector));
  else
    std::memcpy(to, &from, static_cast<size_t>(count) * sizeof(float));
}

/// Stores what was computed from a vector that was loaded from `to`. Without the barrier LLVM makes a masked
/// store of a selection between the two, which takes 12 cycles or more on Zen 3.
PROA_VECTOR_INLINE void replace(const Vector &by, int64_t count, float *to) {
  asm volatile("" ::: "memory");
  store(by, count, to);
}

/// Every `Step`-th of (vectorSize - 1) * Step + 1 elements; `Step` is a power of two.
template <int Step> PROA_VECTOR_INLINE void loadEvery(const float *from, Vector &to) {
  if constexpr (Step == 1) {
    std::memcpy(&to, from, sizeof(Vector));
  } else {
    Vector low, high;
    loadEvery<Step / 2>(from, low);
    loadEvery<Step / 2>(from + (vectorSize - 1) * Step / 2, high);
    to = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
  }
}

/// e to the power of x, to about one unit in the last place: x = n ln 2 + r, the Taylor polynomial of e^r,
/// and n in the exponent's bits. From 88.4 on it is infinite, below -87 clamped, not zero.
PROA_VECTOR_INLINE Vector exponential(const Vector &exponent) {
  Vector x = exponent;
  constexpr float log2e = 1.44269504f, ln2High = 0.693359375f, ln2Low = -2.12194440e-4f;
  constexpr float roundToInteger = 12582912.0f; // 1.5 * 2^23
  x = x < -87.0f ? Vector{} - 87.0f : x;        // NaN stays NaN
  x = x > 89.0f ? Vector{} + 89.0f : x;         // n = 128: the bits of infinity
  Vector n = (x * log2e + roundToInteger) - roundToInteger;
  Vector r = (x - n * ln2High) - n * ln2Low;
  Vector sum = r * (1.0f / 5040) + (1.0f / 720);
  for (float factor : {1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f})
    sum = sum * r + factor;
  IntVector bits = (__builtin_convertvector(n, IntVector) + 127) << 23;
  Vector scale;
  std::memcpy(&scale, &bits, sizeof(scale));
  return sum * scale;
}

PROA_VECTOR_INLINE Vector sigmoid(const Vector &x) { return 1.0f / (1.0f + exponential(-x)); }

/// By the exponential function, and near zero, where that cancels, by the Taylor polynomial.
PROA_VECTOR_INLINE Vector tangent(const Vector &x) {
  constexpr float near = 0.35f;
  Vector magnitude = x < 0.0f ? -x : x;
  Vector e = exponential(-2.0f * magnitude);
  Vector far = (1.0f - e) / (1.0f + e);
  Vector square = x * x, sum = square * (-1382.0f / 155925) + 62.0f / 2835;
  for (float factor : {-17.0f / 315, 2.0f / 15, -1.0f / 3, 1.0f})
    sum = sum * square + factor;
  far = x < 0.0f ? -far : far;
  return magnitude < near ? x * sum : far;
}

} // namespace proa::runtime
