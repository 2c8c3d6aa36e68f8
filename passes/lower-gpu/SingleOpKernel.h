/// The signature of a kernel that is one op of pd (`#proa.device_kernel<op>`), while code on memory replaces
/// the op.
#pragma once

#include "dialects/pd/ir/DeviceKernel.h"
#include "passes/kernels/KernelSignature.h"

namespace proa {

/// The op of a kernel that is one op; null for other functions.
pd::DeviceKernelOpInterface singleOpOf(mlir::func::FuncOp kernel);

/// Sets what the planner reads: the number of rows (or kDynamic), and the work of all.
void setWork(mlir::func::FuncOp kernel, int64_t rows, pd::DeviceKernelOpInterface op);

/// Adds the argument for the words of index checks. It becomes the one before the range of rows in
/// changeSignature(), and describeChecks() fills the list of checks.
void addCheckWords(mlir::func::FuncOp kernel);
/// The words after changeSignature(), of `count` checks.
mlir::Value checkWordsOf(mlir::OpBuilder &builder, mlir::func::FuncOp kernel,
                         const KernelSignature &signature, size_t count);

/// The memory of an operand after changeSignature(); null for null.
mlir::Value memoryOf(mlir::Value operand);
/// The memory of a result of the op; null if nothing uses it. `results` are those of the kernel.
mlir::Value destinationOf(mlir::Value result, const KernelSignature &signature,
                          llvm::ArrayRef<mlir::Value> results);

/// Removes the op and its operands, and makes the function a kernel like others.
void removeOp(mlir::func::FuncOp kernel, mlir::Operation *op);

} // namespace proa
