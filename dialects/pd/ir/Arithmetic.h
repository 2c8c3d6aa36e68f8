/// How much arithmetic an op is.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>

namespace proa::pd {

/// Floating-point (and integer) operations of one execution: two for each multiply-add of a contraction, one
/// for each element of an elementwise op's or composite's result and of a reduction's operand; moving
/// elements is none. Nothing where a dimension is not known.
std::optional<int64_t> operationsOf(mlir::Operation *op);

} // namespace proa::pd
