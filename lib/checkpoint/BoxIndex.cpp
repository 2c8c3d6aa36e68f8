#include "lib/checkpoint/BoxIndex.h"

#include <algorithm>

namespace proa::checkpoints {

BoxIndex::BoxIndex(std::span<const Box> boxes) {
  for (size_t i = 0; i < boxes.size(); ++i)
    if (volumeOf(boxes[i]) > 0)
      order.push_back(static_cast<uint32_t>(i));
  if (order.empty())
    return;
  rank = boxes[order.front()].size();
  nodes.reserve(2 * order.size() / boxesOfLeaf + 1);
  build(0, static_cast<uint32_t>(order.size()), boxes);
  bounds.reserve(order.size() * rank);
  for (uint32_t box : order)
    bounds.insert(bounds.end(), boxes[box].begin(), boxes[box].end());
}

size_t BoxIndex::addBounds(uint32_t begin, uint32_t end, std::span<const Box> boxes) {
  size_t widest = 0;
  double mostLayers = -1;
  for (size_t d = 0; d < rank; ++d) {
    spmd::Range all = boxes[order[begin]][d];
    int64_t lastBegin = all.begin, largest = 1;
    for (uint32_t i = begin; i < end; ++i) {
      const spmd::Range &range = boxes[order[i]][d];
      all = {std::min(all.begin, range.begin), std::max(all.end, range.end)};
      lastBegin = std::max(lastBegin, range.begin);
      largest = std::max(largest, range.size());
    }
    nodeBounds.push_back(all);
    double layers = static_cast<double>(lastBegin - all.begin) / static_cast<double>(largest);
    if (layers > mostLayers) {
      mostLayers = layers;
      widest = d;
    }
  }
  return widest;
}

void BoxIndex::build(uint32_t begin, uint32_t end, std::span<const Box> boxes) {
  size_t self = nodes.size();
  nodes.push_back({begin, end, 0, nodeBounds.size()});
  size_t dim = addBounds(begin, end, boxes);
  if (end - begin <= boxesOfLeaf)
    return;
  uint32_t middle = begin + (end - begin) / 2;
  if (rank > 0)
    std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end,
                     [&](uint32_t a, uint32_t b) { return boxes[a][dim].begin < boxes[b][dim].begin; });
  build(begin, middle, boxes);
  nodes[self].right = static_cast<uint32_t>(nodes.size());
  build(middle, end, boxes);
}

} // namespace proa::checkpoints
