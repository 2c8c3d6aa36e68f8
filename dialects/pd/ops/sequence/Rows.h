/// Sequences in decompositions: their first and last rows, and the sequence of each row.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ops/shape/DimSize.h"

namespace proa::pd {

/// Sequences by first row, end row, and length: int64 vectors.
struct Sequences {
  Expression starts, ends, lengths;
};

Sequences sequencesOf(Expression offsets);

/// For each row of x the index of its sequence and its position in it: int64 vectors.
struct RowPositions {
  Expression sequence, position;
};

RowPositions rowPositions(Expression x, Expression offsets);

/// Sequences of rows as slices of one tensor: [sequences, longest + 1, ...], zeros and rows of others after
/// the end of a sequence.
struct PaddedRows {
  Expression rows;
  Expression isInside; ///< [sequences, longest + 1]
};

PaddedRows paddedRows(Expression x, Expression offsets);

/// The rows of consecutive ranges, and the offsets of the ranges.
struct RangeRows {
  Expression rows, offsets;
};

RangeRows rangeRows(Expression starts, Expression lengths);

/// Slices of x along dimension 0 at the indices of an index tensor.
Expression gatherRows(Expression x, Expression index);
/// The rows of x combined by `reduce` in each of `count` groups; `initial` for empty groups.
Expression reduceRows(Expression x, Expression group, const DimSize &count, ScatterReduce reduce,
                      double initial);
/// A vector as a column: [n] as [n, 1, ..., 1] of the given rank.
Expression asColumn(Expression vector, int64_t rank);
/// A tensor with one element in each row as a vector.
Expression asVector(Expression x);
/// x as an int64 tensor.
Expression asInts(Expression x);
/// The offsets of sequences from their lengths, an int64 vector.
Expression offsetsOfLengths(Expression lengths);

} // namespace proa::pd
