/// Kernels on tensors to the LLVM dialect. Passes.td describes each pass.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace proa {

#define GEN_PASS_DECL
#include "passes/lower-cpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower-cpu/Passes.h.inc"

struct LowerKernelsOptions : mlir::PassPipelineOptions<LowerKernelsOptions> {
  Option<bool> expandBFloat16{
      *this, "expand-bfloat16",
      llvm::cl::desc("Convert bf16 by integer arithmetic, for CPUs without instructions for it"),
      llvm::cl::init(true)};
  Option<bool> expandFloat16{
      *this, "expand-float16",
      llvm::cl::desc("Convert f16 by integer arithmetic, for CPUs without instructions for it"),
      llvm::cl::init(true)};
};

/// From kernels on tensors to the LLVM dialect. --proa-lower-kernels runs it after --proa-extract-kernels and
/// --pd-lower-to-linalg.
void buildLowerKernelsPipeline(mlir::OpPassManager &passes, const LowerKernelsOptions &options);

} // namespace proa
