/// Helpers of the reverse-mode rules of scf.if, scf.while and scf.for.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "mlir/IR/IRMapping.h"

namespace proa::pd {

/// The active values that the regions of an op capture.
llvm::SmallVector<mlir::Value> activeCaptures(mlir::Operation *op,
                                              llvm::function_ref<bool(mlir::Value)> isActive);

/// The gradient of a block, as a pd.vjp around a copy of it.
struct RegionGradient {
  mlir::Block &block;
  /// The values of the block by which it is differentiated, and the inputs of the pd.vjp for them.
  llvm::SmallVector<mlir::Value> originals, inputs;
  /// The new values of other values that the block uses.
  mlir::IRMapping mapping;
  /// Operand indices of the block's terminator, and their cotangents.
  llvm::SmallVector<int64_t> outputs;
  llvm::SmallVector<mlir::Value> cotangents;
  /// Accumulated gradients of the first inputs (null: none); the returned gradients include them.
  llvm::SmallVector<mlir::Value> soFar;
  /// Results of the block's ops, and their values saved when the program ran.
  llvm::SmallVector<mlir::Value> computed, saved;

  /// Creates the pd.vjp; returns the gradient of each input.
  llvm::SmallVector<mlir::Value> create(mlir::OpBuilder &builder, mlir::Location location);
};

} // namespace proa::pd
