/// Boxes that stay in a non-maximum suppression, by vectors.
#pragma once

#include <cstdint>
#include <vector>

namespace proa::runtime {

/// Compares a box with all that were taken before, 16 at a time. Overlaps are computed as by boxOverlap().
class TakenBoxes {
public:
  explicit TakenBoxes(bool normalized) : pixel(normalized ? 0.0f : 1.0f) {}

  /// Whether the overlap with each of them is at most `limit`.
  bool admit(const float *box, float limit) const;
  void add(const float *box);

private:
  float pixel;       ///< what is added to a width and a height
  int64_t count = 0; ///< of boxes
  /// Of 16 boxes each: left, top, right and bottom corners, and areas.
  std::vector<float> groups;
};

} // namespace proa::runtime
