#include "lib/compiler/planner/MemoryPlan.h"

#include <algorithm>
#include <numeric>

namespace proa::planner {

MemoryPlan planMemory(const std::vector<Lifetime> &buffers, int64_t alignment) {
  MemoryPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  // Placed buffers, by offset.
  std::vector<size_t> placed;
  for (size_t index : order) {
    const Lifetime &buffer = buffers[index];
    int64_t bytes = (buffer.bytes + alignment - 1) / alignment * alignment;
    int64_t offset = 0;
    for (size_t other : placed) {
      const Lifetime &neighbour = buffers[other];
      if (neighbour.last < buffer.first || buffer.last < neighbour.first)
        continue;
      if (plan.offsets[other] >= offset + bytes)
        break;
      int64_t end = plan.offsets[other] + (neighbour.bytes + alignment - 1) / alignment * alignment;
      offset = std::max(offset, end);
    }
    plan.offsets[index] = offset;
    plan.bytes = std::max(plan.bytes, offset + bytes);
    auto position = std::upper_bound(placed.begin(), placed.end(), offset, [&](int64_t value, size_t other) {
      return value < plan.offsets[other];
    });
    placed.insert(position, index);
  }
  return plan;
}

} // namespace proa::planner
