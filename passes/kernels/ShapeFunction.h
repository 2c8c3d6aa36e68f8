/// The function of a kernel that computes the dynamic dims of its results and of its scratch memory, and its
/// number of rows, from the dynamic dims of its operands: `@NAME_shape`.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace proa {

/// Null if the kernel has none.
mlir::func::FuncOp shapeFunctionOf(mlir::func::FuncOp kernel);

/// The name for it. Error: another function has it.
mlir::FailureOr<std::string> nameOfShapeFunction(mlir::func::FuncOp kernel);

/// A private function after the kernel with this number of parameters; the insertion point of `b` becomes the
/// start of its body.
mlir::func::FuncOp createShapeFunction(mlir::OpBuilder &b, mlir::func::FuncOp kernel, size_t parameters);

/// Sets what it returns.
void setShapes(mlir::func::FuncOp shapes, mlir::ValueRange results);

} // namespace proa
