/// Static memory planning: offsets in one arena for buffers with known lifetimes.
#pragma once

#include <cstdint>
#include <vector>

namespace proa::planner {

/// A buffer that is alive from the step that writes it to the last one that reads it, both included.
struct Lifetime {
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets; ///< for each buffer, a multiple of the alignment
  int64_t bytes = 0;            ///< of the whole arena
};

/// Greedy by size (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020): the
/// largest buffers first, each at the lowest offset where no buffer that lives at the same time is.
MemoryPlan planMemory(const std::vector<Lifetime> &buffers, int64_t alignment);

} // namespace proa::planner
