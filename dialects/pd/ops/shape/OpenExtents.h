/// Arithmetic on dynamic dims, and decompositions by numbers of elements.
#pragma once

#include "dialects/pd/ops/shape/Extent.h"

namespace proa::pd {

/// A rank-0 int64 tensor as a dim.
Extent extentOf(Expression value);
/// x + y.
Extent add(TensorBuilder &e, const Extent &x, int64_t y);
Extent sum(TensorBuilder &e, const Extent &x, const Extent &y);
/// x, or y if x is below it.
Extent atLeast(TensorBuilder &e, const Extent &x, int64_t y);
/// The smaller of both.
Extent minimum(TensorBuilder &e, const Extent &x, const Extent &y);
/// Elements [start, end) of x along an axis.
Expression sliceBetween(Expression x, int64_t axis, const Extent &start, const Extent &end);
/// The number of elements of x.
Extent elementsOf(Expression x);
/// x modulo y, at least 0; y > 0.
Expression modulo(Expression x, const Extent &y);
/// Elements of diagonal `offset` of a matrix, to the right of the main one (negative: below it).
Extent diagonalLength(TensorBuilder &e, const Extent &rows, const Extent &columns, int64_t offset);

} // namespace proa::pd
