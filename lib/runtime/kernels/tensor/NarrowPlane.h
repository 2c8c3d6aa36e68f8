/// Transposes planes of elements of 1 and 2 bytes in registers of 16 bytes, which every processor has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace proa::runtime {

using ByteRow = uint8_t __attribute__((vector_size(16)));
using ShortRow = uint16_t __attribute__((vector_size(16)));
template <class T> using NarrowRow = std::conditional_t<sizeof(T) == 1, ByteRow, ShortRow>;

/// The side of a block that is transposed in registers.
template <class T> inline constexpr int64_t narrowSide = 16 / sizeof(T);

/// The lanes of both vectors by turns, from lane `First` on.
template <class T, int First, size_t... Lanes>
inline void interleave(const NarrowRow<T> &even, const NarrowRow<T> &odd, std::index_sequence<Lanes...>,
                       NarrowRow<T> &out) {
  out = __builtin_shufflevector(even, odd, int(First + Lanes / 2 + Lanes % 2 * narrowSide<T>)...);
}

/// Interleaves the upper half of the rows with the lower half: as often as the side is a power of two, which
/// is the transposed block.
template <class T> inline void transposeNarrowBlock(NarrowRow<T> (&rows)[narrowSide<T>]) {
  constexpr int64_t side = narrowSide<T>;
  constexpr auto lanes = std::make_index_sequence<side>();
#pragma GCC unroll 4
  for (int64_t step = 1; step < side; step *= 2) {
    NarrowRow<T> next[side];
#pragma GCC unroll 8
    for (int64_t i = 0; i < side / 2; ++i) {
      interleave<T, 0>(rows[i], rows[i + side / 2], lanes, next[2 * i]);
      interleave<T, side / 2>(rows[i], rows[i + side / 2], lanes, next[2 * i + 1]);
    }
#pragma GCC unroll 16
    for (int64_t i = 0; i < side; ++i)
      rows[i] = next[i];
  }
}

/// to[j][i] = from[i][j] for `rows` x `columns` elements, whose rows lie `fromStep` and `toStep` apart.
template <class T>
void transposeNarrowPlane(const T *from, int64_t fromStep, int64_t rows, int64_t columns, T *to,
                          int64_t toStep) {
  constexpr int64_t side = narrowSide<T>;
  int64_t wholeRows = rows / side * side, wholeColumns = columns / side * side;
  for (int64_t j = 0; j < wholeColumns; j += side)
    for (int64_t i = 0; i < wholeRows; i += side) {
      NarrowRow<T> block[side];
#pragma GCC unroll 16
      for (int64_t k = 0; k < side; ++k)
        std::memcpy(&block[k], from + (i + k) * fromStep + j, sizeof(block[k]));
      transposeNarrowBlock<T>(block);
#pragma GCC unroll 16
      for (int64_t k = 0; k < side; ++k)
        std::memcpy(to + (j + k) * toStep + i, &block[k], sizeof(block[k]));
    }
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = j < wholeColumns ? wholeRows : 0; i < rows; ++i)
      to[j * toStep + i] = from[i * fromStep + j];
}

} // namespace proa::runtime
