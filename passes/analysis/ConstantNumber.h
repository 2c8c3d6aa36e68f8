/// Elements of constants as numbers.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace proa {

/// The one value of all elements of a constant.
std::optional<double> constantNumber(mlir::Value value);

/// All elements of a constant of floats or integers; nothing for another value. Small ones may be computed of
/// constants.
std::optional<llvm::SmallVector<double>> constantNumbers(mlir::Value value);

} // namespace proa
