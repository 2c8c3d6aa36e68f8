/// Which dynamic dims of tensors are equal, from the ops that compute the tensors and their shapes.
#pragma once

#include "mlir/IR/Value.h"

#include <optional>

namespace proa::pd {

/// A dim as a number, or as a dimension of the tensor that it was read from. Dims with equal roots are equal.
struct DimRoot {
  mlir::Value tensor;
  int64_t index = 0; ///< the dim, or the index of the dimension of `tensor`

  bool operator==(const DimRoot &) const = default;
};

/// The root of dimension `axis` of a tensor, through ops that keep its size by their shape operand or
/// sharding rule. Dims that one elementwise op reads together are equal, as the run ends with an error if
/// they are not.
DimRoot dimRootOf(mlir::Value tensor, int64_t axis);

/// The dim that element `index` of a vector, or a tensor of one element, holds; nothing if it is another
/// number.
std::optional<DimRoot> heldDimOf(mlir::Value tensor, int64_t index = 0);

/// Whether element `index` of a vector is the dim `axis` of a tensor. Looks at few ops, for
/// canonicalizations: false if more are between.
bool holdsDimOf(mlir::Value vector, int64_t index, mlir::Value tensor, int64_t axis);

} // namespace proa::pd
