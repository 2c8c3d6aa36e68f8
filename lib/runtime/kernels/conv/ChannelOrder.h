/// Moves of floats between channels first and channels last, in vectors.
#pragma once

#include "lib/runtime/kernels/common/Vectors.h"

#include <utility>

namespace proa::runtime {

/// The side of a block that is transposed in registers.
inline constexpr int64_t blockSide = 8;
using BlockRow = float __attribute__((vector_size(blockSide * sizeof(float))));

PROA_VECTOR_INLINE void transposeBlock(BlockRow (&rows)[blockSide]) {
  BlockRow pairs[blockSide], fours[blockSide];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4)
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      fours[i + 2 * j] = __builtin_shufflevector(pairs[i + j], pairs[i + 2 + j], 0, 1, 8, 9, 4, 5, 12, 13);
      fours[i + 2 * j + 1] =
          __builtin_shufflevector(pairs[i + j], pairs[i + 2 + j], 2, 3, 10, 11, 6, 7, 14, 15);
    }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    rows[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    rows[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// to[j][i] = from[i][j] for `rows` x `columns` elements, whose rows lie `fromStep` and `toStep` apart.
PROA_VECTOR_INLINE void transposePlane(const float *from, int64_t fromStep, int64_t rows, int64_t columns,
                                       float *to, int64_t toStep) {
  int64_t wholeRows = rows / blockSide * blockSide, wholeColumns = columns / blockSide * blockSide;
  for (int64_t j = 0; j < wholeColumns; j += blockSide)
    for (int64_t i = 0; i < wholeRows; i += blockSide) {
      BlockRow block[blockSide];
#pragma GCC unroll 8
      for (int k = 0; k < blockSide; ++k)
        std::memcpy(&block[k], from + (i + k) * fromStep + j, sizeof(BlockRow));
      transposeBlock(block);
#pragma GCC unroll 8
      for (int k = 0; k < blockSide; ++k)
        std::memcpy(to + (j + k) * toStep + i, &block[k], sizeof(BlockRow));
    }
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = j < wholeColumns ? wholeRows : 0; i < rows; ++i)
      to[j * toStep + i] = from[i * fromStep + j];
}

/// The most channels that `interleaveChannels` has vectors for.
inline constexpr int64_t mostInterleaved = 8;

/// The lane of `plane` (after the lanes of `sum`) that belongs into lane `lane` of vector `Out` of
/// interleaved planes, or the lane of `sum` that stays.
template <int Channels, int Out, int Plane> constexpr int interleavedLane(int lane) {
  constexpr int size = vectorSize;
  int element = Out * size + lane, column = element / Channels, channel = element % Channels;
  if (channel == Plane)
    return size + column;
  return Plane == 1 && channel == 0 ? column : lane;
}

template <int Channels, int Out, int Plane, size_t... Lanes>
PROA_VECTOR_INLINE void mergePlane(const Vector &plane, std::index_sequence<Lanes...>, Vector &sum) {
  sum = __builtin_shufflevector(sum, plane, interleavedLane<Channels, Out, Plane>(int(Lanes))...);
}

/// Stores vector `Out` of the interleaved planes.
template <int Channels, int Out, int... Others>
PROA_VECTOR_INLINE void storeInterleaved(const Vector (&planes)[Channels],
                                         std::integer_sequence<int, Others...>, float *to) {
  Vector sum = planes[0];
  (mergePlane<Channels, Out, Others + 1>(planes[Others + 1], std::make_index_sequence<vectorSize>(), sum),
   ...);
  std::memcpy(to + Out * vectorSize, &sum, sizeof(Vector));
}

template <int Channels, int... Outs>
PROA_VECTOR_INLINE void storePlanes(const Vector (&planes)[Channels], std::integer_sequence<int, Outs...>,
                                    float *to) {
  (storeInterleaved<Channels, Outs>(planes, std::make_integer_sequence<int, Channels - 1>(), to), ...);
}

template <int Channels>
PROA_VECTOR_INLINE void interleaveColumns(const float *from, int64_t planeStep, int64_t columns, float *to) {
  if (columns < vectorSize) {
    for (int64_t column = 0; column < columns; ++column)
#pragma GCC unroll 8
      for (int64_t channel = 0; channel < Channels; ++channel)
        to[column * Channels + channel] = from[channel * planeStep + column];
    return;
  }
  for (int64_t next = 0; next < columns; next += vectorSize) {
    int64_t column = next + vectorSize <= columns ? next : columns - vectorSize; // may overlap those before
    Vector planes[Channels];
#pragma GCC unroll 8
    for (int64_t channel = 0; channel < Channels; ++channel)
      std::memcpy(&planes[channel], from + channel * planeStep + column, sizeof(Vector));
    storePlanes<Channels>(planes, std::make_integer_sequence<int, Channels>(), to + column * Channels);
  }
}

/// to[column * channels + channel] = from[channel * planeStep + column] of up to 8 channels.
PROA_VECTOR_INLINE void interleaveChannels(const float *from, int64_t planeStep, int64_t channels,
                                           int64_t columns, float *to) {
  switch (channels) {
  case 1:
    return interleaveColumns<1>(from, planeStep, columns, to);
  case 2:
    return interleaveColumns<2>(from, planeStep, columns, to);
  case 3:
    return interleaveColumns<3>(from, planeStep, columns, to);
  case 4:
    return interleaveColumns<4>(from, planeStep, columns, to);
  case 5:
    return interleaveColumns<5>(from, planeStep, columns, to);
  case 6:
    return interleaveColumns<6>(from, planeStep, columns, to);
  case 7:
    return interleaveColumns<7>(from, planeStep, columns, to);
  default:
    return interleaveColumns<8>(from, planeStep, columns, to);
  }
}

} // namespace proa::runtime
