/// Attention of a tile of queries with a block of keys, in float32.
///
/// The queries of a tile are the elements of vectors: a tile of queries, scores or results is a matrix
/// [elements or keys, queries], the transpose of the tensors. Rows of keys and values are then read as they
/// are, one element for a whole vector of queries, and maximum and sum of the scores need no sums across
/// vectors.
#pragma once

#include "lib/runtime/host/Random.h"

#include <cstdint>

namespace proa::runtime {

/// Sizes of a tile.
struct AttentionTile {
  /// Queries of a tile: one vector, or two, whose products need more registers than AVX2 has.
  static constexpr int64_t leastQueries = 16, mostQueries = 32;
  /// Keys of a block: their scores stay in the first-level cache.
  static constexpr int64_t keys = 128;

  int64_t queries; ///< leastQueries or mostQueries
  int64_t qElements, vElements;

  /// Floats of the buffers of a tile.
  int64_t sizeOfQ() const { return qElements * queries; }
  int64_t sizeOfScores() const { return keys * queries; }
  int64_t sizeOfOut() const { return vElements * queries; }
};

/// A block of at most AttentionTile::keys keys and its operands. Matrices of the tile have rows of
/// `tile.queries` elements.
struct AttentionBlock {
  AttentionTile tile;
  int64_t keys;
  const float *k, *v; ///< rows of adjacent elements
  int64_t kStride, vStride;
  double scale;
  double softCap; ///< bound of the scores before the mask; 0: none
  const float *q; ///< [qElements, queries]
  /// Added to the scores: [keys, queries], or a number for each key with `maskOfKeys`. May be null.
  const float *mask, *maskOfKeys;
  /// Scores where this is zero, [keys, queries] or a number for each key, are `fill`, and their gradients
  /// zero. May be null.
  const float *condition, *conditionOfKeys;
  double fill;
  /// The greatest score, if the mask alone gives all scores of the block; else NaN.
  float highestMasked;
  /// Query i uses the keys of the block from begins[i] on, and below ends[i]. Null: all.
  const int32_t *begins, *ends;
  /// Factors of the weights after their sum, [keys, queries]: zero where a weight is dropped. Null: 1.
  const float *kept;
  float *slopes;        ///< [keys, queries]: result, the derivatives of the soft cap. Null: not requested
  float *scores;        ///< [keys, queries]: memory
  float *out;           ///< [vElements, queries]: sums of weights and values
  float *maximum, *sum; ///< [queries]: of the blocks so far; at first minus infinity and zero
};

/// Adds the keys and values of a block to the sums of a tile. `wide`: for the 32 registers of AVX-512; any
/// processor can do it.
void addAttentionBlock(const AttentionBlock &block, bool wide);

/// Divides the sums of a tile by the sums of the weights.
void divideAttentionTile(const AttentionTile &tile, const float *sum, float *out);

/// The gradients of a block. Rows of queries, keys and values are padded to whole vectors.
struct AttentionGradientBlock {
  /// `maximum` and `sum` are over all keys; `scores` becomes the weights after dropout. `out` is unused.
  AttentionBlock forward;
  int64_t count;                ///< queries of the tile that exist
  const float *outGradient;     ///< [vElements, queries]
  const float *delta;           ///< [queries]
  float *scoreGradient;         ///< [keys, queries]: result
  float *qGradient;             ///< [qElements, queries]: sums without `scale`. Null: not requested
  const float *qRows, *outRows; ///< rows of the queries and of the gradient of the result
  float *kGradient, *vGradient; ///< sums for the keys of the block, without `scale`. Null: not requested
};

/// Computes the gradient of the scores of a block and adds to the gradients that are requested.
void addAttentionGradient(const AttentionGradientBlock &block, bool wide);

/// to[i] is the sum of the products of the elements of rows x[i] and y + i * yStride, for `count` rows.
void multiplyRows(const float *const *x, const float *y, int64_t yStride, int64_t count, int64_t elements,
                  float *to);

/// to[i] is `factor`, or zero if random number `first` + i of the call is below `p`, for `count` numbers.
void keepAtRandom(const RandomCall &call, uint64_t first, int64_t count, float p, float factor, float *to);

/// The greatest of `count` numbers, a multiple of 16, if all are at most `limit`; else NaN.
float highestUpTo(float limit, const float *values, int64_t count);

/// to[column * stride + row] = rows[row][column] for `columns` columns and `count` rows; zeros for the rows
/// from `count` to `width`, a multiple of 16.
void transposeRows(const float *const *rows, int64_t count, int64_t columns, float *to, int64_t width,
                   int64_t stride);

/// to[row * stride + line] = tile[line][row] for `lines` lines of `width` elements, a multiple of 16; zeros
/// up to the next multiple of 16 lines.
void transposeTile(const float *tile, int64_t lines, int64_t width, float *to, int64_t stride);

} // namespace proa::runtime
