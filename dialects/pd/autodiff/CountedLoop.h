/// Loops over 0, 1, ..., count - 1 as scf.while, the loop that the planner supports.
#pragma once

#include "mlir/IR/Builders.h"

namespace proa::pd {

/// `body` gets the iteration's index (an int64 vector of one element) and the carried values, and returns
/// their next values, of the same types. `count` is an int64 vector of one element. Returns the carried
/// values after the loop.
llvm::SmallVector<mlir::Value>
countedLoop(mlir::OpBuilder &builder, mlir::Location location, mlir::Value count, mlir::ValueRange inits,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Value index,
                                                              mlir::ValueRange carried)>
                body);

/// A constant: an int64 vector of one element.
mlir::Value oneInt(mlir::OpBuilder &builder, mlir::Location location, int64_t value);

/// A bool tensor of one element as the condition of scf.if and scf.condition.
mlir::Value asCondition(mlir::OpBuilder &builder, mlir::Location location, mlir::Value tensor);

} // namespace proa::pd
