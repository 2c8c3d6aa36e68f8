/// Object code of functions in the LLVM dialect that run on the host.
#pragma once

#include "lib/compiler/codegen/CompileKernels.h"

#include "mlir/IR/BuiltinOps.h"

namespace proa::cuda {

/// Compiles all functions of `module` (the LLVM dialect), such as the shape functions of device kernels, for
/// this machine or the CPU of `options`. Returns a static library for LoadedObject; empty where the module
/// has no function. Error: the module cannot be translated, or LLVM does not know the CPU.
Result<std::string> compileHostCode(mlir::ModuleOp module, const CodegenOptions &options = {});

} // namespace proa::cuda
