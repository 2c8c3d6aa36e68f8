/// Ops by name, with inferred result types: what the importers of both program forms make.
#pragma once

#include "mlir/IR/Builders.h"

namespace proa::import {

/// Makes an op from one group of values for each of its operands (an empty group: an absent optional operand)
/// and its attributes; result types are inferred and the op's constraints checked. Null where that failed:
/// what is wrong has been emitted as diagnostics.
mlir::Operation *createOp(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                          llvm::ArrayRef<llvm::SmallVector<mlir::Value>> operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes);

} // namespace proa::import
