/// The elements of an x of static dims in a slice: pd.slice and pd.set_value are evaluated by it.
#pragma once

#include "dialects/pd/ops/shape/Shape.h"

namespace proa::pd {

/// For each dimension: the first element, the stride, and the count.
struct SliceBox {
  llvm::SmallVector<int64_t> firsts, strides, counts;

  /// The offset in x of the slice's element at `index`.
  int64_t flatIndex(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> dims) const;
};

/// Failure if slicedDims has an error, or a bound is in a tensor with unknown elements.
mlir::FailureOr<SliceBox> sliceBox(const SliceOperands &operands, llvm::ArrayRef<int64_t> dims);

} // namespace proa::pd
