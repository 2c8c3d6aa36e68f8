/// Compile-time evaluation of small integer tensors with shapes, axes and similar values.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "mlir/IR/PatternMatch.h"

namespace proa::pd {

/// The elements of an integer tensor in row-major order, if they follow from constants and static dims;
/// kDynamic for unknown elements. Failure if their number is dynamic.
mlir::FailureOr<llvm::SmallVector<int64_t>> knownElements(mlir::Value tensor);

/// As above, if every element is known.
std::optional<llvm::SmallVector<int64_t>> allKnownElements(mlir::Value tensor);

/// The tensor, if all of its elements, integers or floats, follow from constants and static dims.
std::optional<Tensor> knownTensor(mlir::Value value);

/// A canonicalization: if all elements of an optional tensor operand are known, passes them to `set`, which
/// stores them in the corresponding attribute, and drops the operand.
mlir::LogicalResult absorbOperand(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                                  mlir::MutableOperandRange operand,
                                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> set);

} // namespace proa::pd
