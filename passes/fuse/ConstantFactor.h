/// Constants in formulas.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>

namespace proa {

/// The factor of a pd.scale that only multiplies by a constant. `op` may be null.
std::optional<double> constantFactor(mlir::Operation *op);
/// The one value of all elements of a constant.
std::optional<double> constantNumber(mlir::Value value);

} // namespace proa
