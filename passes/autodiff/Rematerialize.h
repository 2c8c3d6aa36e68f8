/// Recomputation of values instead of keeping them, under a memory budget.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace proa::autodiff {

/// The effect of rematerialization on a function. Bytes are estimated from the lifetimes of its values; fused
/// kernels need less.
struct RecomputeReport {
  int64_t peakBefore = 0, peakAfter = 0; ///< peak memory, in bytes
  int64_t keptBefore = 0, keptAfter = 0; ///< bytes alive across the position of the peak
  int64_t recomputedOps = 0;
  int64_t operationsBefore = 0; ///< arithmetic operations of one run (dialects/pd/ir/Arithmetic.h)
  int64_t operationsAdded = 0;
  bool withinBudget = true;
};

/// Finds the position of peak memory in the function's body, which in a training program is between the
/// forward and the backward region, and the smallest set of values, in bytes, from which all values needed
/// after it can be recomputed: a minimum cut. The other values are recomputed where they are first needed,
/// after barriers (pd.optimization_barrier). Random numbers and control flow are never recomputed.
///
/// Without a budget, only elementwise ops, reductions and data-movement ops are recomputed. With a budget
/// that is kept already, nothing is. Otherwise contractions are too: the ops before the position are divided
/// into segments, each of which is recomputed by itself. Their number is the one that keeps the budget with
/// the least arithmetic, or comes nearest to it.
RecomputeReport rematerialize(mlir::func::FuncOp function, std::optional<int64_t> budget);

} // namespace proa::autodiff
