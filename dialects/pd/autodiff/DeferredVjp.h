/// Derivatives of ops with dynamic dims whose rules need static dims: a pd.vjp around the op alone, which is
/// decomposed when the dims become static.
#pragma once

#include "dialects/pd/ops/autodiff/VjpOps.h"

#include "mlir/IR/Diagnostics.h"

#include <thread>

namespace proa::pd {

/// Detects errors that this thread reports during its lifetime. A rule that fails without an error only needs
/// static dims.
class ErrorWatch {
public:
  explicit ErrorWatch(mlir::MLIRContext *context);
  bool hasSeen() const { return seen; }

private:
  bool seen = false;
  mlir::ScopedDiagnosticHandler handler;
};

/// Whether an operand or result has a dynamic dim.
bool hasDynamicDims(mlir::Operation *op);
/// Whether the op's derivative can be deferred: it has dynamic dims, and its regions capture no values.
bool isDeferrable(mlir::Operation *op);

/// The gradient of each operand, by a pd.vjp around the op; null for integers and bools. Cotangents are null
/// for zero.
llvm::SmallVector<mlir::Value> deferredGradient(mlir::OpBuilder &builder, mlir::Operation *op,
                                                llvm::ArrayRef<mlir::Value> cotangents);

/// The tangent of each result, from the tangents of the operands (null: zero). It is the vjp, by the
/// cotangents u, of u -> J^T u, which is J times the tangents.
llvm::SmallVector<mlir::Value> deferredTangent(mlir::OpBuilder &builder, mlir::Operation *op,
                                               llvm::ArrayRef<mlir::Value> tangents);

} // namespace proa::pd
