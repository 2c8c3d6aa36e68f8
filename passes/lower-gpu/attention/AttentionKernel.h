/// A kernel of attention that is replaced by the code of a thread.
#pragma once

#include "passes/lower-gpu/SingleOpKernel.h"
#include "passes/lower-gpu/attention/AttentionTile.h"

namespace proa {

/// Common steps of the lowerings of pd.fused_attention, its gradients and pd.paged_attention.
class AttentionLowering : public SingleOpLowering {
protected:
  using SingleOpLowering::SingleOpLowering;

  /// Memory whose dims `dims` are [batch, heads, rows, elements].
  AttentionTensor tensorOf(mlir::Value memory, llvm::ArrayRef<int64_t> dims);
  /// A loop over the rows of a block.
  void overRows(llvm::function_ref<void(mlir::Value row)> body);
  /// Removes the op and its operands, and sets the attributes of a kernel that has been mapped to threads.
  void finish();

  AttentionChoice choice;
};

/// Lowers a kernel of one pd.paged_attention.
mlir::LogicalResult lowerPagedAttention(mlir::func::FuncOp kernel, pd::PagedAttentionOp op,
                                        mlir::ModuleOp module);

} // namespace proa
