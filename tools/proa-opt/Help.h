/// The help page of proa-opt.
#pragma once

namespace proa::tools {

/// Prints the passes of proa by folder, then the main options and the common passes of MLIR. Call it after
/// the passes are registered.
void printHelp();

} // namespace proa::tools
