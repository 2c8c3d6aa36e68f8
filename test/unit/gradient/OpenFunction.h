/// Functions whose arguments' dims are open.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa::test {

/// Opens the dims of the function's arguments, for each of which `isOpen` tells so, and of all values that
/// follow from them. Failure where an op can't be typed then.
mlir::LogicalResult makeDimsDynamic(mlir::func::FuncOp function, llvm::function_ref<bool()> isOpen);

/// Gives the arguments these types, and refines all other ones.
mlir::LogicalResult closeDims(mlir::func::FuncOp function, mlir::TypeRange types);

} // namespace proa::test
