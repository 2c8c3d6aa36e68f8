/// Programs that are IR already: a function of a file of MLIR text or bytecode.
#pragma once

#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace proa {

/// Whether a file holds IR: by its suffix (.mlir, .mlirbc), or, for stdin, by its first bytes. JSON begins
/// with a brace, and the binary form of a legacy program has a control character among its first bytes.
bool isIr(llvm::StringRef path, llvm::StringRef content);

struct IrRequest {
  std::string path; ///< begins the messages
  /// Empty: `main`, else the only public function.
  std::string function;
  /// Of the function's feeds and fetches, those that are asked for; empty: all.
  std::vector<std::string> feeds, fetches;
};

/// Parses a module and makes the function that is asked for its `main`, as an imported program has it: each
/// argument has `pd.feed` or `pd.param`, each result `pd.fetch` or `pd.state`; where a function lacks them,
/// argument i is the feed "argument<i>" and result i the fetch "result<i>". Fetches come before their LoDs,
/// and these before states. Calls of functions that are not kernels are inlined. What only results compute
/// that are not asked for is removed.
///
/// The context must have all dialects registered (registerAllDialects). Problems: parse and verification
/// errors with their locations; no such function, or several; a function that has no body or several blocks;
/// arguments and results that are not tensors; names that occur twice, or that are asked for and do not
/// occur; recursive calls.
Result<mlir::OwningOpRef<mlir::ModuleOp>> readIr(mlir::MLIRContext &context, llvm::StringRef content,
                                                 const IrRequest &request);

/// Names of the persistable variables of a module, sorted: a .pdiparams file holds them in this order.
std::vector<std::string> savedVariables(mlir::ModuleOp module);

} // namespace proa
