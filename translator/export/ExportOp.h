/// One op of the pd dialect as a legacy op.
#pragma once

#include "translator/import/LegacyTable.h"
#include "translator/legacy/Program.h"

#include "mlir/IR/Operation.h"

#include <functional>

namespace proa::exporter {

/// The variable that holds a value.
using NameOf = std::function<std::string(mlir::Value)>;

/// Makes the legacy op that stands for `op`, its outputs named by `nameOf`. Errors: no legacy op stands for it, or its
/// attributes can't be said there.
Result<legacy::Operation> exportOp(mlir::Operation *op, const NameOf &nameOf);

} // namespace proa::exporter
