/// What the reverse-mode rules of scf.if and scf.while share.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "mlir/IR/IRMapping.h"

namespace proa::pd {

/// Values from outside that the regions of an op read and that a gradient flows to.
llvm::SmallVector<mlir::Value> activeCaptures(mlir::Operation *op,
                                              llvm::function_ref<bool(mlir::Value)> isActive);

/// A copy of a block whose gradients are wanted.
struct RegionGradient {
  mlir::Block &block;
  /// What the gradients are taken by, and what stands for it in the copy.
  llvm::SmallVector<mlir::Value> originals, inputs;
  /// What else stands for what in the copy.
  mlir::IRMapping mapping;
  /// Numbers of operands of the block's terminator, and their cotangents.
  llvm::SmallVector<int64_t> outputs;
  llvm::SmallVector<mlir::Value> cotangents;
  /// For some of the first inputs what has come to them already (null: nothing): their gradient includes it.
  llvm::SmallVector<mlir::Value> soFar;
  /// Results of the block's ops, and the values that they had when the program ran.
  llvm::SmallVector<mlir::Value> computed, saved;

  /// Makes the pd.vjp; returns the gradient of each input.
  llvm::SmallVector<mlir::Value> create(mlir::OpBuilder &builder, mlir::Location location);
};

} // namespace proa::pd
