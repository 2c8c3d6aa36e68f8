/// The text of large modules.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"

#include <string>

namespace proa {

/// What `module.print` gives, without aliases of attributes. A function of thousands of ops in one block, as
/// translated programs are, is printed by several threads. The module must verify and hold no resources
/// (dense_resource), which the importer never makes.
std::string printModule(mlir::ModuleOp module, mlir::OpPrintingFlags flags = {});

} // namespace proa
