/// Outputs that a kernel computes whether somebody reads them or not.
#pragma once

#include "lib/runtime/plan/Library.h"

#include <cstddef>
#include <vector>

namespace proa::runtime {

/// Memory for outputs; where nobody wants one, of its own.
class OutputMemory {
public:
  Result<View> get(Call &call, size_t i, DType dtype, std::span<const int64_t> dims) {
    if (call.hasOutput(i))
      return call.output(i, dims);
    View view{dtype, dims, nullptr};
    spare.emplace_back(static_cast<size_t>(view.size()) * sizeOf(dtype) + 1);
    view.data = spare.back().data();
    return view;
  }

private:
  std::vector<std::vector<std::byte>> spare;
};

} // namespace proa::runtime
