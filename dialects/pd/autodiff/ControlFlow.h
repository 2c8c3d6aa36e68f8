/// Reverse-mode rules of scf.if and scf.while.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace proa::pd {

/// Receives the gradient of a value.
using GradientSink = llvm::function_ref<void(mlir::Value value, mlir::Value gradient)>;

/// Creates an scf.if on the same condition, whose regions compute the gradients of the original regions.
/// `cotangents` has one value per result, null for zero. `accumulate` receives the gradients of the captured
/// values for which `isActive` holds.
mlir::LogicalResult differentiateBranch(mlir::OpBuilder &builder, mlir::scf::IfOp op,
                                        llvm::ArrayRef<mlir::Value> cotangents,
                                        llvm::function_ref<bool(mlir::Value)> isActive,
                                        GradientSink accumulate);

/// Creates a copy of the loop that saves the initial state of each iteration in tensor arrays, and a reverse
/// loop over them. `accumulate` receives the gradients of the loop's initial values and of captured values.
/// Random values are constants. Elements that iterations read from tensor arrays which the loop changes are
/// saved as well (LoopGradient.cpp).
mlir::LogicalResult differentiateLoop(mlir::OpBuilder &builder, mlir::scf::WhileOp op,
                                      llvm::ArrayRef<mlir::Value> cotangents,
                                      llvm::function_ref<bool(mlir::Value)> isActive,
                                      GradientSink accumulate);

} // namespace proa::pd
