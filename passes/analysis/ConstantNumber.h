/// Constants with equal elements.
#pragma once

#include "mlir/IR/Value.h"

#include <optional>

namespace proa {

/// The one value of all elements of a constant.
std::optional<double> constantNumber(mlir::Value value);

} // namespace proa
