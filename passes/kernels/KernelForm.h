/// The form of kernels that the passes on tensors accept.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace proa {

/// The functions of `module` that are kernels and have a body.
llvm::SmallVector<mlir::func::FuncOp> kernelsOf(mlir::ModuleOp module);

/// Whether the last argument of a kernel on tensors is the memory for the words of its index checks.
bool hasIndexChecks(mlir::func::FuncOp kernel);

/// Checks that `function` has one block, ranked tensors as arguments and at least one result, all of them
/// ranked tensors. Reports all that is wrong.
llvm::LogicalResult verifyKernelSignature(mlir::func::FuncOp function);

/// The same, and that the block holds linalg, tensor, arith, math, complex and affine ops only.
llvm::LogicalResult verifyTensorKernel(mlir::func::FuncOp function);

/// Checks that nothing in `module` refers to these kernels, which are about to get other signatures. Walks
/// the module once.
llvm::LogicalResult verifyNotReferenced(llvm::ArrayRef<mlir::func::FuncOp> kernels, mlir::ModuleOp module);

/// Runs `pass` on each kernel of `module`, in several threads where the context has them. Each must be a
/// kernel on tensors, and nothing may refer to those whose signature `pass` changes.
llvm::LogicalResult changeKernels(mlir::ModuleOp module,
                                  llvm::function_ref<bool(mlir::func::FuncOp)> changesSignature,
                                  llvm::function_ref<llvm::LogicalResult(mlir::func::FuncOp)> pass);

} // namespace proa
