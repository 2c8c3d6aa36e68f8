#include "lib/runtime/ranks/Reduce.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace proa::runtime {
namespace {

/// One reduction on elements in the type in which they are computed. A NaN stays a NaN.
template <spmd::Reduction reduction> struct Combine {
  template <class T> T operator()(T a, T b) const {
    if constexpr (reduction == spmd::Reduction::Sum || reduction == spmd::Reduction::Avg) {
      if constexpr (std::is_integral_v<T>) // integers wrap around
        return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
      else
        return a + b;
    } else if constexpr (reduction == spmd::Reduction::Prod) {
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
      else
        return a * b;
    } else if constexpr (reduction == spmd::Reduction::Max) {
      return a > b || a != a ? a : b;
    } else if constexpr (reduction == spmd::Reduction::Min) {
      return a < b || a != a ? a : b;
    } else if constexpr (reduction == spmd::Reduction::Any) {
      return a || b;
    } else {
      return a && b;
    }
  }
};

template <spmd::Reduction reduction, class T> constexpr bool isSupported() {
  switch (reduction) {
  case spmd::Reduction::Max:
  case spmd::Reduction::Min:
    return !isComplex<T>;
  case spmd::Reduction::Avg:
    return !std::is_integral_v<T>;
  case spmd::Reduction::Any:
  case spmd::Reduction::All:
    return std::is_same_v<T, uint8_t>;
  default:
    return true;
  }
}

template <spmd::Reduction reduction, class T>
void reduceRange(std::span<const void *const> terms, int64_t begin, int64_t end, T *out) {
  using W = Wide<T>;
  constexpr int64_t blockSize = 512;
  std::array<W, blockSize> sums;
  Combine<reduction> combine;
  for (int64_t at = begin; at < end; at += blockSize) {
    int64_t count = std::min(blockSize, end - at);
    for (size_t k = 0; k < terms.size(); ++k) {
      const T *term = static_cast<const T *>(terms[k]) + at;
      for (int64_t i = 0; i < count; ++i)
        sums[static_cast<size_t>(i)] =
            k == 0 ? static_cast<W>(term[i]) : combine(sums[static_cast<size_t>(i)], static_cast<W>(term[i]));
    }
    for (int64_t i = 0; i < count; ++i) {
      W value = sums[static_cast<size_t>(i)];
      if constexpr (reduction == spmd::Reduction::Avg)
        value /= static_cast<W>(static_cast<float>(terms.size()));
      out[at + i] = static_cast<T>(value);
    }
  }
}

/// Calls body with the reduction as a constant.
template <class Body> auto dispatchReduction(spmd::Reduction reduction, const Body &body) {
  switch (reduction) {
  case spmd::Reduction::Max:
    return body(std::integral_constant<spmd::Reduction, spmd::Reduction::Max>());
  case spmd::Reduction::Min:
    return body(std::integral_constant<spmd::Reduction, spmd::Reduction::Min>());
  case spmd::Reduction::Prod:
    return body(std::integral_constant<spmd::Reduction, spmd::Reduction::Prod>());
  case spmd::Reduction::Avg:
    return body(std::integral_constant<spmd::Reduction, spmd::Reduction::Avg>());
  case spmd::Reduction::Any:
    return body(std::integral_constant<spmd::Reduction, spmd::Reduction::Any>());
  case spmd::Reduction::All:
    return body(std::integral_constant<spmd::Reduction, spmd::Reduction::All>());
  default:
    return body(std::integral_constant<spmd::Reduction, spmd::Reduction::Sum>());
  }
}

/// Calls body(reduction as a constant, T()) if the reduction takes the dtype.
template <class Body> Result<void> dispatch(spmd::Reduction reduction, DType dtype, const Body &body) {
  bool isBool = dtype == DType::Bool,
       takesBool = reduction == spmd::Reduction::Any || reduction == spmd::Reduction::All;
  bool isDone = isBool == takesBool && dispatchReduction(reduction, [&](auto constant) {
                  using Constant = decltype(constant);
                  bool isSupportedType = false;
                  dispatchAll(dtype, [&](auto zero) {
                    if constexpr (isSupported<Constant::value, decltype(zero)>()) {
                      isSupportedType = true;
                      body(constant, zero);
                    }
                  });
                  return isSupportedType;
                });
  return isDone ? Result<void>()
                : errorAt("", fmt::format("the reduction '{}' does not take {}", spmd::keywordOf(reduction),
                                          nameOf(dtype)));
}

template <spmd::Reduction reduction, class T> T neutral() {
  using Limits = std::numeric_limits<Wide<T>>;
  if constexpr (reduction == spmd::Reduction::Max)
    return static_cast<T>(Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
  else if constexpr (reduction == spmd::Reduction::Min)
    return static_cast<T>(Limits::has_infinity ? Limits::infinity() : Limits::max());
  else
    return static_cast<T>(
        static_cast<Wide<T>>(reduction == spmd::Reduction::Prod || reduction == spmd::Reduction::All));
}

} // namespace

Result<void> reduceTerms(spmd::Reduction reduction, DType dtype, std::span<const void *const> terms,
                         int64_t count, void *out) {
  return dispatch(reduction, dtype, [&](auto constant, auto zero) {
    using T = decltype(zero);
    constexpr int64_t grain = 1 << 15;
    parallelFor(count, grain, [&](int64_t begin, int64_t end) {
      reduceRange<decltype(constant)::value>(terms, begin, end, static_cast<T *>(out));
    });
  });
}

Result<void> fillNeutral(spmd::Reduction reduction, DType dtype, int64_t count, void *out) {
  return dispatch(reduction, dtype, [&](auto constant, auto zero) {
    using T = decltype(zero);
    std::fill_n(static_cast<T *>(out), count, neutral<decltype(constant)::value, T>());
  });
}

} // namespace proa::runtime
