/// An index that finds the boxes that overlap another box.
#pragma once

#include "lib/checkpoint/Box.h"

#include <cstdint>
#include <span>
#include <vector>

namespace proa::checkpoints {

/// A balanced tree of bounding boxes over the boxes of one tensor. Building takes O(n log n) for n boxes, a
/// query O(log n + overlaps) where boxes are disjoint and of similar sizes. Boxes without elements are left
/// out.
class BoxIndex {
public:
  explicit BoxIndex(std::span<const Box> boxes);

  /// Calls `visit(size_t box)` with each box that has an element of `query`, in no fixed order.
  template <class Visitor> void forEachOverlap(const Box &query, Visitor visit) const {
    if (nodes.empty())
      return;
    uint32_t stack[mostLevels];
    size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
      const Node &node = nodes[stack[--depth]];
      if (!overlaps(&nodeBounds[node.bounds], query))
        continue;
      if (node.right != 0) {
        stack[depth++] = node.right;
        stack[depth++] = static_cast<uint32_t>(&node - nodes.data()) + 1;
        continue;
      }
      for (uint32_t i = node.begin; i < node.end; ++i)
        if (overlaps(&bounds[i * rank], query))
          visit(static_cast<size_t>(order[i]));
    }
  }

private:
  /// The boxes order[begin] to order[end - 1]. The left child follows its parent.
  struct Node {
    uint32_t begin = 0, end = 0;
    uint32_t right = 0; ///< 0: a leaf
    size_t bounds = 0;
  };
  static constexpr size_t mostLevels = 72, boxesOfLeaf = 4;

  bool overlaps(const spmd::Range *ranges, const Box &query) const {
    for (size_t d = 0; d < rank; ++d)
      if (ranges[d].begin >= query[d].end || query[d].begin >= ranges[d].end)
        return false;
    return true;
  }
  void build(uint32_t begin, uint32_t end, std::span<const Box> boxes);
  /// Appends the bounding box of a node. Returns the dim to split: that with the most boxes beside each
  /// other.
  size_t addBounds(uint32_t begin, uint32_t end, std::span<const Box> boxes);

  size_t rank = 0;
  std::vector<uint32_t> order;
  std::vector<spmd::Range> bounds; ///< of the boxes in this order
  std::vector<Node> nodes;
  std::vector<spmd::Range> nodeBounds;
};

} // namespace proa::checkpoints
