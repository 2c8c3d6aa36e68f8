#include "lib/runtime/kernels/index/ArgExtreme.h"

#include "lib/runtime/kernels/conv/ChannelOrder.h"

#include <algorithm>
#include <limits>

namespace proa::runtime {
namespace {

/// Lines that are compared at a time: their extremes stay in registers.
constexpr int64_t vectorsOfBlock = 2, linesOfBlock = vectorsOfBlock * vectorSize;
/// Elements of lines that are transposed at a time.
constexpr int64_t elementsOfChunk = 64;

struct Extremes {
  Vector values[vectorsOfBlock];
  IntVector positions[vectorsOfBlock];
};

/// Compares elements [first, first + count) of a block's lines, which are adjacent.
template <bool Greatest>
PROA_VECTOR_INLINE void compare(const float *from, int64_t step, int64_t first, int64_t count, int64_t lines,
                                Extremes &extremes) {
  Extremes best = extremes;
  for (int64_t i = 0; i < count; ++i, from += step)
#pragma GCC unroll 2
    for (int64_t v = 0; v < vectorsOfBlock; ++v) {
      Vector value;
      load(from + v * vectorSize, std::max<int64_t>(0, lines - v * vectorSize), value);
      auto isBeyond = Greatest ? value > best.values[v] : value < best.values[v];
      best.values[v] = isBeyond ? value : best.values[v];
      best.positions[v] = isBeyond ? IntVector{} + static_cast<int32_t>(first + i) : best.positions[v];
    }
  extremes = best;
}

/// The same of lines whose elements are adjacent.
template <bool Greatest>
PROA_VECTOR_INLINE void compareTransposed(const float *from, const FloatLines &all, int64_t lines,
                                          bool hasMore, Extremes &extremes) {
  float chunk[elementsOfChunk * linesOfBlock];
  for (int64_t first = 0; first < all.dim; first += elementsOfChunk) {
    int64_t count = std::min(elementsOfChunk, all.dim - first);
    // Whole blocks, also of the next lines' elements, which are not compared.
    int64_t moved = hasMore ? (count + blockSide - 1) / blockSide * blockSide : count;
    transposePlane(from + first, all.lineStep, lines, moved, chunk, linesOfBlock);
    compare<Greatest>(chunk, linesOfBlock, first, count, lines, extremes);
  }
}

template <bool Greatest> PROA_VECTOR_INLINE void findExtremes(const FloatLines &all, int64_t *positions) {
  constexpr float largest = std::numeric_limits<float>::max();
  for (int64_t line = 0; line < all.count; line += linesOfBlock) {
    int64_t lines = std::min(linesOfBlock, all.count - line);
    Extremes extremes;
    for (int64_t v = 0; v < vectorsOfBlock; ++v) {
      extremes.values[v] = Vector{} + (Greatest ? -largest : largest);
      extremes.positions[v] = IntVector{};
    }
    const float *from = all.data + line * all.lineStep;
    if (all.lineStep == 1)
      compare<Greatest>(from, all.elementStep, 0, all.dim, lines, extremes);
    else
      compareTransposed<Greatest>(from, all, lines, (all.count - line - lines) * all.dim >= blockSide,
                                  extremes);
    for (int64_t i = 0; i < lines; ++i)
      positions[line + i] = extremes.positions[i / vectorSize][i % vectorSize];
  }
}

} // namespace

void extremePositions(const FloatLines &lines, bool greatest, int64_t *positions) {
  greatest ? runVectors<findExtremes<true>>(lines, positions)
           : runVectors<findExtremes<false>>(lines, positions);
}

} // namespace proa::runtime
