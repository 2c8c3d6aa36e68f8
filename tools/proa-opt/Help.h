/// The help page of proa-opt.
#pragma once

namespace proa::tools {

/// Prints proa's own passes in the groups of their folders, then the driver's main options and the passes of
/// MLIR that go with them. The passes must be registered.
void printHelp();

} // namespace proa::tools
