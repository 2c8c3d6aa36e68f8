/// Memory of kernels as tensors that the tensor memory accelerator can copy.
#pragma once

#include "dialects/proa/Proa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace proa {

/// A memref as a view of the contiguous tensor in a buffer of the kernel: each of its dims is a range of
/// another dim of the tensor, in steps of 1.
struct TensorView {
  mlir::BlockArgument buffer;
  llvm::SmallVector<mlir::AffineExpr> sizes;       ///< of the tensor, in the dynamic dims of the kernel
  llvm::SmallVector<mlir::OpFoldResult> offsets;   ///< of the memref, for each dim of the tensor
  llvm::SmallVector<mlir::OpFoldResult> viewSizes; ///< of the memref, for each dim of the tensor
  llvm::SmallVector<unsigned> dims;                ///< for each dim of the memref, the dim of the tensor
  mlir::Type element;

  /// Nothing, with the reason, if the memref is another view, or if the accelerator cannot address the
  /// tensor.
  static std::optional<TensorView> of(mlir::Value memory, std::string &reason);

  /// Whether the memref has all elements of a dim of the tensor.
  bool isWhole(unsigned dim) const;

  /// Adds a parameter with the tensor map of this tensor to the kernel. `box` are the elements of a copy in
  /// each dim of the tensor.
  mlir::Value addTensorMap(mlir::func::FuncOp kernel, llvm::ArrayRef<int64_t> box, int64_t swizzle) const;
};

/// Why it cannot copy tiles of an operand along k and another loop for wgmma, by the order of its elements;
/// empty if it can. `map` has the indices of the operand, of the loops.
std::string whyNotForWgmma(mlir::AffineMap map, unsigned outerLoop, unsigned kLoop, mlir::Type element);

/// Why the accelerator cannot copy a tensor with these sizes (kDynamic: unknown); empty if it can.
std::string whyNotAddressable(llvm::ArrayRef<int64_t> sizes, mlir::Type element);

} // namespace proa
