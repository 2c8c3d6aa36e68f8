/// Everything that a tool of proa must register: dialects with their interface implementations, and passes.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace proa {

/// Adds all dialects of proa and of upstream, their external models and their translations to LLVM IR.
void registerAllDialects(mlir::DialectRegistry &registry);

/// The names of proa's pipelines.
inline constexpr const char *cpuPipelineName = "proa-cpu";
inline constexpr const char *lowerKernelsPipelineName = "proa-lower-kernels";

/// Adds the passes and pipelines of proa to the global pass registry.
void registerProaPasses();

/// Adds all passes and pipelines of proa and of upstream to the global pass registry.
void registerAllPasses();

} // namespace proa
