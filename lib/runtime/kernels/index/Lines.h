/// The lines of a tensor along one axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace proa::runtime {

/// Sizes before, along and after an axis of a row-major tensor. A tensor of rank 0 is one line of one
/// element.
struct Lines {
  int64_t outer = 1, dim = 1, inner = 1;

  Lines(std::span<const int64_t> dims, size_t axis) {
    for (size_t i = 0; i < dims.size(); ++i)
      (i < axis ? outer : i == axis ? dim : inner) *= dims[i];
  }
  int64_t count() const { return outer * inner; }
  /// Index of the first element of line `line` in a tensor with `length` elements along the axis. The next
  /// elements are `inner` apart.
  int64_t begin(int64_t line, int64_t length) const { return line / inner * length * inner + line % inner; }
};

} // namespace proa::runtime
