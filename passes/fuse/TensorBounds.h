/// The least and the greatest element of tensors.
#pragma once

#include "mlir/IR/Value.h"

#include <optional>

namespace proa {

/// Bounds of the elements of a tensor.
struct TensorBounds {
  double least, greatest;
  bool areIntegers = false; ///< all elements are known to be integers

  bool areIn(double low, double high) const { return least >= low && greatest <= high; }
};

/// The bounds of a tensor that is computed of constants and of conditions cast to numbers, as the biases of
/// ALiBi and masks of padding are. Empty if it is not, or has numbers that are not finite.
std::optional<TensorBounds> boundsOf(mlir::Value value);

/// The bounds of a tensor whose elements are integers, perhaps infinite; empty where they may be others. Of
/// constants it reads small ones.
std::optional<TensorBounds> integerBoundsOf(mlir::Value value);

} // namespace proa
