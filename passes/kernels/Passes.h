/// The passes on kernels that CPUs and GPUs share: fusion, rows, buffers, math. Passes.td describes each
/// pass.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace proa {

#define GEN_PASS_DECL
#include "passes/kernels/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/kernels/Passes.h.inc"

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

/// The passes on tensors that do not depend on the target: few operations with few loops.
void addTensorPasses(mlir::OpPassManager &passes);

/// The choice of rows, and functions that compute shapes and the number of rows.
void addRowPasses(mlir::OpPassManager &passes, const ChooseRowsOptions &rows = {});

/// From tensors with chosen rows to linalg ops on memory in a loop over rows.
void addBufferPasses(mlir::OpPassManager &passes);

/// Allocates scratch buffers outside of loops where that is possible.
void addScratchPasses(mlir::OpPassManager &passes);

/// From the content of loops to the LLVM dialect, without entry points.
void addLLVMPasses(mlir::OpPassManager &passes, const LowerKernelsOptions &options);

} // namespace proa
