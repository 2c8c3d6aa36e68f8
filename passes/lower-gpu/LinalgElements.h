/// Code of a linalg op on memory at one element.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace proa {

/// The buffer or argument below all views.
mlir::Value rootOf(mlir::Value memory);

/// The results of `map` at `indices`; a null index is of a loop that the map does not use.
llvm::SmallVector<mlir::Value> indicesThrough(mlir::OpBuilder &b, mlir::Location loc, mlir::AffineMap map,
                                              mlir::ValueRange indices);

/// The element of an operand at the indices of the loops; a scalar operand is its own element.
mlir::Value loadElement(mlir::OpBuilder &b, mlir::Location loc, mlir::linalg::LinalgOp op,
                        mlir::OpOperand &operand, mlir::ValueRange indices);

/// Copies the body of `op` and returns the copies of `values` of it, or of what it yields. `read` gives the
/// value of an operand that the body uses.
llvm::SmallVector<mlir::Value> cloneBody(mlir::OpBuilder &b, mlir::linalg::LinalgOp op,
                                         mlir::ValueRange indices,
                                         llvm::function_ref<mlir::Value(mlir::OpOperand &)> read,
                                         std::optional<mlir::ValueRange> values = std::nullopt);

/// Stores the results of `op` at the indices of its loops.
void storeElements(mlir::OpBuilder &b, mlir::Location loc, mlir::linalg::LinalgOp op, mlir::ValueRange values,
                   mlir::ValueRange indices);

} // namespace proa
