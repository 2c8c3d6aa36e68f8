/// Which layers of a stage recompute: the trade of time for memory.
#pragma once

#include "lib/plan/CostModel.h"

#include <vector>

namespace proa::plan {

/// How many layers of each kind use each mode of recomputation.
struct RecomputePoint {
  double kept = 0, extra = 0;       ///< bytes of a micro-batch, seconds
  std::vector<int> selective, full; ///< by kind
};

/// Modes of recomputation that may be used, besides None: bit 1 << mode.
using AllowedModes = uint8_t;

/// The points that no other point is below in both kept bytes and time, by ascending time, for layers with
/// `counts` and `allowed` modes by kind. Exact unless `isThinned`: then points are left out.
struct RecomputeFront {
  std::vector<RecomputePoint> points;
  bool isThinned = false;

  RecomputeFront() = default;
  RecomputeFront(const std::vector<int> &counts, const std::vector<LayerCost> &costs,
                 const std::vector<AllowedModes> &allowed);

  /// The fastest point of at most these bytes; null: none.
  const RecomputePoint *within(double bytes) const;

private:
  void addKind(size_t kind, int count, const LayerCost &cost, AllowedModes allowed);
};

} // namespace proa::plan
