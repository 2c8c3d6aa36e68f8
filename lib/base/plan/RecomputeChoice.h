/// Which layers of a stage recompute: the trade of time for memory.
#pragma once

#include "lib/base/plan/CostModel.h"

#include <vector>

namespace proa::plan {

/// How many layers of each kind use each mode of recomputation.
struct RecomputeCounts {
  std::vector<int> selective, full; ///< by kind
};

/// Modes of recomputation that may be used, besides None: bit 1 << mode.
using AllowedModes = uint8_t;

/// The points that no other point is below in both kept bytes and time, by ascending time, for layers with
/// `counts` and `allowed` modes by kind. Exact unless `isThinned`: then points are left out.
class RecomputeFront {
public:
  struct Point {
    double kept = 0, extra = 0;  ///< bytes of a micro-batch, seconds
    int before = 0;              ///< the point of the kinds before
    int selective = 0, full = 0; ///< layers of this kind
  };

  RecomputeFront() = default;
  RecomputeFront(const std::vector<int> &counts, const std::vector<LayerCost> &costs,
                 const std::vector<AllowedModes> &allowed);

  /// The fastest point of at most these bytes; null: none.
  const Point *within(double bytes) const;
  /// The layers of a point that within() returned.
  RecomputeCounts countsOf(const Point *point) const;

  bool isThinned = false;

private:
  /// The points of the kinds up to one.
  struct KindPoints {
    size_t kind = 0;
    std::vector<Point> points;
  };
  void addKind(size_t kind, int count, const LayerCost &cost, AllowedModes allowed);
  const std::vector<Point> &last() const { return kinds.back().points; }

  size_t kindCount = 0;
  std::vector<KindPoints> kinds; ///< the first has one point without layers
};

} // namespace proa::plan
