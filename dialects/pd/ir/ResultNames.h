/// Names of values in locations: the variables of the program that was imported.
#pragma once

#include "mlir/IR/Value.h"

namespace proa::pd {

/// The name of a value; empty without one.
///
/// An op that an importer creates has a NameLoc with the name of its first output. An op with several
/// results, and a kernel, have a FusedLoc whose metadata are an array of strings, the names of the results in
/// order.
llvm::StringRef resultName(mlir::Location location, size_t result = 0);
llvm::StringRef resultName(mlir::Value value);

/// Names a result of an op with several results whose location has names and no name for this result yet.
/// `created` is the location that the op was created with: ops of other places keep theirs.
void setResultName(mlir::OpResult result, llvm::StringRef name, mlir::Location created);

} // namespace proa::pd
