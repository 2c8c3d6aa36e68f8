/// Masks that a program computes from the positions of queries and keys, and from lengths.
#pragma once

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace proa {

/// Numbers of keys. The keys below `lengths` + `offset` are used.
struct KeyLimit {
  mlir::Value lengths; ///< integers, with at most one dim that is not 1
  int64_t offset = 0;
  /// The dim of the mask along which they differ, counted from the last one; empty: one number for all.
  std::optional<unsigned> dim;
};

/// The keys of a window and below limits. Queries and keys count from 0.
struct KeyRange {
  std::optional<int64_t> left, right; ///< key - query is in [-left, right]; empty: no bound
  llvm::SmallVector<KeyLimit, 1> limits;
  /// The dims of the mask that are the queries and the keys, counted from the last one.
  unsigned queryDim = 1, keyDim = 0;
};

/// A tensor that has the number `inside` at the keys that a query uses, and `outside` at others.
struct PositionMask {
  KeyRange range;
  double inside, outside;
};

/// The same mask as the complement of its range, which must have one bound and no limits; empty if it has
/// other bounds.
std::optional<PositionMask> complementOf(const PositionMask &mask);

/// Reads comparisons of positions and lengths, and selections, casts and arithmetic of their results. Empty
/// if the mask is computed of other values, or of tensors with dynamic dims that may differ.
std::optional<PositionMask> positionMaskOf(mlir::Value mask);

/// Whether a condition is true for all positions.
bool isTrueEverywhere(mlir::Value condition);

} // namespace proa
