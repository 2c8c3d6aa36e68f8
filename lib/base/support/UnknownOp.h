/// Errors about misspelt op names in the text of IR.
#pragma once

#include "lib/base/support/Suggest.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OpImplementation.h"

#include <string>
#include <vector>

namespace proa {

/// Reports that the dialect does not have the op, with near names; the parser writes "custom op 'NAME' "
/// before it. Dialects return it from getParseOperationHook, which the parser calls for unknown ops.
inline mlir::ParseResult reportUnknownOp(mlir::OpAsmParser &parser, mlir::OperationState &state) {
  llvm::StringRef dialect = state.name.getDialectNamespace();
  std::vector<std::string> names;
  for (mlir::RegisteredOperationName op : parser.getContext()->getRegisteredOperations())
    if (op.getDialectNamespace() == dialect)
      names.push_back(op.stripDialect().str());
  return parser.emitError(parser.getNameLoc())
         << "is unknown" << didYouMean(state.name.stripDialect(), names, (dialect + ".").str());
}

} // namespace proa
