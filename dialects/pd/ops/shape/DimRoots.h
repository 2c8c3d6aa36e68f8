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
/// sharding rule. A dim of 1 may broadcast: the dim of an elementwise op's result is a dim of its operands if
/// all have the same.
DimRoot dimRootOf(mlir::Value tensor, int64_t axis);

/// The dim that element `index` of a vector, or a tensor of one element, holds; nothing if it is another
/// number.
std::optional<DimRoot> heldDimOf(mlir::Value tensor, int64_t index = 0);

/// Whether dims of tensors are known to be equal. Looks at few ops.
bool areSameDims(mlir::Value a, int64_t axisOfA, mlir::Value b, int64_t axisOfB);

/// Whether element `index` of a vector is the dim `axis` of a tensor. Looks at few ops, for
/// canonicalizations: false if more are between.
bool holdsDimOf(mlir::Value vector, int64_t index, mlir::Value tensor, int64_t axis);

} // namespace proa::pd
