/// Programs given as IR: a function of an MLIR file.
#pragma once

#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace proa {

/// Whether a file is IR: by its suffix (.mlir, .mlirbc), or for stdin by its first bytes. JSON begins with a
/// brace, and a binary legacy program has a control character among its first bytes.
bool isIr(llvm::StringRef path, llvm::StringRef content);

struct IrRequest {
  std::string path; ///< location in messages
  /// Empty: `main`, else the only public function.
  std::string function;
  /// Requested feeds and fetches of the function; empty: all.
  std::vector<std::string> feeds, fetches;
};

/// Parses a module and turns the requested function into `main` in the form of an imported program: each
/// argument has `pd.feed` or `pd.param`, each result `pd.fetch` or `pd.state`. Without attributes, argument i
/// is the feed "argument<i>" and result i the fetch "result<i>". Fetches precede their LoDs, and these
/// precede states. Calls of functions other than kernels are inlined, and unused ops removed.
///
/// The context must have all dialects registered (registerAllDialects). Error: parse and verification errors
/// with locations; no such function, or several; a function without a body or with several blocks; arguments
/// and results that are not tensors; duplicate names; requested names that do not occur; recursive calls.
Result<mlir::OwningOpRef<mlir::ModuleOp>> readIr(mlir::MLIRContext &context, llvm::StringRef content,
                                                 const IrRequest &request);

/// Adds the tensors that ops of the body of `main` compute, other than constants, to its fetches, before LoDs
/// and states. The name is the name in the op's location if it is the last op with it and has one result,
/// else the name that the module's text has.
void fetchAllValues(mlir::ModuleOp module);

/// Names of the persistable variables of a module, sorted, as in a .pdiparams file.
std::vector<std::string> savedVariables(mlir::ModuleOp module);

} // namespace proa
