/// The text of large modules.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"

#include <optional>
#include <string>
#include <vector>

namespace proa {

/// What `module.print` gives, in pieces and without aliases of attributes; nothing, and MLIR's diagnostics,
/// where the module does not verify. A function of thousands of ops in one block, as translated programs are,
/// is verified and printed by several threads at once: each op for itself must verify already, as what the
/// importer makes does. The module holds no resources (dense_resource), which the importer never makes.
std::optional<std::vector<std::string>> verifyAndPrint(mlir::ModuleOp module,
                                                       mlir::OpPrintingFlags flags = {});

} // namespace proa
