/// What the compiler knows of small integer tensors that hold shapes, axes and the like, before the program
/// runs.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "mlir/IR/PatternMatch.h"

namespace proa::pd {

/// The elements of an integer tensor in row-major order, as far as they follow from constants and from the
/// static dims of tensors; kDynamic stands for an element that is not known. Failure where not even their
/// number is known.
mlir::FailureOr<llvm::SmallVector<int64_t>> knownElements(mlir::Value tensor);

/// The same, where every element is known.
std::optional<llvm::SmallVector<int64_t>> allKnownElements(mlir::Value tensor);

/// A canonicalization: where all elements of an optional tensor operand are known, hands them to `set`, which
/// stores them in the attribute of the same meaning, and drops the operand.
mlir::LogicalResult absorbOperand(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                                  mlir::MutableOperandRange operand,
                                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> set);

} // namespace proa::pd
