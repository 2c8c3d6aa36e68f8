/// Completion of ops by prefix, and of their attributes and values.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

#include <optional>

namespace proa::lsp {

/// The result of textDocument/completion; nothing where neither an op nor an attribute of pd is typed.
std::optional<llvm::json::Value> complete(mlir::MLIRContext &context, llvm::StringRef text,
                                          const llvm::lsp::Position &position);

} // namespace proa::lsp
