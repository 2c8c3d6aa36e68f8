/// Kernels that are one op of pd (`#proa.device_kernel<op>`), which code on memory replaces.
#pragma once

#include "dialects/pd/ir/DeviceKernel.h"
#include "passes/kernels/KernelSignature.h"
#include "passes/lower-gpu/CodeBuilder.h"

namespace proa {

/// The op of a kernel that is one op; null for other functions.
pd::DeviceKernelOpInterface singleOpOf(mlir::func::FuncOp kernel);

/// A kernel of one op while it is lowered. Subclasses create the code.
class SingleOpLowering : public CodeBuilder {
protected:
  /// `builder` is for code in the kernel.
  SingleOpLowering(mlir::func::FuncOp kernel, pd::DeviceKernelOpInterface op, mlir::OpBuilder &builder)
      : CodeBuilder(builder, op.getLoc()), kernel(kernel), op(op) {}

  /// Sets what the planner reads: the number of rows (or kDynamic), and the work of all.
  void setWork(int64_t rows);
  /// Adds the argument for the words of index checks, which checkWords() returns and describeChecks() fills.
  void addCheckWords();
  /// Operands and results become memory, of which memoryOf() and destinationOf() tell. The insertion point is
  /// before the op.
  void changeToMemory();
  /// The words of the only check.
  mlir::Value checkWords();
  /// The memory of an operand; null for null.
  static mlir::Value memoryOf(mlir::Value operand);
  /// The memory of a result of the op; null if nothing uses it.
  mlir::Value destinationOf(mlir::Value result) const;
  /// Removes the op and its operands, and makes the function a kernel like others.
  void removeOp();

  mlir::func::FuncOp kernel;
  pd::DeviceKernelOpInterface op;
  KernelSignature signature;

private:
  llvm::SmallVector<mlir::Value> results; ///< of the kernel
};

} // namespace proa
