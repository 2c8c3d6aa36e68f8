/// Arithmetic on extents that only the run may know, and decompositions by numbers of elements.
#pragma once

#include "dialects/pd/ops/shape/Extent.h"

namespace proa::pd {

/// A rank-0 int64 tensor as an extent.
Extent extentOf(Expression value);
/// x + y.
Extent add(TensorBuilder &e, const Extent &x, int64_t y);
Extent sum(TensorBuilder &e, const Extent &x, const Extent &y);
/// x, but y where x is below it.
Extent atLeast(TensorBuilder &e, const Extent &x, int64_t y);
/// The lesser of both.
Extent minimum(TensorBuilder &e, const Extent &x, const Extent &y);
/// Elements [start, end) of x along an axis.
Expression sliceBetween(Expression x, int64_t axis, const Extent &start, const Extent &end);
/// The number of elements of x.
Extent elementsOf(Expression x);
/// x modulo y, at least 0; y > 0.
Expression modulo(Expression x, const Extent &y);
/// Elements of the diagonal `offset` to the right of the main one of a matrix (below it: a negative number).
Extent diagonalLength(TensorBuilder &e, const Extent &rows, const Extent &columns, int64_t offset);

} // namespace proa::pd
