/// Export of a function of pd ops as a legacy program, which Paddle 2.6 loads.
#pragma once

#include "translator/legacy/Program.h"

#include "mlir/IR/BuiltinOps.h"

namespace proa::exporter {

/// Writes the function `main` as block 0 of a program: its feeds and fetches as feed and fetch ops, its
/// parameters as persistable variables. Errors, all at once: ops without a legacy op, regions,
/// results of unknown element type.
Result<legacy::Program> exportProgram(mlir::ModuleOp module);

} // namespace proa::exporter
