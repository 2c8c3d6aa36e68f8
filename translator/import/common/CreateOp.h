/// Creation of ops of pd with inferred result types, for the importers of both program forms.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"

#include "mlir/IR/Builders.h"

namespace proa::import {

/// Creates the op that a table names, from one group of values for each of its operands (an empty group: an
/// absent optional operand) and its attributes. Infers the result types and checks the op's constraints.
/// Returns null after an error, which is emitted as a diagnostic.
mlir::Operation *createOp(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                          llvm::ArrayRef<llvm::SmallVector<mlir::Value>> operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes);

/// Whether the dims or values of the feeds may avoid an error about these operands: a dynamic dim, or
/// numbers that the program computes.
bool mayDependOnFeeds(llvm::ArrayRef<llvm::SmallVector<mlir::Value>> operands);

/// The value of a formula at the insertion point; null after an error, which is emitted as a diagnostic.
mlir::Value buildFormula(mlir::OpBuilder &builder, mlir::Location location,
                         llvm::function_ref<mlir::Value(pd::TensorBuilder &)> formula);

} // namespace proa::import
