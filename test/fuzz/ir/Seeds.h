/// The modules that mutants are made of.
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

/// Adds the imported programs of a model folder, or of the case folders below `folder`. Those that cannot be
/// imported are left out.
void addPrograms(mlir::MLIRContext &context, const std::string &folder, Modules &modules);

/// The module of `text`, or null where it does not parse or verify, or has more than `maxBytes`.
mlir::OwningOpRef<mlir::ModuleOp> parseSeed(mlir::MLIRContext &context, llvm::StringRef text,
                                            size_t maxBytes = size_t(1) << 16);

} // namespace proa::fuzz
