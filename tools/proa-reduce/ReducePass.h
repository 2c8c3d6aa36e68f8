/// Makes programs smaller where MLIR's own reducer cannot: it removes only ops whose results nothing uses.
#pragma once

namespace proa::tools {

/// Registers the pass `--reduce="test=SCRIPT"`.
void registerReducePass();

} // namespace proa::tools
