/// Masks of attention that windows and lengths of keys replace.
#pragma once

#include "passes/fuse/AttentionMatch.h"
#include "passes/fuse/PositionMask.h"

namespace proa {

/// The keys that the queries of an attention use, by position.
struct AttentionPositions {
  /// Keys before and after the position of a query; empty: all.
  std::optional<int64_t> left, right;
  std::optional<KeyLimit> lengths;
  /// A length of at most zero means all keys: a mask that stays says what such a sequence has.
  bool areLengthsPositive = false;
};

/// The positions that an op of attention has.
enum class PositionKinds : uint8_t {
  All,
  Causal, ///< no keys after the position of a query; queries and keys are as many
};

/// Removes the masks that windows and lengths replace from `forward`. Results do not change: a mask stays
/// where it may exclude all keys of a query, since the mask's number decides the result then. `scores` are
/// [batch, heads, queries, keys].
AttentionPositions takePositions(AttentionForward &forward, llvm::ArrayRef<int64_t> scores,
                                 PositionKinds kinds = PositionKinds::All);

} // namespace proa
