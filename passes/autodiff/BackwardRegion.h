/// The gradients of a training program, before pd.vjp is decomposed.
#pragma once

#include "dialects/pd/ops/autodiff/VjpOps.h"

#include "mlir/IR/Block.h"

#include "llvm/ADT/SetVector.h"

namespace proa::autodiff {

struct BackwardRegion {
  /// Gradients that ops outside of the backward region read, such as parameter updates.
  llvm::SetVector<mlir::Value> gradients;
  /// Cotangents that it begins with; the cotangent of a loss is a tensor of ones.
  llvm::SetVector<mlir::Value> seeds;
};

/// The backward region: the ops pd.vjp, the ops between them, and the sums of their results. Empty without
/// pd.vjp.
BackwardRegion findBackwardRegion(mlir::Block &block);

/// Puts a barrier after each cotangent, so that ops that depend on it stay known
/// (dialects/pd/autodiff/Seeds.h).
void markSeeds(const llvm::SetVector<mlir::Value> &seeds);

/// All ops of the block that depend on one of the values, also through their regions, in program order.
llvm::SetVector<mlir::Operation *> dependentOps(mlir::Block &block, llvm::ArrayRef<mlir::Value> values);
/// The ops of the block on which one of the values depends.
llvm::SetVector<mlir::Operation *> neededOps(mlir::Block &block, llvm::ArrayRef<mlir::Value> values);

/// Replaces each pd.vjp for which `isKept` is false, also in regions, by its decomposition. Error: one cannot
/// be decomposed.
llvm::LogicalResult expandGradients(mlir::Operation *root, llvm::function_ref<bool(pd::VjpOp)> isKept);

} // namespace proa::autodiff
