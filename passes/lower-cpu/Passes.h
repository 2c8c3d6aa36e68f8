/// Kernels to code for a CPU. Passes.td describes each pass.
#pragma once

#include "passes/kernels/Passes.h"

namespace proa {

#define GEN_PASS_DECL
#include "passes/lower-cpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower-cpu/Passes.h.inc"

/// Rows and columns of a block of `proa-transpose-blocks`: the 32-bit elements of a line of the cache.
inline constexpr int64_t transposedBlock = 16;

/// From kernels on tensors to the LLVM dialect. --proa-lower-kernels runs it after --proa-extract-kernels and
/// --pd-lower-to-linalg.
void buildLowerKernelsPipeline(mlir::OpPassManager &passes, const LowerKernelsOptions &options);

} // namespace proa
