/// Arithmetic on dynamic dims, and decompositions by numbers of elements.
#pragma once

#include "dialects/pd/ops/shape/DimSize.h"

namespace proa::pd {

/// A rank-0 int64 tensor as a dim.
DimSize dimSizeOf(Expression value);
/// x + y.
DimSize add(TensorBuilder &e, const DimSize &x, int64_t y);
DimSize sum(TensorBuilder &e, const DimSize &x, const DimSize &y);
/// x, or y if x is below it.
DimSize atLeast(TensorBuilder &e, const DimSize &x, int64_t y);
/// The smaller of both.
DimSize minimum(TensorBuilder &e, const DimSize &x, const DimSize &y);
/// Elements [start, end) of x along an axis.
Expression sliceBetween(Expression x, int64_t axis, const DimSize &start, const DimSize &end);
/// The number of elements of x.
DimSize elementsOf(Expression x);
/// x modulo y, at least 0; y > 0.
Expression modulo(Expression x, const DimSize &y);
/// Elements of diagonal `offset` of a matrix, to the right of the main one (negative: below it).
DimSize diagonalLength(TensorBuilder &e, const DimSize &rows, const DimSize &columns, int64_t offset);

} // namespace proa::pd
