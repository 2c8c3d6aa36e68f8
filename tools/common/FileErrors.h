/// Errors about a whole IR file, in tools that print MLIR's diagnostics.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace proa::tools {

/// Prints diagnostics about a whole file as "FILE: error: ...". Other handlers would print FILE:0:0, the
/// location of a module without `module {` in its text. Call it after other handlers are registered.
void printFileErrors(mlir::MLIRContext &context);

} // namespace proa::tools
