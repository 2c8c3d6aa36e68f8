/// A reducer that also removes used ops; MLIR's own reducer removes only unused ones.
#pragma once

namespace proa::tools {

/// Registers the pass `--reduce="test=SCRIPT"`.
void registerReducePass();

} // namespace proa::tools
