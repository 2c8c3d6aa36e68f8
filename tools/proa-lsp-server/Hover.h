/// Documentation of the op at a position.
#pragma once

#include "tools/proa-lsp-server/Locations.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

#include <string>

namespace proa::lsp {

struct HoverText {
  std::string summary; ///< Markdown: summary, types, the user's line
  std::string section; ///< Markdown: description, attributes, constraints
  llvm::lsp::Range range;
};

/// The hover text of the op whose name is at `position`; nothing: there is none that has documentation or a
/// line. An op of a document that cannot be parsed has no types.
std::optional<HoverText> hoverOf(mlir::MLIRContext &context, llvm::StringRef text, llvm::StringRef document,
                                 const llvm::lsp::Position &position, const Folders &folders);

} // namespace proa::lsp
