/// Links from IR to the lines of the user's program.
#pragma once

#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

#include <optional>
#include <string>
#include <vector>

namespace proa::lsp {

/// Folders in which names of files are looked up: the folder of the document, and the root of the client.
using Folders = std::vector<std::string>;

/// Markdown of the first line in `location` that is in another file than `document`: a link if the file
/// exists. Empty: there is none.
std::string linkOf(mlir::Location location, llvm::StringRef document, const Folders &folders);

/// The result of textDocument/definition for a position in loc("train.py":88:3); nothing for another
/// position, or if the file does not exist.
std::optional<llvm::json::Value> definitionOf(llvm::StringRef text, const llvm::lsp::Position &position,
                                              const Folders &folders);

} // namespace proa::lsp
