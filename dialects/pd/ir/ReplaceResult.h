/// Replacement of results by values with more or fewer static dims, and of composites by their
/// decompositions.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "mlir/IR/Builders.h"

namespace proa::pd {

/// Replaces the uses of `result` by `value`, which may have more or fewer static dims. Ops of pd use it
/// directly; a terminator or an op of another dialect uses a cast to the old type.
void replaceResult(mlir::OpBuilder &builder, mlir::Value result, mlir::Value value);

/// The same for all results of `op`. Failure, after an error at the op, where the type of a value contradicts
/// the declared type of its result, or an op that reads it: dims that were dynamic are static now, and the
/// op's result is another one.
[[nodiscard]] mlir::LogicalResult replaceResults(mlir::Operation *op, mlir::ValueRange values);

/// Replaces a composite by its decomposition, which `builder` creates, and erases it. Returns the first op of
/// the decomposition, or the op after the composite if no op was created; null if these operands have no
/// decomposition. Failure, after an error, as replaceResults().
[[nodiscard]] mlir::FailureOr<mlir::Operation *> replaceByDecomposition(mlir::OpBuilder &builder,
                                                                        DecomposableOpInterface op);

} // namespace proa::pd
