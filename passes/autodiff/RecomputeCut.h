/// The minimum cut between the values before a position of a block and the values needed after it.
#pragma once

#include "passes/autodiff/ValueLifetimes.h"

#include "llvm/ADT/DenseSet.h"

namespace proa::autodiff {

/// Which ops may be recomputed.
struct RecomputeChoice {
  /// 0: all except contractions and library calls. Otherwise these too, and the ops before the position are
  /// divided into this many segments. Values that flow from one segment to the next are not recomputed, and
  /// neither are the contractions of the last segment.
  int64_t segments = 0;
};

struct RecomputeCut {
  size_t position = 0;                    ///< index of the last op before the position
  llvm::DenseSet<mlir::Value> recomputed; ///< values from before the position that are recomputed after it
  int64_t keptBefore = 0, keptAfter = 0;  ///< bytes alive across the position, without and with the cut
};

/// The cut at the position of peak memory.
RecomputeCut findRecomputeCut(const ValueLifetimes &lifetimes, const RecomputeChoice &choice);

} // namespace proa::autodiff
