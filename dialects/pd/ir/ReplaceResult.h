/// Replacing results by values whose types say more or less of their dims.
#pragma once

#include "mlir/IR/Builders.h"

namespace proa::pd {

/// Gives the uses of `result` the value, whose dims may be known better or less. Ops of pd take it as it is;
/// a terminator and an op of another dialect get it under the type that they were created with.
void replaceResult(mlir::OpBuilder &builder, mlir::Value result, mlir::Value value);

/// The same for all results of `op`. Failure, after an error at the op, where the type of a value contradicts
/// the declared type of its result: dims that were dynamic are static now, and the op's result is another
/// one.
[[nodiscard]] mlir::LogicalResult replaceResults(mlir::Operation *op, mlir::ValueRange values);

} // namespace proa::pd
