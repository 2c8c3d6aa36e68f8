/// Gradients of composites through their decompositions, for ops whose gradient a kernel computes otherwise.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"

namespace proa::pd {

/// The gradients of a composite by `inputs`, as a pd.vjp around its decomposition. `forward` creates the
/// composite from the block arguments; `cotangents` belong to its results; null is zero.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
gradientOfFormula(mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange inputs,
                  llvm::ArrayRef<mlir::Value> cotangents,
                  llvm::function_ref<mlir::Operation *(mlir::ValueRange)> forward);

/// The gradient of formula(x) by x, as a pd.vjp around the formula.
mlir::Value vjpOfFormula(mlir::OpBuilder &builder, mlir::Value x, mlir::Value cotangent,
                         llvm::function_ref<mlir::Value(mlir::Value x)> formula);

/// The derivative of the sum of all elements of formula(x) by x.
mlir::Value derivativeOfFormula(TensorBuilder &e, mlir::Value x,
                                llvm::function_ref<Expression(Expression x)> formula);

} // namespace proa::pd
