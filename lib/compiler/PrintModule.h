/// The text of large modules.
#pragma once

#include "translator/import/Import.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"

namespace proa {

/// `mlir::verify` for a module of which each op verifies already, as what the importer makes does. Of a
/// function of thousands of ops in one block, as translated programs are, the order of definitions alone is
/// left to look at. Where it is false, MLIR's diagnostics say why.
bool verifyImported(mlir::ModuleOp module);

/// Gives `write` what `module.print` prints, piece by piece and without aliases of attributes. Where the
/// module does not verify: false, MLIR's diagnostics, and nothing is written. A function of thousands of ops
/// in one block, as translated programs are, is verified and printed by several threads at once, and what its
/// arguments are without attributes of them: each op for itself must verify already, as what the importer
/// makes does. The module holds no resources (dense_resource), which the importer never makes.
bool verifyAndPrint(import::ImportedProgram &program, llvm::function_ref<void(llvm::StringRef)> write,
                    mlir::OpPrintingFlags flags = {});

} // namespace proa
