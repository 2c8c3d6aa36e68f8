/// The reference evaluator: runs ops on host tensors, one element at a time, in double precision. It defines
/// the primitives; kernels are compared with it, and constants are folded by it.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

class RandomState;

/// The results of a primitive with all types static, of a library op with a reference kernel, or of a
/// composite by its decomposition. Problems name the op. Without `draws` an op that samples cannot be run.
Result<llvm::SmallVector<Tensor>> evaluateOp(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                                             RandomState *draws = nullptr);

/// A constant as a host tensor, and back.
Tensor tensorFromAttribute(mlir::ElementsAttr attribute);
mlir::DenseElementsAttr attributeFromTensor(mlir::MLIRContext *context, const Tensor &tensor);

/// The fold hook of primitives: all operands constant, and the result small enough to be worth keeping in the
/// program.
mlir::OpFoldResult foldByEvaluation(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);

/// The same for any number of results; failure where the op can't be folded.
llvm::LogicalResult foldAllByEvaluation(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands,
                                        llvm::SmallVectorImpl<mlir::OpFoldResult> &results);

/// Row-major strides in elements.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> dims);
/// Calls `f` with each index of the box in row-major order and its linear position.
void forEachIndex(llvm::ArrayRef<int64_t> dims, llvm::function_ref<void(llvm::ArrayRef<int64_t>, int64_t)> f);

} // namespace proa::pd
