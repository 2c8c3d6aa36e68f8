/// A program of a file, imported with its own context.
#pragma once

#include "proa/Diagnostic.h"
#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace proa {

/// Destroyed in reverse order: the module first.
struct ImportedProgram {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Imports the program of a file or folder (proa/Model.h) without its weights. `dims`: of dynamic feeds, or
/// instead of declared ones. `onDiagnostic` gets warnings. Errors: from the reader and the import.
Result<ImportedProgram> importProgram(const std::string &path,
                                      const std::map<std::string, std::vector<int64_t>> &dims,
                                      const std::function<void(const Diagnostic &)> &onDiagnostic = nullptr);

} // namespace proa
