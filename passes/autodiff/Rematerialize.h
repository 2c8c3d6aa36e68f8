/// Rematerialization: values are recomputed instead of kept, under a memory budget.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace proa::autodiff {

/// The effect of rematerialization on a function. Bytes are estimated from the lifetimes of its values; fused
/// kernels need less.
struct RecomputeReport {
  int64_t peakBefore = 0, peakAfter = 0; ///< the most bytes alive at once
  int64_t keptBefore = 0, keptAfter = 0; ///< bytes live across the position of the peak
  int64_t recomputedOps = 0;
  int64_t operationsBefore = 0; ///< arithmetic operations of one run (dialects/pd/ir/Arithmetic.h)
  int64_t operationsAdded = 0;
  bool withinBudget = true;
};

/// Finds the position of peak memory in the function's body, which in a training program is between forward
/// and backward part. A minimum cut finds the values with the fewest bytes from which the values used after
/// that position can be recomputed. A value that was not kept is recomputed where it is first needed, after a
/// pd.optimization_barrier. Random ops and control flow are never recomputed.
///
/// Without a budget, only elementwise ops, reductions and data-movement ops are recomputed. With a budget,
/// nothing is recomputed if the budget is already met. Otherwise contractions are recomputed too, and the
/// part before the position is divided into segments that are recomputed separately: the fewest that meet the
/// budget, or those with the least peak memory.
RecomputeReport rematerialize(mlir::func::FuncOp function, std::optional<int64_t> budget);

} // namespace proa::autodiff
