/// Numbers of elements.
#pragma once

#include <cstdint>
#include <span>

namespace proa::cuda {

/// The product of dims.
inline int64_t productOf(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    product *= dim;
  return product;
}

} // namespace proa::cuda
