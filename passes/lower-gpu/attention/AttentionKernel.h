/// The functions and values of a kernel that is replaced by the code of an attention.
#pragma once

#include "passes/lower-gpu/SingleOpKernel.h"
#include "passes/lower-gpu/attention/AttentionTile.h"

namespace proa {

/// Memory whose dims `dims` are [batch, heads, rows, elements].
AttentionTensor attentionTensorOf(mlir::IRRewriter &b, mlir::Location loc, mlir::Value memory,
                                  llvm::ArrayRef<int64_t> dims);

/// A loop over the rows of a block. The insertion point is in it afterwards.
void overRows(mlir::IRRewriter &b, mlir::Location loc, const KernelSignature &signature,
              llvm::function_ref<void(mlir::Value row)> body);
/// Removes the op and its operands, and sets the attributes of a kernel that has been mapped to threads.
void finishKernel(mlir::func::FuncOp kernel, mlir::Operation *op, const AttentionChoice &choice);

/// Lowers a kernel of one pd.paged_attention.
mlir::LogicalResult lowerPagedAttention(mlir::func::FuncOp kernel, pd::PagedAttentionOp op,
                                        mlir::ModuleOp module);

} // namespace proa
