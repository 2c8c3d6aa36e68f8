/// Derivatives of ops whose rules need dims that are open: a pd.vjp around the op alone, which is taken
/// apart as soon as they are known.
#pragma once

#include "dialects/pd/ops/autodiff/VjpOps.h"

#include "mlir/IR/Diagnostics.h"

#include <thread>

namespace proa::pd {

/// Sees the errors that this thread reports while it lives: what fails without one waits for dims.
class ErrorWatch {
public:
  explicit ErrorWatch(mlir::MLIRContext *context);
  bool hasSeen() const { return seen; }

private:
  bool seen = false;
  mlir::ScopedDiagnosticHandler handler;
};

/// Whether a dim of an operand or result is open, so that the op may have a derivative later.
bool hasDynamicDims(mlir::Operation *op);
/// The same of an op whose regions, if it has any, read nothing but their arguments: its derivative can wait.
bool isDeferrable(mlir::Operation *op);

/// The gradient of each operand; null for integers and bools. Cotangents are null for zero.
llvm::SmallVector<mlir::Value> deferredGradient(mlir::OpBuilder &builder, mlir::Operation *op,
                                                llvm::ArrayRef<mlir::Value> cotangents);

/// The tangent of each result, from those of the operands (null: zero): the gradient of a gradient by its
/// cotangents.
llvm::SmallVector<mlir::Value> deferredTangent(mlir::OpBuilder &builder, mlir::Operation *op,
                                               llvm::ArrayRef<mlir::Value> tangents);

} // namespace proa::pd
