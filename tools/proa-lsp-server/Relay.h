/// MLIR's language server in this process, with a session between it and the editor.
#pragma once

#include "mlir/IR/DialectRegistry.h"

#include <string>

namespace proa::lsp {

struct RelayOptions {
  std::string log = "error";
  bool isPretty = false;    ///< indents the JSON
  bool isDelimited = false; ///< messages of the editor are between lines of '// -----'
};

/// Runs the server until the editor ends it. MLIR's server has no interface for additions, but for the
/// messages that it reads and writes: it gets pipes as stdin and stdout, and two threads pass the messages
/// on. Returns its exit code.
int runServer(mlir::DialectRegistry &registry, const RelayOptions &options);

} // namespace proa::lsp
