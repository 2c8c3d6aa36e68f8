/// Summary of a program in IR.
#pragma once

#include "tools/proa-translate/Summary.h"

#include "mlir/IR/BuiltinOps.h"

namespace proa::tools {

/// Counts the ops of `main` by name, with their operations (Flops.h). Changes the module.
ProgramSummary summarizeIr(mlir::ModuleOp module);

} // namespace proa::tools
