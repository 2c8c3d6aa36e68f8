/// The messages between an editor and MLIR's language server, with what proa adds to the answers:
/// documentation of ops on hover, completion of ops and attributes, lines of the user's program as
/// definitions, and proa's version.
#pragma once

#include "tools/proa-lsp-server/Locations.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <mutex>

namespace proa::lsp {

/// One thread may call fromClient while another calls fromServer.
class Session {
public:
  explicit Session(const mlir::DialectRegistry &registry) : context(registry) {
    context.loadAllAvailableDialects();
    context.allowUnregisteredDialects();
  }

  /// Reads a message on its way to MLIR's server: tracks documents, and prepares additions to its answer.
  void fromClient(const llvm::json::Object &message);
  /// Changes a message of MLIR's server on its way to the editor.
  void fromServer(llvm::json::Object &message);

private:
  using Amend = std::function<void(llvm::json::Value &result)>;

  void trackDocument(llvm::StringRef method, const llvm::json::Object &params);
  Amend additionTo(llvm::StringRef method, const llvm::json::Object &params);
  Folders foldersOf(llvm::StringRef uri) const;

  mlir::MLIRContext context;
  std::string root;                       ///< the client's folder
  llvm::StringMap<std::string> documents; ///< text by URI
  std::mutex mutex;                       ///< of `pending`
  llvm::StringMap<Amend> pending;         ///< additions by the id of the request
};

} // namespace proa::lsp
