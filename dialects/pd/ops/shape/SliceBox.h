/// Which elements of an x of known dims a slice takes: what pd.slice and pd.set_value are evaluated by.
#pragma once

#include "dialects/pd/ops/shape/Shape.h"

namespace proa::pd {

/// Along each dimension: the first element, how far the next ones are, and how many there are.
struct SliceBox {
  llvm::SmallVector<int64_t> firsts, strides, counts;

  /// Where the element of the slice at `index` stands in x.
  int64_t place(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> dims) const;
};

/// Failure where slicedDims has an error, or a bound is in a tensor whose elements are not known.
mlir::FailureOr<SliceBox> sliceBox(const SliceOperands &operands, llvm::ArrayRef<int64_t> dims);

} // namespace proa::pd
