/// Outputs that a kernel computes whether somebody reads them or not.
#pragma once

#include "lib/runtime/Library.h"

#include <cstddef>
#include <vector>

namespace proa::runtime {

/// Memory for output i of a step; where nobody reads it, memory of its own that lives as long as `spare`.
inline Result<View> outputOrSpare(Call &call, size_t i, DType dtype, std::span<const int64_t> dims, std::vector<std::byte> &spare) {
  if (call.hasOutput(i))
    return call.output(i, dims);
  View view{dtype, dims, nullptr};
  spare.resize(static_cast<size_t>(view.size()) * sizeOf(dtype) + 1); // an empty tensor has an address too
  view.data = spare.data();
  return view;
}

} // namespace proa::runtime
