/// Entry points with the calling convention of the runtime (lib/runtime/plan/Plan.h).
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace proa {

/// Creates `@name` with `arguments` after `inner`; the builder is left in its body.
mlir::LLVM::LLVMFuncOp createEntry(mlir::OpBuilder &builder, mlir::LLVM::LLVMFuncOp inner,
                                   llvm::StringRef name, llvm::ArrayRef<mlir::Type> arguments);

/// Renames `inner` to its name with `suffix`, which only this module uses.
void hideFunction(mlir::LLVM::LLVMFuncOp inner, llvm::StringRef suffix);

/// Moves the attributes of a kernel that the runtime needs to its entry point.
void moveKernelAttributes(mlir::LLVM::LLVMFuncOp inner, mlir::LLVM::LLVMFuncOp entry);

/// Loads the arguments of a kernel with parameters `types`, without the range of rows: pointers from the
/// array `buffers`, integers from the array `dims`.
llvm::SmallVector<mlir::Value> loadKernelArguments(mlir::OpBuilder &builder, mlir::Location loc,
                                                   mlir::TypeRange types, mlir::Value buffers,
                                                   mlir::Value dims);

/// `@NAME_shape` with integers becomes private `@NAME_shape_dims`, and a new `@NAME_shape(input, result)`
/// reads its arguments from memory and writes its results to memory.
void wrapShapeFunction(mlir::LLVM::LLVMFuncOp inner);

/// Reports kernels for which the module has a private function already. A pass that wraps kernels must not
/// run twice.
llvm::LogicalResult verifyNotWrapped(llvm::ArrayRef<mlir::LLVM::LLVMFuncOp> kernels);

/// The suffix of the private function with the code of a kernel.
inline constexpr llvm::StringLiteral rowsSuffix = "_rows";

} // namespace proa
