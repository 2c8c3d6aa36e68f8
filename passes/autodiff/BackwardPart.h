/// Where the gradients of a training program begin and end, as long as they are pd.vjp.
#pragma once

#include "mlir/IR/Block.h"

#include "llvm/ADT/SetVector.h"

namespace proa::autodiff {

struct BackwardPart {
  /// Gradients that other ops than those of the backward part read: for the update of the parameters.
  llvm::SetVector<mlir::Value> gradients;
  /// Cotangents with which it begins: of a loss, a tensor of ones.
  llvm::SetVector<mlir::Value> seeds;
};

/// The backward part are the ops pd.vjp, what stands between them, and the sums of what they give. Nothing is
/// found where there is none.
BackwardPart findBackwardPart(mlir::Block &block);

/// All ops of the block that depend on one of the values, by what their regions read too; in their order.
llvm::SetVector<mlir::Operation *> dependentOps(mlir::Block &block, llvm::ArrayRef<mlir::Value> values);
/// All ops of the block that one of the values depends on.
llvm::SetVector<mlir::Operation *> neededOps(mlir::Block &block, llvm::ArrayRef<mlir::Value> values);

/// Replaces each pd.vjp, also in regions, by its decomposition; with `keepLoopGradients` not those of loops
/// with pd.snapshots. Failure, after an error, where one has none.
llvm::LogicalResult expandGradients(mlir::Operation *root, bool keepLoopGradients = false);

} // namespace proa::autodiff
