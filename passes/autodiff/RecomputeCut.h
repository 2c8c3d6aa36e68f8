/// The minimum cut between what is computed before and what is needed behind a place of a block.
#pragma once

#include "passes/autodiff/ValueLifetimes.h"

#include "llvm/ADT/DenseSet.h"

namespace proa::autodiff {

/// The ops that may be recomputed.
struct RecomputeChoice {
  /// 0: no contractions and library calls. Else they may be, and the part before the place is divided into so
  /// many segments: what flows from one to the next is not computed again, and the last segment's
  /// contractions are not.
  int64_t segments = 0;
};

struct RecomputeCut {
  size_t position = 0;                    ///< the place: behind the op with this number
  llvm::DenseSet<mlir::Value> recomputed; ///< values from before it that are computed again behind it
  int64_t keptBefore = 0, keptAfter = 0;  ///< bytes that are kept over it
};

RecomputeCut findRecomputeCut(const ValueLifetimes &lifetimes, const RecomputeChoice &choice);

} // namespace proa::autodiff
