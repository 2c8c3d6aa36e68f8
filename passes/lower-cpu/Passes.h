/// Kernels on tensors to the LLVM dialect. Passes.td describes each pass.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace proa {

#define GEN_PASS_DECL
#include "passes/lower-cpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower-cpu/Passes.h.inc"

/// The whole way from kernels on tensors to the LLVM dialect, as --proa-lower-kernels runs it.
void buildLowerKernelsPipeline(mlir::OpPassManager &passes);

/// Registers the passes above and the pipeline.
void registerLowerCpu();

} // namespace proa
