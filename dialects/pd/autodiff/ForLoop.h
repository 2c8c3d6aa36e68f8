/// scf.for over tensors: as scf.while, and its gradient in bounded memory.
#pragma once

#include "dialects/pd/autodiff/ControlFlow.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"

#include <cstdint>
#include <optional>

namespace proa::pd {

class VjpOp;

/// The attribute of an scf.for that says how many states of it its gradient may keep at a time.
inline constexpr const char *snapshotsAttribute = "pd.snapshots";

/// How often the body runs, where that is known.
std::optional<int64_t> iterationsOf(mlir::scf::ForOp loop);

/// Replaces the loop by an scf.while, which the planner runs and derivatives know. Bounds are constants or
/// elements of integer tensors (arith.index_cast of tensor.extract); the body uses the induction variable
/// only as the element of a tensor (tensor.from_elements of arith.index_cast). Failure, after an error, where
/// it is otherwise.
mlir::LogicalResult lowerFor(mlir::scf::ForOp loop);

/// lowerFor for all loops in `root`; where `keepSnapshots` not for those with the attribute, else also for
/// their gradients (expandLoopGradients).
mlir::LogicalResult lowerForLoops(mlir::Operation *root, bool keepSnapshots);

/// The same as an int64 vector of one element, whether it is known or not; up to 0 where the body does not
/// run.
mlir::Value iterationCount(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

/// The gradient of a loop with the attribute: a pd.vjp around the loop alone.
mlir::LogicalResult differentiateFor(mlir::OpBuilder &builder, mlir::scf::ForOp loop,
                                     llvm::ArrayRef<mlir::Value> cotangents,
                                     llvm::function_ref<bool(mlir::Value)> isActive, GradientSink accumulate);

/// Whether it is such a pd.vjp.
bool isLoopGradient(VjpOp op);

/// The gradient of such a pd.vjp, by the loop in forward mode and again the gradient of a loop.
mlir::LogicalResult differentiateLoopGradient(mlir::OpBuilder &builder, VjpOp op,
                                              llvm::ArrayRef<mlir::Value> cotangents,
                                              llvm::function_ref<bool(mlir::Value)> isActive,
                                              GradientSink accumulate);

/// Such a pd.vjp by binomial checkpointing (Griewank and Walther, "Algorithm 799: Revolve", 2000): the loop
/// runs again, at most so many of its states are kept, and others are computed from the kept ones, with the
/// least number of steps.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> decomposeLoopGradient(mlir::OpBuilder &builder, VjpOp op);

/// Takes every pd.vjp apart that holds a loop with the attribute. Where the program computes that loop as
/// well, it keeps the first states right then, so that the way back does not compute them again.
mlir::LogicalResult expandLoopGradients(mlir::Operation *root);

} // namespace proa::pd
