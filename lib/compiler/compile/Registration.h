/// Registration of all dialects, interface implementations and passes of proa.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace proa {

/// Adds all dialects of proa and MLIR, their external models and their translations to LLVM IR.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Names of the pipelines of proa.
inline constexpr const char *cpuPipelineName = "proa-cpu";
inline constexpr const char *lowerKernelsPipelineName = "proa-lower-kernels";
inline constexpr const char *lowerGpuKernelsPipelineName = "proa-lower-gpu-kernels";

/// Adds the passes and pipelines of proa to the global pass registry.
void registerProaPasses();

/// Adds all passes and pipelines of proa and MLIR to the global pass registry.
void registerAllPasses();

} // namespace proa
