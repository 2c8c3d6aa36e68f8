/// Kernels for the GPU that are compiled for the CPU, where lib/emulator runs them.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace proa {

/// Moves the kernels of `module` that have a form on the GPU into a module of their own, lowered to the LLVM
/// dialect with the entry points of the runtime. `expandBFloat16` and `expandFloat16`: the CPU lacks
/// instructions for these types. Failure after an error of a pass.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
takeEmulatedKernels(mlir::ModuleOp module, bool expandBFloat16, bool expandFloat16);

/// Moves the functions and globals of `from` into `into`. Both may declare the same external functions.
void mergeModules(mlir::ModuleOp into, mlir::ModuleOp from);

} // namespace proa
