/// Computing values once more instead of keeping them, under a memory budget.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace proa::autodiff {

/// The effect of rematerialization on a function. Bytes are an estimate by the lifetimes of its values; fused
/// kernels need less.
struct RecomputeReport {
  int64_t peakBefore = 0, peakAfter = 0; ///< the most bytes alive at once
  int64_t keptBefore = 0, keptAfter = 0; ///< bytes kept over the place where most were alive
  int64_t recomputedOps = 0;
  int64_t operationsBefore = 0; ///< arithmetic of one run, dialects/pd/ir/Arithmetic.h
  int64_t operationsAdded = 0;
  bool withinBudget = true;
};

/// Looks for the place of the function's body where most bytes are alive, which in a training program lies
/// between forward and backward part, and for the set of values with the fewest bytes from which what is
/// needed behind it can be computed again: a minimum cut. What was not kept is computed again behind barriers
/// (pd.optimization_barrier) where it is first needed. Random numbers and control flow are never computed
/// again.
///
/// Without a budget only elementwise ops, reductions and moves are. With one, nothing where it is kept
/// already; else also contractions, with the part before that place in segments of which each is computed
/// again by itself, in as many as it takes to keep the budget with the least arithmetic, or to come nearest
/// to it.
RecomputeReport rematerialize(mlir::func::FuncOp function, std::optional<int64_t> budget);

} // namespace proa::autodiff
