/// scf.for over tensors: its lowering to scf.while, and its gradient in bounded memory.
#pragma once

#include "dialects/pd/autodiff/ControlFlow.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"

#include <cstdint>
#include <optional>

namespace proa::pd {

class VjpOp;

/// Attribute of an scf.for: the most states of the loop that its gradient may keep at a time.
inline constexpr const char *snapshotsAttribute = "pd.snapshots";

/// The trip count if it is static.
std::optional<int64_t> iterationsOf(mlir::scf::ForOp loop);

/// Replaces the loop by an scf.while, which planner and derivatives support. Bounds must be constants or
/// elements of integer tensors (arith.index_cast of tensor.extract), and the body may use the induction
/// variable only as the element of a tensor (tensor.from_elements of arith.index_cast). Failure, after an
/// error, otherwise.
mlir::LogicalResult lowerFor(mlir::scf::ForOp loop);

/// Applies lowerFor() to all loops in `root`. With `keepSnapshots`, loops with the snapshots attribute are
/// skipped; without it, their gradients are expanded first (expandLoopGradients).
mlir::LogicalResult lowerForLoops(mlir::Operation *root, bool keepSnapshots);

/// The static or dynamic trip count as an int64 vector of one element; 0 or negative if the body does not
/// run.
mlir::Value iterationCount(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

/// The gradient of a loop with the snapshots attribute: a pd.vjp around the loop alone.
mlir::LogicalResult differentiateFor(mlir::OpBuilder &builder, mlir::scf::ForOp loop,
                                     llvm::ArrayRef<mlir::Value> cotangents,
                                     llvm::function_ref<bool(mlir::Value)> isActive, GradientSink accumulate);

/// Whether the op is a pd.vjp created by differentiateFor().
bool isLoopGradient(VjpOp op);

/// The gradient of a pd.vjp created by differentiateFor(): the loop in forward mode, and its gradient.
mlir::LogicalResult differentiateLoopGradient(mlir::OpBuilder &builder, VjpOp op,
                                              llvm::ArrayRef<mlir::Value> cotangents,
                                              llvm::function_ref<bool(mlir::Value)> isActive,
                                              GradientSink accumulate);

/// Decomposes a pd.vjp created by differentiateFor() by binomial checkpointing (Griewank and Walther,
/// "Algorithm 799: Revolve", 2000): the loop runs again, at most the given number of its states are kept, and
/// the others are recomputed from them in the fewest steps.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> decomposeLoopGradient(mlir::OpBuilder &builder, VjpOp op);

/// Decomposes every pd.vjp that contains a loop with the snapshots attribute. If the program computes that
/// loop as well, the first states are stored during that loop, so that the reverse loop does not recompute
/// them.
mlir::LogicalResult expandLoopGradients(mlir::Operation *root);

} // namespace proa::pd
