/// Operation counts of ops.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>

namespace proa::pd {

/// Number of arithmetic operations of one execution: two for each multiply-add of a contraction, one for each
/// element of the result of an elementwise op or composite and of the operand of a reduction, none for data
/// movement. Empty if a dim is dynamic.
std::optional<int64_t> operationsOf(mlir::Operation *op);

} // namespace proa::pd
