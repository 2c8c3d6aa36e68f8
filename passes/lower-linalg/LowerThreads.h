/// Kernels of one op with code for the threads of a GPU.
#pragma once

#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa {

/// Whether a kernel on tensors consists of an op of pd::ThreadOpInterface.
bool isThreadKernel(mlir::func::FuncOp kernel);

/// Replaces such a kernel by a function on memory with the code of one thread, and adds its function of
/// shapes where dims are dynamic. The new function has `#proa.device_kernel<threads>` instead of
/// `proa.kernel`, and `proa.launch`. Error: the op has no code for threads.
llvm::LogicalResult lowerToThreads(mlir::func::FuncOp kernel, PassRemarks remarks);

} // namespace proa
