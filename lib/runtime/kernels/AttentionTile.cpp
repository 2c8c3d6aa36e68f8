#include "lib/runtime/kernels/AttentionTile.h"

#include "lib/runtime/kernels/Vectors.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace proa::runtime {

static_assert(AttentionTile::leastQueries == vectorSize && AttentionTile::mostQueries % vectorSize == 0);

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

PROA_VECTOR_INLINE Vector loadWhole(const float *from) {
  Vector x;
  std::memcpy(&x, from, sizeof(x));
  return x;
}
PROA_VECTOR_INLINE void storeWhole(const Vector &x, float *to) { std::memcpy(to, &x, sizeof(x)); }
PROA_VECTOR_INLINE Vector greater(const Vector &a, const Vector &b) { return a > b ? a : b; }

/// e to the power of x, for x of at most zero: below the range of normal numbers the result is zero, and NaN
/// stays NaN.
PROA_VECTOR_INLINE Vector weightOf(const Vector &x) {
  constexpr float log2e = 1.44269504f, roundToInteger = 12582912.0f; // 1.5 * 2^23
  constexpr float lowest = -126.0f;
  Vector power = x * log2e, clamped = power < lowest ? Vector{} + lowest : power;
  Vector shifted = clamped + roundToInteger, rest = clamped - (shifted - roundToInteger);
  Vector sum = Vector{} + 1.535336188319500e-4f; // the polynomial of 2^rest (Cephes, exp2f)
  for (float factor : {1.339887440266574e-3f, 9.618437357674640e-3f, 5.550332471162809e-2f,
                       2.402264791363012e-1f, 6.931472028550421e-1f, 1.0f})
    sum = sum * rest + factor;
  IntVector bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits + 127) << 23;
  Vector scale;
  std::memcpy(&scale, &bits, sizeof(scale));
  Vector weight = sum * scale;
  return power < lowest ? Vector{} : weight;
}

/// sums[row][c] = sum over i of x[row * rowStride + i * step] * y[i * Columns vectors + c].
template <int Rows, int Columns>
PROA_VECTOR_INLINE void addProducts(const float *x, int64_t rowStride, int64_t step, const float *y,
                                    int64_t inner, Vector (&sums)[Rows][Columns]) {
#pragma GCC unroll 2
  for (int64_t i = 0; i < inner; ++i, y += Columns * vectorSize) {
    Vector line[Columns];
    for (int c = 0; c < Columns; ++c)
      line[c] = loadWhole(y + c * vectorSize);
    for (int row = 0; row < Rows; ++row) {
      float factor = x[row * rowStride + i * step];
      for (int c = 0; c < Columns; ++c)
        sums[row][c] += factor * line[c];
    }
  }
}

//===-- Scores ------------------------------------------------------------------------------------------===//

/// The scores of `Rows` keys from `key`; they raise `highest`.
template <int Rows, int Columns>
PROA_VECTOR_INLINE void scoreRows(const AttentionBlock &block, int64_t key, Vector (&highest)[Columns]) {
  constexpr int64_t width = Columns * vectorSize;
  Vector sums[Rows][Columns] = {};
  addProducts<Rows, Columns>(block.k + key * block.kStride, block.kStride, 1, block.q, block.tile.qElements,
                             sums);
  auto scale = static_cast<float>(block.scale);
  for (int row = 0; row < Rows; ++row) {
    int64_t own = key + row;
    for (int c = 0; c < Columns; ++c) {
      Vector score = sums[row][c] * scale;
      if (block.mask)
        score += loadWhole(block.mask + own * width + c * vectorSize);
      if (block.maskOfKeys)
        score += block.maskOfKeys[own * block.maskOfKeysStride];
      if (block.ends) {
        IntVector ends;
        std::memcpy(&ends, block.ends + c * vectorSize, sizeof(ends));
        score = ends > static_cast<int32_t>(own) ? score : Vector{} - infinity;
      }
      storeWhole(score, block.scores + own * width + c * vectorSize);
      highest[c] = greater(score, highest[c]);
    }
  }
}

/// As many tiles of `Rows` keys as there are, from `key`.
template <int Rows, int Columns>
PROA_VECTOR_INLINE void scoreTiles(const AttentionBlock &block, int64_t &key, Vector (&highest)[Columns]) {
  for (; key + Rows <= block.keys; key += Rows)
    scoreRows<Rows, Columns>(block, key, highest);
}

/// Rows of a product whose sums stay in registers, and hide the latency of additions.
template <int Columns, bool Wide> constexpr int mostRows = !Wide ? 6 : Columns > 1 ? 8 : 12;

template <int Columns, bool Wide>
PROA_VECTOR_INLINE void scoreBlock(const AttentionBlock &block, Vector (&highest)[Columns]) {
  int64_t key = 0;
  scoreTiles<mostRows<Columns, Wide>, Columns>(block, key, highest);
  scoreTiles<4, Columns>(block, key, highest);
  scoreTiles<1, Columns>(block, key, highest);
}

//===-- Weights -----------------------------------------------------------------------------------------===//

/// Scores become weights with the maximum `highest`, and the sums so far are brought to it.
template <int Columns>
PROA_VECTOR_INLINE void weighBlock(const AttentionBlock &block, const Vector (&highest)[Columns]) {
  constexpr int64_t width = Columns * vectorSize;
  Vector shift[Columns], sums[Columns], factor[Columns];
  bool isRaised = false;
  for (int c = 0; c < Columns; ++c) {
    Vector before = loadWhole(block.maximum + c * vectorSize);
    // Without any key so far all scores are minus infinity, and so are their distances to any number.
    shift[c] = highest[c] == -infinity ? Vector{} : highest[c];
    factor[c] = weightOf(before - shift[c]);
    sums[c] = loadWhole(block.sum + c * vectorSize) * factor[c];
    for (int64_t i = 0; i < vectorSize; ++i)
      isRaised |= highest[c][i] != before[i];
    storeWhole(highest[c], block.maximum + c * vectorSize);
  }
  for (int64_t row = 0; isRaised && row < block.tile.vElements; ++row)
    for (int c = 0; c < Columns; ++c) {
      float *out = block.out + row * width + c * vectorSize;
      storeWhole(loadWhole(out) * factor[c], out);
    }
  for (int64_t key = 0; key < block.keys; ++key)
    for (int c = 0; c < Columns; ++c) {
      float *score = block.scores + key * width + c * vectorSize;
      Vector weight = weightOf(loadWhole(score) - shift[c]);
      storeWhole(weight, score);
      sums[c] += weight;
    }
  for (int c = 0; c < Columns; ++c)
    storeWhole(sums[c], block.sum + c * vectorSize);
}

//===-- Values ------------------------------------------------------------------------------------------===//

template <int Rows, int Columns>
PROA_VECTOR_INLINE void addValueTiles(const AttentionBlock &block, int64_t &element) {
  constexpr int64_t width = Columns * vectorSize;
  for (; element + Rows <= block.tile.vElements; element += Rows) {
    Vector sums[Rows][Columns];
    float *out = block.out + element * width;
    for (int row = 0; row < Rows; ++row)
      for (int c = 0; c < Columns; ++c)
        sums[row][c] = loadWhole(out + row * width + c * vectorSize);
    addProducts<Rows, Columns>(block.v + element, 1, block.vStride, block.scores, block.keys, sums);
    for (int row = 0; row < Rows; ++row)
      for (int c = 0; c < Columns; ++c)
        storeWhole(sums[row][c], out + row * width + c * vectorSize);
  }
}

template <int Columns, bool Wide> PROA_VECTOR_INLINE void addValues(const AttentionBlock &block) {
  int64_t element = 0;
  addValueTiles<mostRows<Columns, Wide>, Columns>(block, element);
  addValueTiles<4, Columns>(block, element);
  addValueTiles<1, Columns>(block, element);
}

template <int Columns, bool Wide> PROA_VECTOR_INLINE void addBlock(const AttentionBlock &block) {
  Vector highest[Columns];
  for (int c = 0; c < Columns; ++c)
    highest[c] = loadWhole(block.maximum + c * vectorSize);
  scoreBlock<Columns, Wide>(block, highest);
  weighBlock<Columns>(block, highest);
  addValues<Columns, Wide>(block);
}

template <int Columns>
PROA_VECTOR_INLINE void divideTile(const AttentionTile &tile, const float *sum, float *out) {
  Vector factor[Columns];
  for (int c = 0; c < Columns; ++c)
    factor[c] = 1.0f / loadWhole(sum + c * vectorSize);
  for (int64_t element = 0; element < tile.vElements; ++element)
    for (int c = 0; c < Columns; ++c, out += vectorSize)
      storeWhole(loadWhole(out) * factor[c], out);
}

//===-- Transposition -----------------------------------------------------------------------------------===//

constexpr int64_t side = vectorSize;

/// One of four steps of the transposition of a square: swaps the parts of `Half` elements of rows that are
/// `Half` apart.
template <int Half> PROA_VECTOR_INLINE void exchange(Vector (&rows)[side]) {
  for (int first = 0; first < side; ++first) {
    if (first & Half)
      continue;
    Vector &a = rows[first], &b = rows[first + Half];
    Vector low, high;
    [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      low = __builtin_shufflevector(a, b, (I & Half ? side + I - Half : I)...);
      high = __builtin_shufflevector(a, b, (I & Half ? side + I : I + Half)...);
    }(std::make_integer_sequence<int, side>());
    a = low;
    b = high;
  }
}

PROA_VECTOR_INLINE void transposeSquare(const float *const *rows, int64_t column, float *to, int64_t stride) {
  Vector lines[side];
  for (int64_t row = 0; row < side; ++row)
    lines[row] = loadWhole(rows[row] + column);
  exchange<8>(lines);
  exchange<4>(lines);
  exchange<2>(lines);
  exchange<1>(lines);
  for (int64_t row = 0; row < side; ++row)
    storeWhole(lines[row], to + (column + row) * stride);
}

} // namespace

// Not static: GCC does not clone such functions. The declarations show that they are meant to be external.
PROA_VECTOR_CLONES void addBlockByVectors(const AttentionBlock &block, bool wide);
PROA_VECTOR_CLONES void addBlockByVectors(const AttentionBlock &block, bool wide) {
  constexpr int few = AttentionTile::leastQueries / vectorSize,
                many = AttentionTile::mostQueries / vectorSize;
  if (block.tile.queries == AttentionTile::mostQueries)
    addBlock<many, true>(block);
  else if (wide)
    addBlock<few, true>(block);
  else
    addBlock<few, false>(block);
}
PROA_VECTOR_CLONES void divideByVectors(const AttentionTile &tile, const float *sum, float *out);
PROA_VECTOR_CLONES void divideByVectors(const AttentionTile &tile, const float *sum, float *out) {
  if (tile.queries == AttentionTile::mostQueries)
    divideTile<AttentionTile::mostQueries / vectorSize>(tile, sum, out);
  else
    divideTile<AttentionTile::leastQueries / vectorSize>(tile, sum, out);
}
PROA_VECTOR_CLONES void transposeSquares(const float *const *rows, int64_t columns, float *to,
                                         int64_t stride);
PROA_VECTOR_CLONES void transposeSquares(const float *const *rows, int64_t columns, float *to,
                                         int64_t stride) {
  for (int64_t column = 0; column + side <= columns; column += side)
    transposeSquare(rows, column, to, stride);
}

void addAttentionBlock(const AttentionBlock &block, bool wide) { addBlockByVectors(block, wide); }
void divideAttentionTile(const AttentionTile &tile, const float *sum, float *out) {
  divideByVectors(tile, sum, out);
}

void transposeRows(const float *const *rows, int64_t count, int64_t columns, float *to, int64_t width,
                   int64_t stride) {
  for (int64_t first = 0; first < width; first += side) {
    int64_t own = std::clamp<int64_t>(count - first, 0, side), begin = 0;
    if (own == side) {
      transposeSquares(rows + first, columns, to + first, stride);
      begin = columns / side * side;
    }
    for (int64_t column = begin; column < columns; ++column) {
      float *line = to + column * stride + first;
      for (int64_t row = 0; row < own; ++row)
        line[row] = rows[first + row][column];
      std::fill(line + own, line + side, 0.0f);
    }
  }
}

} // namespace proa::runtime
