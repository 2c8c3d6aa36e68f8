/// Tensors whose elements are repeated along a dim, as keys of grouped heads are.
#pragma once

#include "mlir/IR/Value.h"

#include <optional>

namespace proa {

/// A tensor [.., groups * repeats, ..] that is reshaped from [.., groups, repeats, ..], to which
/// [.., groups, 1, ..] was expanded.
struct RepeatedDim {
  mlir::Value narrow; ///< before it was expanded
  int64_t groups = 0, repeats = 0;

  /// Empty if the tensor is not repeated along dim `dim`, or if a dim may differ.
  static std::optional<RepeatedDim> of(mlir::Value tensor, int64_t dim);
};

} // namespace proa
