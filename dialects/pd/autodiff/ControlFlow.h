/// Reverse-mode rules of scf.if and scf.while.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace proa::pd {

/// Takes the gradient of a value.
using GradientSink = llvm::function_ref<void(mlir::Value value, mlir::Value gradient)>;

/// An scf.if on the same condition, whose arms are the gradients of the arms. `cotangents` has one value a
/// result, null for zero; gradients go to the values from outside that an arm reads and for which `isActive`
/// holds.
mlir::LogicalResult differentiateBranch(mlir::OpBuilder &builder, mlir::scf::IfOp op,
                                        llvm::ArrayRef<mlir::Value> cotangents,
                                        llvm::function_ref<bool(mlir::Value)> isActive,
                                        GradientSink accumulate);

/// The loop once more, with what each iteration begins with kept in tensor arrays, then a loop back through
/// them. Gradients go to the values with which the loop begins and to those from outside that it reads.
/// What it draws at random is not differentiated. What iterations find in tensor arrays that
/// the loop changes is kept as well (LoopGradient.cpp).
mlir::LogicalResult differentiateLoop(mlir::OpBuilder &builder, mlir::scf::WhileOp op,
                                      llvm::ArrayRef<mlir::Value> cotangents,
                                      llvm::function_ref<bool(mlir::Value)> isActive,
                                      GradientSink accumulate);

} // namespace proa::pd
