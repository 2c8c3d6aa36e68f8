/// scf.for over tensors: as scf.while, and its gradient in bounded memory.
#pragma once

#include "dialects/pd/autodiff/ControlFlow.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace proa::pd {

/// The attribute of an scf.for that says how many states of it its gradient may keep at a time.
inline constexpr const char *snapshotsAttribute = "pd.snapshots";

/// How often the body runs, where that is known.
std::optional<int64_t> iterationsOf(mlir::scf::ForOp loop);

/// Replaces the loop by an scf.while, which the planner runs and derivatives know. Bounds are constants or
/// elements of integer tensors (arith.index_cast of tensor.extract); the body uses the induction variable
/// only as the element of a tensor (tensor.from_elements of arith.index_cast). Failure, after an error, where
/// it is otherwise.
mlir::LogicalResult lowerFor(mlir::scf::ForOp loop);

/// lowerFor for all loops in `root`, but for those with the attribute where `keepSnapshots`.
mlir::LogicalResult lowerForLoops(mlir::Operation *root, bool keepSnapshots);

/// The gradient of a loop with the attribute, by binomial checkpointing (Griewank and Walther, "Algorithm
/// 799: Revolve", 2000): the loop runs again, at most so many of its states are kept, and others are computed
/// from the kept ones, with the least number of steps. Needs a known number of iterations.
mlir::LogicalResult differentiateFor(mlir::OpBuilder &builder, mlir::scf::ForOp loop,
                                     llvm::ArrayRef<mlir::Value> cotangents,
                                     llvm::function_ref<bool(mlir::Value)> isActive, GradientSink accumulate);

/// What is done on the way back through a loop.
struct LoopAction {
  enum Kind : int64_t { Step, Store, Restore, Reverse } kind;
  int64_t argument; ///< the iteration of Step and Reverse, the place of Store and Restore
};

/// The actions that reverse all `iterations`, beginning with the first state, with at most `snapshots` (1 or
/// more) states kept.
std::vector<LoopAction> binomialSchedule(int64_t iterations, int64_t snapshots);

} // namespace proa::pd
