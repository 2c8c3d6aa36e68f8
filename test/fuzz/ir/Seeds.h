/// Modules to mutate.
#pragma once

#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace proa::fuzz {

using Modules = std::vector<mlir::OwningOpRef<mlir::ModuleOp>>;

/// Adds the valid modules of the .mlir files below `folder`: the parts between lines of "// -----".
void addModulesOfTests(mlir::MLIRContext &context, const std::string &folder, Modules &modules);

/// Adds the imported programs of a model folder, or of the case folders below `folder`, except those that
/// cannot be imported.
void addPrograms(mlir::MLIRContext &context, const std::string &folder, Modules &modules);

/// The module of `text`, or null if it does not parse or verify, or exceeds `maxBytes`.
mlir::OwningOpRef<mlir::ModuleOp> parseSeed(mlir::MLIRContext &context, llvm::StringRef text,
                                            size_t maxBytes = size_t(1) << 16);

} // namespace proa::fuzz
