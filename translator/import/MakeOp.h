/// Creation of ops by name, with inferred result types, for the importers of both program forms.
#pragma once

#include "mlir/IR/Builders.h"

namespace proa::import {

/// Creates an op from one group of values for each of its operands (an empty group: an absent optional
/// operand) and its attributes. Strings for enum attributes are converted, result types are inferred and the
/// op's constraints checked. Returns null on failure, after diagnostics.
mlir::Operation *makeOp(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                        llvm::ArrayRef<llvm::SmallVector<mlir::Value>> operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes);

} // namespace proa::import
