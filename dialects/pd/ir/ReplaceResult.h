/// Replacement of results by values with more or fewer static dims.
#pragma once

#include "mlir/IR/Builders.h"

namespace proa::pd {

/// Replaces the uses of `result` by `value`, which may have more or fewer static dims. Ops of pd use it
/// directly; a terminator or an op of another dialect uses a cast to the old type.
void replaceResult(mlir::OpBuilder &builder, mlir::Value result, mlir::Value value);

/// The same for all results of `op`. Failure, after an error at the op, where the type of a value contradicts
/// the declared type of its result, or an op that reads it: dims that were dynamic are static now, and the
/// op's result is another one.
[[nodiscard]] mlir::LogicalResult replaceResults(mlir::Operation *op, mlir::ValueRange values);

} // namespace proa::pd
