#include "lib/runtime/kernels/attention/AttentionTile.h"

#include "lib/runtime/kernels/common/Vectors.h"

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

/// x after dropout: zero where it is not kept, also if it is not finite.
PROA_VECTOR_INLINE Vector dropped(const Vector &x, const Vector &kept) {
  return kept == 0.0f ? Vector{} : x * kept;
}

/// e to the power of x, for x of at most zero: below 2^-126.5 the result is zero, and NaN stays NaN.
PROA_VECTOR_INLINE Vector weightOf(const Vector &x) {
  constexpr float log2e = 1.44269504f, roundToInteger = 12582912.0f; // 1.5 * 2^23
  constexpr float lowest = -88.02969f;                               // the scale is 2^-127, which is zero
  Vector clamped = x < lowest ? Vector{} + lowest : x;
  Vector shifted = clamped * log2e + roundToInteger, rest = clamped * log2e - (shifted - roundToInteger);
  // The polynomial of 2^rest (Cephes, exp2f) by pairs: a sum of one term after the other waits longer.
  Vector square = rest * rest;
  Vector low = rest * 6.931472028550421e-1f + 1.0f,
         middle = rest * 5.550332471162809e-2f + 2.402264791363012e-1f,
         high = rest * 1.339887440266574e-3f + 9.618437357674640e-3f;
  Vector sum = ((square * 1.535336188319500e-4f + high) * square + middle) * square + low;
  IntVector bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits + 127) << 23;
  Vector scale;
  std::memcpy(&scale, &bits, sizeof(scale));
  return sum * scale;
}

/// The hyperbolic tangent. Its error is a few units in the last place (Cephes, tanhf).
PROA_VECTOR_INLINE Vector tanhOf(const Vector &x) {
  Vector size = x < 0.0f ? -x : x, square = x * x;
  Vector sum = Vector{} - 5.70498872745e-3f;
  for (float factor : {2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f, -3.33332819422e-1f})
    sum = sum * square + factor;
  Vector small = x + x * square * sum;
  Vector power = weightOf(-2.0f * size), large = 1.0f - 2.0f * power / (1.0f + power);
  return size < 0.625f ? small : x < 0.0f ? -large : large;
}

/// Rows of a product whose sums stay in registers, and hide the latency of additions.
template <int Columns, bool Wide> constexpr int mostRows = !Wide ? 6 : Columns > 1 ? 8 : 12;

/// The number of partial sums of each element, for the same reason.
template <int Rows, int Columns, bool Wide>
constexpr int partialSums = Wide        ? std::max(1, 8 / (Rows * Columns))
                            : Rows == 1 ? 4
                            : Rows <= 3 ? 2
                                        : 1;

/// Adds to sums[row][c] the sum over i from `first`, in steps of `Step`, of
/// x[row * rowStride + i * step] * y[i * lineStride + c vectors].
template <int Step, int Rows, int Columns>
PROA_VECTOR_INLINE void addEveryProduct(const float *x, int64_t rowStride, int64_t step, const float *y,
                                        int64_t lineStride, int64_t first, int64_t last,
                                        Vector (&sums)[Step][Rows][Columns]) {
  auto add = [&](int64_t i) __attribute__((always_inline)) {
    for (int chain = 0; chain < Step; ++chain) {
      Vector line[Columns];
      for (int c = 0; c < Columns; ++c)
        line[c] = loadWhole(y + (i + chain) * lineStride + c * vectorSize);
      for (int row = 0; row < Rows; ++row) {
        float factor = x[row * rowStride + (i + chain) * step];
        for (int c = 0; c < Columns; ++c)
          sums[chain][row][c] += factor * line[c];
      }
    }
  };
  if constexpr (Step == 1) {
#pragma GCC unroll 2
    for (int64_t i = first; i < last; ++i)
      add(i);
  } else {
    for (int64_t i = first; i < last; i += Step)
      add(i);
  }
}

/// Sets sums[row][c] to the sum over i of x[row * rowStride + i * step] * y[i * lineStride + c vectors].
template <bool Wide, int Rows, int Columns>
PROA_VECTOR_INLINE void setProducts(const float *x, int64_t rowStride, int64_t step, const float *y,
                                    int64_t lineStride, int64_t inner, Vector (&sums)[Rows][Columns]) {
  constexpr int chains = partialSums<Rows, Columns, Wide>;
  int64_t whole = inner / chains * chains;
  Vector partial[chains][Rows][Columns] = {};
  addEveryProduct<chains>(x, rowStride, step, y, lineStride, 0, whole, partial);
  Vector rest[1][Rows][Columns] = {};
  if constexpr (chains > 1)
    addEveryProduct<1>(x, rowStride, step, y, lineStride, whole, inner, rest);
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 2
    for (int c = 0; c < Columns; ++c) {
      Vector sum = partial[0][row][c];
      for (int chain = 1; chain < chains; ++chain)
        sum += partial[chain][row][c];
      if constexpr (chains > 1)
        sum += rest[0][row][c];
      sums[row][c] = sum;
    }
}

/// Cuts `count` rows of a product into tiles: calls `tile` with the rows of each, a constant, and the first.
template <int Columns, bool Wide, class Tile> PROA_VECTOR_INLINE void cutRows(int64_t count, Tile tile) {
  int64_t first = 0;
  auto add = [&]<int Rows>(std::integral_constant<int, Rows> rows, int64_t left)
                 __attribute__((always_inline)) {
                   for (; count - first >= Rows && count - first > left; first += Rows)
                     tile(rows, first);
                 };
  if constexpr (Wide) {
    add(std::integral_constant<int, mostRows<Columns, Wide>>(), 0);
    add(std::integral_constant<int, 4>(), 0);
  } else {
    // The sums of four rows wait for each other, the sums of five do not.
    add(std::integral_constant<int, 6>(), count % 6 == 4 ? 10 : 0);
    add(std::integral_constant<int, 5>(), 0);
    add(std::integral_constant<int, 4>(), 0);
    add(std::integral_constant<int, 3>(), 0);
    add(std::integral_constant<int, 2>(), 0);
  }
  add(std::integral_constant<int, 1>(), 0);
}

//===-- Scores ------------------------------------------------------------------------------------------===//

/// Whether at most masks that are added change the scores.
bool areSimple(const AttentionBlock &block) {
  return block.softCap == 0 && !block.condition && !block.conditionOfKeys && !block.ends && !block.begins;
}

/// Scales the products of queries and keys. With the masks, if those are simple, they are scores, which raise
/// `highest`.
template <int Columns, bool Wide>
PROA_VECTOR_INLINE void multiplyKeys(const AttentionBlock &block, bool addsMasks,
                                     Vector (&highest)[Columns]) {
  constexpr int64_t width = Columns * vectorSize;
  const float *mask = addsMasks ? block.mask : nullptr, *ofKeys = addsMasks ? block.maskOfKeys : nullptr;
  auto scale = static_cast<float>(block.scale);
  cutRows<Columns, Wide>(block.keys, [&]<int Rows>(std::integral_constant<int, Rows>, int64_t key)
                                         __attribute__((always_inline)) {
                                           Vector sums[Rows][Columns];
                                           setProducts<Wide>(block.k + key * block.kStride, block.kStride, 1,
                                                             block.q, width, block.tile.qElements, sums);
#pragma GCC unroll 16
                                           for (int row = 0; row < Rows; ++row)
                                             for (int c = 0; c < Columns; ++c) {
                                               int64_t at = (key + row) * width + c * vectorSize;
                                               Vector score = sums[row][c] * scale;
                                               if (mask)
                                                 score += loadWhole(mask + at);
                                               if (ofKeys)
                                                 score += ofKeys[key + row];
                                               storeWhole(score, block.scores + at);
                                               highest[c] = greater(score, highest[c]);
                                             }
                                         });
}

/// Scaled products become scores, which raise `highest`.
template <int Columns>
PROA_VECTOR_INLINE void adjustScores(const AttentionBlock &block, Vector (&highest)[Columns]) {
  constexpr int64_t width = Columns * vectorSize;
  auto cap = static_cast<float>(block.softCap);
  float inverseCap = 1 / cap;
  Vector fill = Vector{} + static_cast<float>(block.fill);
  for (int64_t key = 0; key < block.keys; ++key)
    for (int c = 0; c < Columns; ++c) {
      int64_t at = key * width + c * vectorSize;
      Vector score = loadWhole(block.scores + at);
      if (block.softCap != 0) {
        Vector bounded = tanhOf(score * inverseCap);
        score = bounded * cap;
        if (block.slopes)
          storeWhole(1.0f - bounded * bounded, block.slopes + at);
      }
      if (block.mask)
        score += loadWhole(block.mask + at);
      if (block.maskOfKeys)
        score += block.maskOfKeys[key];
      if (block.condition)
        score = loadWhole(block.condition + at) == 0.0f ? fill : score;
      if (block.conditionOfKeys && block.conditionOfKeys[key] == 0)
        score = fill;
      if (block.ends) {
        IntVector ends;
        std::memcpy(&ends, block.ends + c * vectorSize, sizeof(ends));
        score = ends > static_cast<int32_t>(key) ? score : Vector{} - infinity;
      }
      if (block.begins) {
        IntVector begins;
        std::memcpy(&begins, block.begins + c * vectorSize, sizeof(begins));
        score = begins <= static_cast<int32_t>(key) ? score : Vector{} - infinity;
      }
      storeWhole(score, block.scores + at);
      highest[c] = greater(score, highest[c]);
    }
}

template <int Columns, bool Wide>
PROA_VECTOR_INLINE void scoreBlock(const AttentionBlock &block, Vector (&highest)[Columns]) {
  bool isSimple = areSimple(block);
  Vector before[Columns];
  for (int c = 0; c < Columns; ++c)
    before[c] = highest[c];
  multiplyKeys<Columns, Wide>(block, isSimple, highest);
  if (isSimple)
    return;
  for (int c = 0; c < Columns; ++c)
    highest[c] = before[c];
  adjustScores<Columns>(block, highest);
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
      sums[c] += weight;
      storeWhole(block.kept ? dropped(weight, loadWhole(block.kept + key * width + c * vectorSize)) : weight,
                 score);
    }
  for (int c = 0; c < Columns; ++c)
    storeWhole(sums[c], block.sum + c * vectorSize);
}

//===-- Values ------------------------------------------------------------------------------------------===//

/// Adds sums to rows of `stride` elements.
template <int Rows, int Columns>
PROA_VECTOR_INLINE void addTo(float *to, int64_t stride, const Vector (&sums)[Rows][Columns]) {
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row)
    for (int c = 0; c < Columns; ++c) {
      float *out = to + row * stride + c * vectorSize;
      storeWhole(loadWhole(out) + sums[row][c], out);
    }
}

/// to[element][query] += sum over keys of rows[key][element] * weights[key][query].
template <int Columns, bool Wide>
PROA_VECTOR_INLINE void addRows(const AttentionBlock &block, const float *rows, int64_t stride,
                                int64_t elements, const float *weights, float *to) {
  constexpr int64_t width = Columns * vectorSize;
  cutRows<Columns, Wide>(elements, [&]<int Rows>(std::integral_constant<int, Rows>,
                                                 int64_t element) __attribute__((always_inline)) {
    Vector sums[Rows][Columns];
    setProducts<Wide>(rows + element, 1, stride, weights, width, block.keys, sums);
    addTo(to + element * width, width, sums);
  });
}

template <int Columns, bool Wide> PROA_VECTOR_INLINE void addBlock(const AttentionBlock &block) {
  Vector highest[Columns];
  for (int c = 0; c < Columns; ++c)
    highest[c] = loadWhole(block.maximum + c * vectorSize);
  scoreBlock<Columns, Wide>(block, highest);
  weighBlock<Columns>(block, highest);
  addRows<Columns, Wide>(block, block.v, block.vStride, block.tile.vElements, block.scores, block.out);
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

//===-- Gradients ---------------------------------------------------------------------------------------===//

/// The weights of a block, and the gradients of its scores from the gradients of the weights.
template <int Columns>
PROA_VECTOR_INLINE void setGradients(const AttentionGradientBlock &block, const Vector (&factor)[Columns]) {
  const AttentionBlock &forward = block.forward;
  for (int64_t key = 0; key < forward.keys; ++key)
    for (int c = 0; c < Columns; ++c) {
      int64_t position = (key * Columns + c) * vectorSize;
      Vector score = loadWhole(forward.scores + position);
      Vector weight = weightOf(score - loadWhole(forward.maximum + c * vectorSize)) * factor[c];
      Vector gradient = loadWhole(block.scoreGradient + position);
      Vector kept = forward.kept ? loadWhole(forward.kept + position) : Vector{} + 1.0f;
      if (forward.kept)
        gradient = dropped(gradient, kept);
      storeWhole(forward.kept ? dropped(weight, kept) : weight, forward.scores + position);
      Vector ofScore = weight * (gradient - loadWhole(block.delta + c * vectorSize));
      if (forward.condition)
        ofScore = loadWhole(forward.condition + position) == 0.0f ? Vector{} : ofScore;
      if (forward.conditionOfKeys && forward.conditionOfKeys[key] == 0)
        ofScore = Vector{};
      if (forward.slopes)
        ofScore *= loadWhole(forward.slopes + position);
      storeWhole(ofScore, block.scoreGradient + position);
    }
}

/// The products of the values and the gradient of the result, the gradients of the weights.
template <int Columns, bool Wide>
PROA_VECTOR_INLINE void multiplyValues(const AttentionGradientBlock &block) {
  constexpr int64_t width = Columns * vectorSize;
  const AttentionBlock &forward = block.forward;
  cutRows<Columns, Wide>(forward.keys, [&]<int Rows>(std::integral_constant<int, Rows>,
                                                     int64_t key) __attribute__((always_inline)) {
    Vector sums[Rows][Columns];
    setProducts<Wide>(forward.v + key * forward.vStride, forward.vStride, 1, block.outGradient, width,
                      forward.tile.vElements, sums);
#pragma GCC unroll 16
    for (int row = 0; row < Rows; ++row)
      for (int c = 0; c < Columns; ++c)
        storeWhole(sums[row][c], block.scoreGradient + (key + row) * width + c * vectorSize);
  });
}

/// to[key][..] += sum over queries of weights[key][query] * rows[query][..] for `Columns` vectors of a row.
template <bool Wide, int Rows, int Columns>
PROA_VECTOR_INLINE void addQueryTiles(const AttentionGradientBlock &block, const float *weights,
                                      const float *rows, int64_t stride, float *to, int64_t &key) {
  int64_t width = block.forward.tile.queries;
  for (; key + Rows <= block.forward.keys; key += Rows) {
    Vector sums[Rows][Columns];
    setProducts<Wide>(weights + key * width, width, 1, rows, stride, block.count, sums);
    addTo(to + key * stride, stride, sums);
  }
}

/// As many groups of `Columns` vectors of a row of `stride` elements as there are, from `first`.
template <bool Wide, int Rows, int Columns>
PROA_VECTOR_INLINE void addQueryColumns(const AttentionGradientBlock &block, const float *weights,
                                        const float *rows, int64_t stride, float *to, int64_t &first) {
  for (; first + Columns * vectorSize <= stride; first += Columns * vectorSize) {
    int64_t key = 0;
    addQueryTiles<Wide, Rows, Columns>(block, weights, rows + first, stride, to + first, key);
    addQueryTiles<Wide, 1, Columns>(block, weights, rows + first, stride, to + first, key);
  }
}

template <bool Wide>
PROA_VECTOR_INLINE void addQueries(const AttentionGradientBlock &block, const float *weights,
                                   const float *rows, int64_t elements, float *to) {
  int64_t stride = (elements + vectorSize - 1) / vectorSize * vectorSize, first = 0;
  if constexpr (Wide) {
    addQueryColumns<true, 4, 4>(block, weights, rows, stride, to, first);
    addQueryColumns<true, 8, 2>(block, weights, rows, stride, to, first);
  }
  addQueryColumns<Wide, Wide ? 8 : 4, 1>(block, weights, rows, stride, to, first);
}

template <int Columns, bool Wide> PROA_VECTOR_INLINE void addGradient(const AttentionGradientBlock &block) {
  const AttentionBlock &forward = block.forward;
  Vector factor[Columns], highest[Columns];
  for (int c = 0; c < Columns; ++c) {
    factor[c] = 1.0f / loadWhole(forward.sum + c * vectorSize);
    highest[c] = Vector{};
  }
  scoreBlock<Columns, Wide>(forward, highest);
  multiplyValues<Columns, Wide>(block);
  setGradients<Columns>(block, factor);
  if (block.qGradient)
    addRows<Columns, Wide>(forward, forward.k, forward.kStride, forward.tile.qElements, block.scoreGradient,
                           block.qGradient);
  if (block.kGradient)
    addQueries<Wide>(block, block.scoreGradient, block.qRows, forward.tile.qElements, block.kGradient);
  if (block.vGradient)
    addQueries<Wide>(block, forward.scores, block.outRows, forward.tile.vElements, block.vGradient);
}

PROA_VECTOR_INLINE void productOfRows(const float *x, const float *y, int64_t elements, float *to) {
  Vector sums{};
  for (int64_t e = 0; e < elements; e += vectorSize) {
    Vector own, other;
    load(x + e, elements - e, own);
    load(y + e, elements - e, other);
    sums += own * other;
  }
  float sum = 0;
  for (int64_t i = 0; i < vectorSize; ++i)
    sum += sums[i];
  *to = sum;
}

PROA_VECTOR_INLINE void findHighest(float limit, const float *values, int64_t count, float *to) {
  Vector highest = Vector{} - infinity;
  IntVector isGreater{}; // also NaN
  for (int64_t i = 0; i < count; i += vectorSize) {
    Vector own = loadWhole(values + i);
    isGreater |= ~(own <= Vector{} + limit);
    highest = greater(own, highest);
  }
  float sofar = -infinity;
  bool areLow = true;
  for (int64_t i = 0; i < vectorSize; ++i) {
    sofar = std::max(sofar, highest[i]);
    areLow &= isGreater[i] == 0;
  }
  *to = areLow ? sofar : std::numeric_limits<float>::quiet_NaN();
}

//===-- Dropout -----------------------------------------------------------------------------------------===//

using WordVector = uint32_t __attribute__((vector_size(vectorSize * sizeof(uint32_t))));
using LongVector = uint64_t __attribute__((vector_size(vectorSize * sizeof(uint64_t))));

PROA_VECTOR_INLINE void multiplyWords(const WordVector &x, uint32_t factor, WordVector &high,
                                      WordVector &low) {
  LongVector product = __builtin_convertvector(x, LongVector) * uint64_t(factor);
  high = __builtin_convertvector(product >> 32, WordVector);
  low = x * factor;
}

/// Words 4 * block to 4 * block + 3 of the call for 16 blocks from `first`, as `philox` computes them.
PROA_VECTOR_INLINE void randomWords(const RandomCall &call, uint64_t first, WordVector (&words)[4]) {
  LongVector blocks;
  for (uint64_t i = 0; i < static_cast<uint64_t>(vectorSize); ++i)
    blocks[i] = first + i;
  words[0] = __builtin_convertvector(blocks, WordVector);
  words[1] = __builtin_convertvector(blocks >> 32, WordVector);
  words[2] = WordVector{} + static_cast<uint32_t>(call.call);
  words[3] = WordVector{} + static_cast<uint32_t>(call.call >> 32);
  auto k0 = static_cast<uint32_t>(call.key), k1 = static_cast<uint32_t>(call.key >> 32);
  for (int round = 0; round < philoxRounds; ++round) {
    WordVector highA, lowA, highB, lowB;
    multiplyWords(words[0], philoxFactors[0], highA, lowA);
    multiplyWords(words[2], philoxFactors[1], highB, lowB);
    words[0] = highB ^ words[1] ^ k0;
    words[1] = lowB;
    words[2] = highA ^ words[3] ^ k1;
    words[3] = lowA;
    k0 += philoxKeySteps[0];
    k1 += philoxKeySteps[1];
  }
}

PROA_VECTOR_INLINE void keepNumbers(const RandomCall &call, uint64_t first, int64_t count, float p,
                                    float factor, float *to) {
  constexpr int64_t values = 4 * vectorSize;
  auto skipped = static_cast<int64_t>(first % 4);
  for (int64_t i = -skipped; i < count; i += values) {
    WordVector words[4];
    randomWords(call, first / 4 + static_cast<uint64_t>((i + skipped) / 4), words);
    float kept[4][vectorSize];
    for (int word = 0; word < 4; ++word) {
      Vector uniform = __builtin_convertvector(words[word] >> 8, Vector) * 0x1p-24f;
      storeWhole(uniform < p ? Vector{} : Vector{} + factor, kept[word]);
    }
    int64_t begin = std::max<int64_t>(i, 0), end = std::min(i + values, count);
    for (int64_t position = begin; position < end; ++position)
      to[position] = kept[(position - i) % 4][(position - i) / 4];
  }
}

//===-- Transposition -----------------------------------------------------------------------------------===//

constexpr int64_t side = vectorSize;

/// One of four steps of the transposition of a square: swaps the ranges of `Half` elements of rows that are
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

/// Half of a vector: what is left of rows of 8, 24, 40 and so on elements.
constexpr int64_t half = side / 2;
using HalfVector = float __attribute__((vector_size(half * sizeof(float))));

PROA_VECTOR_INLINE void transposeHalf(const float *const *rows, int64_t column, float *to, int64_t stride) {
  HalfVector lines[half];
  for (int64_t row = 0; row < half; ++row)
    std::memcpy(&lines[row], rows[row] + column, sizeof(HalfVector));
  HalfVector pairs[half], quarters[half];
  for (int i = 0; i < half; i += 2) {
    pairs[i] = __builtin_shufflevector(lines[i], lines[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(lines[i], lines[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < half; i += 4)
    for (int j = 0; j < 2; ++j) {
      const HalfVector &a = pairs[i + j], &b = pairs[i + j + 2];
      quarters[i + 2 * j] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
      quarters[i + 2 * j + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int64_t i = 0; i < half / 2; ++i) {
    HalfVector low = __builtin_shufflevector(quarters[i], quarters[i + 4], 0, 1, 2, 3, 8, 9, 10, 11),
               high = __builtin_shufflevector(quarters[i], quarters[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    std::memcpy(to + (column + i) * stride, &low, sizeof(HalfVector));
    std::memcpy(to + (column + i + half / 2) * stride, &high, sizeof(HalfVector));
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

PROA_VECTOR_INLINE static void addBlockByVectors(const AttentionBlock &block, bool wide) {
  constexpr int few = AttentionTile::leastQueries / vectorSize,
                many = AttentionTile::mostQueries / vectorSize;
  if (block.tile.queries == AttentionTile::mostQueries)
    addBlock<many, true>(block);
  else if (wide)
    addBlock<few, true>(block);
  else
    addBlock<few, false>(block);
}
PROA_VECTOR_INLINE static void addGradientByVectors(const AttentionGradientBlock &block, bool wide) {
  constexpr int few = AttentionTile::leastQueries / vectorSize,
                many = AttentionTile::mostQueries / vectorSize;
  if (block.forward.tile.queries == AttentionTile::mostQueries)
    addGradient<many, true>(block);
  else if (wide)
    addGradient<few, true>(block);
  else
    addGradient<few, false>(block);
}
PROA_VECTOR_INLINE static void multiplyByVectors(const float *const *x, const float *y, int64_t yStride,
                                                 int64_t count, int64_t elements, float *to) {
  for (int64_t i = 0; i < count; ++i)
    productOfRows(x[i], y + i * yStride, elements, to + i);
}
PROA_VECTOR_INLINE static void findByVectors(float limit, const float *values, int64_t count, float *to) {
  findHighest(limit, values, count, to);
}
PROA_VECTOR_INLINE static void keepByVectors(const RandomCall &call, uint64_t first, int64_t count, float p,
                                             float factor, float *to) {
  keepNumbers(call, first, count, p, factor, to);
}
PROA_VECTOR_INLINE static void divideByVectors(const AttentionTile &tile, const float *sum, float *out) {
  if (tile.queries == AttentionTile::mostQueries)
    divideTile<AttentionTile::mostQueries / vectorSize>(tile, sum, out);
  else
    divideTile<AttentionTile::leastQueries / vectorSize>(tile, sum, out);
}
/// `count` rows, a multiple of half, in as many columns as are whole halves.
PROA_VECTOR_INLINE static void transposeHalves(const float *const *rows, int64_t count, int64_t columns,
                                               float *to, int64_t stride) {
  int64_t column = 0;
  if (count == side)
    for (; column + side <= columns; column += side)
      transposeSquare(rows, column, to, stride);
  for (; column + half <= columns; column += half)
    for (int64_t row = 0; row < count; row += half)
      transposeHalf(rows + row, column, to + row, stride);
}

void addAttentionBlock(const AttentionBlock &block, bool wide) { runVectors<addBlockByVectors>(block, wide); }
void addAttentionGradient(const AttentionGradientBlock &block, bool wide) {
  runVectors<addGradientByVectors>(block, wide);
}
void multiplyRows(const float *const *x, const float *y, int64_t yStride, int64_t count, int64_t elements,
                  float *to) {
  runVectors<multiplyByVectors>(x, y, yStride, count, elements, to);
}
float highestUpTo(float limit, const float *values, int64_t count) {
  float highest;
  runVectors<findByVectors>(limit, values, count, &highest);
  return highest;
}
void keepAtRandom(const RandomCall &call, uint64_t first, int64_t count, float p, float factor, float *to) {
  runVectors<keepByVectors>(call, first, count, p, factor, to);
}
void divideAttentionTile(const AttentionTile &tile, const float *sum, float *out) {
  runVectors<divideByVectors>(tile, sum, out);
}

void transposeRows(const float *const *rows, int64_t count, int64_t columns, float *to, int64_t width,
                   int64_t stride) {
  for (int64_t first = 0; first < width; first += side) {
    int64_t own = std::clamp<int64_t>(count - first, 0, side), whole = own / half * half,
            wholeColumns = columns / half * half;
    if (whole > 0)
      runVectors<transposeHalves>(rows + first, whole, columns, to + first, stride);
    for (int64_t column = whole == side ? wholeColumns : 0; column < columns; ++column) {
      float *line = to + column * stride + first;
      for (int64_t row = column < wholeColumns ? whole : 0; row < own; ++row)
        line[row] = rows[first + row][column];
      std::fill(line + own, line + side, 0.0f);
    }
  }
}

void transposeTile(const float *tile, int64_t lines, int64_t width, float *to, int64_t stride) {
  const float *rows[side] = {};
  for (int64_t first = 0; first < lines; first += side) {
    int64_t count = std::min(side, lines - first);
    for (int64_t i = 0; i < count; ++i)
      rows[i] = tile + (first + i) * width;
    transposeRows(rows, count, width, to + first, side, stride);
  }
}

} // namespace proa::runtime
