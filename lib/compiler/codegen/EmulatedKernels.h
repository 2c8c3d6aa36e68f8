/// Kernels for the GPU that are compiled for the CPU, where lib/runtime/emulator runs them.
#pragma once

#include "dialects/proa/Proa.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace proa {

struct EmulationOptions {
  std::string chip = "sm_90a";                          ///< the chip that the kernels are lowered for
  MatmulStrategy contraction = MatmulStrategy::Fastest; ///< LowerGpuKernelsOptions::contraction
  MatmulStrategy attention = MatmulStrategy::Fastest;   ///< LowerGpuKernelsOptions::attention
  bool expandBFloat16 = false;                          ///< the CPU lacks instructions for this type
  bool expandFloat16 = false;
};

/// Moves the kernels of `module` that have a form on the GPU into a module of their own, lowered to the LLVM
/// dialect with the entry points of the runtime. Failure after an error of a pass.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> takeEmulatedKernels(mlir::ModuleOp module,
                                                                       const EmulationOptions &options);

/// Moves the functions and globals of `from` into `into`. Both may declare the same external functions.
void mergeModules(mlir::ModuleOp into, mlir::ModuleOp from);

} // namespace proa
