/// Copying between strided tensors: the one loop behind transpose, slice, concat, expand, flip and packing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace proa::runtime {

/// One axis of a copy: strides in elements; the source's may be 0 (broadcast) or negative (reversal).
struct CopyAxis {
  int64_t size, source, target;
};

/// target[i . targetStrides] = source[i . sourceStrides] for all indices i. Elements have 1, 2, 4, 8 or 16
/// bytes. The target's elements must be distinct, and apart from the source's. Parallel where it pays.
void stridedCopy(size_t elementBytes, std::vector<CopyAxis> axes, const void *source, void *target);

/// The same from arrays of equal length.
void stridedCopy(size_t elementBytes, std::span<const int64_t> dims, const void *source,
                 std::span<const int64_t> sourceStrides, void *target,
                 std::span<const int64_t> targetStrides);

} // namespace proa::runtime
