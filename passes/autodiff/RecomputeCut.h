/// The minimum cut between the values computed before a position of a block and those used after it.
#pragma once

#include "passes/autodiff/ValueLifetimes.h"

#include "llvm/ADT/DenseSet.h"

namespace proa::autodiff {

/// Which ops may be recomputed.
struct RecomputeChoice {
  /// 0: contractions and library calls are not recomputed. Otherwise they may be, and the part before the
  /// position is divided into this number of segments. Values that flow from one segment to the next, and
  /// contractions of the last segment, are not recomputed.
  int64_t segments = 0;
};

struct RecomputeCut {
  size_t position = 0;                    ///< the cut is after the op at this position
  llvm::DenseSet<mlir::Value> recomputed; ///< values from before the cut that are recomputed after it
  int64_t keptBefore = 0, keptAfter = 0;  ///< bytes live across the cut, without and with recomputation
};

/// The cut at the position of peak memory.
RecomputeCut findRecomputeCut(const ValueLifetimes &lifetimes, const RecomputeChoice &choice);

} // namespace proa::autodiff
