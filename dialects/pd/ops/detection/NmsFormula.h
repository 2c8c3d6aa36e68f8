/// Non-maximum suppression in formulas.
#pragma once

#include "dialects/pd/ops/detection/BoxFormula.h"
#include "dialects/pd/ops/search/Order.h"

namespace proa::pd {

/// The score of a box that is not a candidate: below all scores and thresholds.
inline constexpr double noScore = -3e38;

/// Suppression in several lists of boxes. Boxes are in descending order of their scores.
struct Suppression {
  double threshold, eta;
  double pixel; ///< 1 if corners are inclusive pixels, else 0
  /// Whether each of the boxes [lists, count, 4] is selected, from whether it is a candidate: a loop over the
  /// boxes. A box is selected unless it overlaps a selected one by more than the threshold. With eta below 1
  /// each selected box multiplies a threshold above 0.5 by eta.
  Expression select(Expression boxes, Expression isCandidate) const;
};

/// The `most` best scores along the last axis (below 0: all).
Descending sortedByScore(Expression scores, int64_t most);
/// Whether each candidate along the last axis is among the `most` best ones (below 0: all).
Expression isAmongBest(Expression scores, int64_t most);

/// Rows of each list of x [lists, count, ...] at its indices [lists, k].
Expression rowsOfLists(Expression x, Expression indices);
} // namespace proa::pd
