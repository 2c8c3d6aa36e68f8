/// The reference evaluator: runs ops on host tensors, one element at a time, in double precision. It defines
/// the primitives, is the oracle of kernels, and folds constants.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

class RandomState;

/// The results of a primitive with static types, of a library op with a reference kernel, or of a composite
/// by its decomposition. Errors name the op. Random ops need `random`.
Result<llvm::SmallVector<Tensor>> evaluateOp(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                                             RandomState *random = nullptr);

/// Converts a constant to a host tensor, and back.
Tensor tensorFromAttribute(mlir::ElementsAttr attribute);
mlir::DenseElementsAttr attributeFromTensor(mlir::MLIRContext *context, const Tensor &tensor);

/// The fold hook of primitives: folds if all operands are constant and the result is small enough to be
/// stored in the program.
mlir::OpFoldResult foldByEvaluation(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);

/// foldByEvaluation() for any number of results; failure if the op cannot be folded.
llvm::LogicalResult foldAllByEvaluation(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands,
                                        llvm::SmallVectorImpl<mlir::OpFoldResult> &results);

/// Row-major strides in elements.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> dims);
/// Calls `f` with each index of a tensor of these dims, in row-major order, and its linear position.
void forEachIndex(llvm::ArrayRef<int64_t> dims, llvm::function_ref<void(llvm::ArrayRef<int64_t>, int64_t)> f);

} // namespace proa::pd
