/// Scratch buffers of kernels in global memory, which the caller allocates.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace proa {

/// The number of arguments that follow those for scratch memory: the counters, the words of index checks, the
/// range of rows, tensor maps.
unsigned numTrailingArguments(mlir::func::FuncOp kernel);

/// Adds an argument for a buffer of scratch memory of `dims` bytes, kDynamic where the size is dynamic, and
/// arguments for the dynamic dims. Extends `proa.scratch`. Returns the address, a memref<i8>, and then the
/// dynamic dims.
llvm::SmallVector<mlir::Value> addScratchArgument(mlir::func::FuncOp kernel, llvm::ArrayRef<int64_t> dims);

/// The memory at such an address, with this number of elements.
mlir::Value vectorAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value base, mlir::OpFoldResult elements);

/// Why `buffer` of a kernel on memory cannot be in global memory; empty if it can.
std::string whyNotGlobal(mlir::memref::AllocOp buffer);

/// Puts `buffers`, for which whyNotGlobal() gives no reason, into global memory. Each row of the kernel has
/// buffers of its own; those that are used outside of the loop over rows hold the same values in all blocks,
/// which share them. The function of shapes computes dynamic sizes; it is created if the kernel has none.
void placeGlobally(mlir::func::FuncOp kernel, llvm::ArrayRef<mlir::memref::AllocOp> buffers);

} // namespace proa
