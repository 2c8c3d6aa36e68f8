/// What a program in IR consists of.
#pragma once

#include "tools/proa-translate/Summary.h"

#include "mlir/IR/BuiltinOps.h"

namespace proa::tools {

/// Counts the ops of `main` by name, with what they compute (Flops.h). The module is changed.
ProgramSummary summarizeIr(mlir::ModuleOp module);

} // namespace proa::tools
