/// The backward part of a training program whose gradients are still pd.vjp.
#pragma once

#include "mlir/IR/Block.h"

#include "llvm/ADT/SetVector.h"

namespace proa::autodiff {

struct BackwardPart {
  /// Gradients that ops outside of the backward part read, such as parameter updates.
  llvm::SetVector<mlir::Value> gradients;
  /// The initial cotangents. That of a loss is a tensor of ones.
  llvm::SetVector<mlir::Value> seeds;
};

/// Finds the backward part of a block: its pd.vjp ops, the ops between them, and sums of their results. Both
/// sets are empty if there is none.
BackwardPart findBackwardPart(mlir::Block &block);

/// The ops of the block that depend on one of the values, directly or in their regions, in program order.
llvm::SetVector<mlir::Operation *> dependentOps(mlir::Block &block, llvm::ArrayRef<mlir::Value> values);
/// The ops of the block on which one of the values depends.
llvm::SetVector<mlir::Operation *> neededOps(mlir::Block &block, llvm::ArrayRef<mlir::Value> values);

/// Replaces each pd.vjp, also in regions, by its decomposition; `keepLoopGradients` excludes those of loops
/// with pd.snapshots. Failure, after an error, if one cannot be decomposed.
llvm::LogicalResult expandGradients(mlir::Operation *root, bool keepLoopGradients = false);

} // namespace proa::autodiff
