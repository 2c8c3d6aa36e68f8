/// Printing and verification of large modules.
#pragma once

#include "translator/import/Import.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"

namespace proa {

/// As `mlir::verify`, for a module whose ops verify already, such as imported modules. In a function with
/// thousands of ops in one block only the order of definitions remains to check. On failure MLIR's
/// diagnostics give the reason.
bool verifyImported(mlir::ModuleOp module);

/// Passes the text of `module.print` to `write`, piece by piece and without attribute aliases. Returns false,
/// after MLIR's diagnostics and without writing, if the module is invalid. A function with thousands of ops
/// in one block is verified and printed by several threads; its ops must verify already. The module must have
/// no resources (dense_resource).
bool verifyAndPrint(import::ImportedProgram &program, llvm::function_ref<void(llvm::StringRef)> write,
                    mlir::OpPrintingFlags flags = {});

} // namespace proa
