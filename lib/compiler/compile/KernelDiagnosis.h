/// The op of a fused kernel that makes a NaN or an Inf.
#pragma once

#include "lib/compiler/compile/Compile.h"
#include "lib/runtime/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace proa {

/// Runs the ops of a kernel in order, each compiled as a kernel of its own, and returns the error of the
/// first one that makes a NaN or an Inf, with the user's line of that op. Empty if none does: in 16 bits a
/// fused kernel rounds less often than its ops.
///
/// `module` is the program with formed kernels and PipelineOptions::opLocations, `step` the step of its plan
/// that runs the kernel, `inputs` the inputs of that step.
Diagnostics findNonFiniteOp(mlir::ModuleOp module, const runtime::Step &step,
                            const std::vector<Tensor> &inputs, const CompileOptions &options);

} // namespace proa
