/// The least and the greatest element of tensors.
#pragma once

#include "mlir/IR/Value.h"

#include <optional>

namespace proa {

/// Finite bounds of the elements of a tensor.
struct TensorBounds {
  double least, greatest;
};

/// The bounds of a tensor that is computed of constants and of conditions cast to numbers, as the biases of
/// ALiBi and masks of padding are. Empty if it is not, or has numbers that are not finite.
std::optional<TensorBounds> boundsOf(mlir::Value value);

} // namespace proa
