/// The description of the machine that a program is compiled for.
#pragma once

#include "lib/compiler/compile/Compile.h"

namespace proa {

/// The facts of the CPU and of the GPU of the options, with the facts of CompileOptions::targetFacts. Error:
/// the file is wrong; no device was found.
Result<TargetFacts> targetFactsOf(const CompileOptions &options);

/// Sets `proa.target` of the module to targetFactsOf(options).
Result<void> describeTarget(mlir::ModuleOp module, const CompileOptions &options);

} // namespace proa
