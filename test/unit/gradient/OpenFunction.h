/// Functions with dynamic argument dims.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa::test {

/// Makes dims of the arguments dynamic, for which `isOpen` returns true, and dims of all values that depend
/// on them. Failure if an op then has no valid type.
mlir::LogicalResult makeDimsDynamic(mlir::func::FuncOp function, llvm::function_ref<bool()> isOpen);

/// Sets the types of the arguments, and refines all others.
mlir::LogicalResult closeDims(mlir::func::FuncOp function, mlir::TypeRange types);

} // namespace proa::test
