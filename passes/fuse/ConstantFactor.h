/// Constants in formulas.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>

namespace proa {

/// The factor of a pd.scale that only multiplies by a constant. `op` may be null.
std::optional<double> constantFactor(mlir::Operation *op);

} // namespace proa
