/// Which dynamic dims of tensors are equal, from the shapes that ops were given.
#pragma once

#include "mlir/IR/Value.h"

namespace proa {

/// A dim as a number, or as a dimension of the tensor that it was read from. Dims with equal roots are equal.
struct DimRoot {
  mlir::Value tensor;
  int64_t index = 0; ///< the dim, or the index of the dimension of `tensor`

  bool operator==(const DimRoot &) const = default;
};

/// The root of dimension `axis` of a tensor, through reshapes, expands and transposes.
DimRoot dimRootOf(mlir::Value tensor, int64_t axis);

} // namespace proa
