/// Kernels on tensors to the LLVM dialect with ops of NVVM. Passes.td describes each pass.
#pragma once

#include "dialects/proa/Proa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace proa {

/// The values of an option of type MatmulStrategy.
inline llvm::cl::ValuesClass matmulStrategyValues() {
  return llvm::cl::values(
      clEnumValN(MatmulStrategy::Fastest, "fastest", "the kind with the lowest estimate"),
      clEnumValN(MatmulStrategy::Fma, "fma", "each thread multiplies and adds"),
      clEnumValN(MatmulStrategy::Mma, "mma", "warps use tensor cores"),
      clEnumValN(MatmulStrategy::Wgmma, "wgmma", "groups of four warps use tensor cores (sm_90a)"));
}

#define GEN_PASS_DECL
#include "passes/lower-gpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower-gpu/Passes.h.inc"

struct LowerGpuKernelsOptions : mlir::PassPipelineOptions<LowerGpuKernelsOptions> {
  Option<int64_t> maxThreads{*this, "max-threads", llvm::cl::desc("Largest number of threads of a block"),
                             llvm::cl::init(256)};
  Option<std::string> chip{
      *this, "chip", llvm::cl::desc("The chip that code is generated for; empty: the module's (proa.target)"),
      llvm::cl::init("")};
  Option<int64_t> sharedBytes{
      *this, "shared-bytes",
      llvm::cl::desc("Largest size of the shared memory of a block, in bytes; 0: the chip's"),
      llvm::cl::init(0)};
  Option<MatmulStrategy> contraction{*this, "contraction", llvm::cl::desc("How matmuls are computed"),
                                     llvm::cl::init(MatmulStrategy::Fastest), matmulStrategyValues()};
  Option<MatmulStrategy> attention{*this, "attention", llvm::cl::desc("How attention is computed"),
                                   llvm::cl::init(MatmulStrategy::Fastest), matmulStrategyValues()};
  Option<bool> expandBFloat16{
      *this, "expand-bfloat16",
      llvm::cl::desc("Convert bf16 by integer arithmetic: for emulation on CPUs without instructions for it"),
      llvm::cl::init(false)};
  Option<bool> expandFloat16{
      *this, "expand-float16",
      llvm::cl::desc("Convert f16 by integer arithmetic: for emulation on CPUs without instructions for it"),
      llvm::cl::init(false)};
};

/// The first passes of buildLowerGpuKernelsPipeline: afterwards the ops of kernels have their strategies.
void buildChooseStrategiesPipeline(mlir::OpPassManager &passes, const LowerGpuKernelsOptions &options);

/// The passes of buildLowerGpuKernelsPipeline after these, up to the choice of the loops of the ops on
/// memory.
void buildChooseLoopsPipeline(mlir::OpPassManager &passes, const LowerGpuKernelsOptions &options);

/// From kernels on tensors to a device module: kernels `@NAME(buffers, dims, begin, end)` with bare pointers
/// in the LLVM dialect with ops of NVVM, and functions `@NAME_shape` for the host. A block computes the rows
/// begin + blockIdx.x, begin + blockIdx.x + gridDim.x, ... below end. Kernels without a form on the GPU are
/// removed, with a remark.
void buildLowerGpuKernelsPipeline(mlir::OpPassManager &passes, const LowerGpuKernelsOptions &options);

} // namespace proa
