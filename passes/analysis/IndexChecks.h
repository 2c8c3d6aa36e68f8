/// The checks of a kernel that elements of its inputs are indices.
#pragma once

#include "dialects/pd/builders/ElementBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa {

/// The words of `count` checks as `pd::KernelChecks` needs them. `base` is the argument, a memref<i64>.
mlir::Value viewOfWords(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base, size_t count);

/// Sets `proa.index_checks`.
void describeChecks(mlir::func::FuncOp kernel, const pd::KernelChecks &checks);

} // namespace proa
