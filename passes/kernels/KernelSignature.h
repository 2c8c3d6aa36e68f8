/// The signature of kernels on memory.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace proa {

/// A memref that the bare-pointer calling convention can pass: static, or a mere base pointer.
mlir::MemRefType boundaryType(mlir::RankedTensorType type);

/// `base` with the shape of `type`, whose dynamic dims come from the front of `dims`.
mlir::Value withShape(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                      mlir::RankedTensorType type, llvm::ArrayRef<mlir::Value> &dims);

/// The new signature of a kernel: memrefs, dynamic dims and a range of rows instead of tensors.
struct KernelSignature {
  llvm::SmallVector<mlir::Value> destinations; ///< one memref for each result, with the result's shape
  mlir::Value begin, end;
};

/// Replaces the tensor arguments of `function` by memrefs (bufferization.to_tensor) and adds its
/// destinations, dims and range. The words of index checks become the argument before the range.
KernelSignature changeSignature(mlir::func::FuncOp function);

} // namespace proa
