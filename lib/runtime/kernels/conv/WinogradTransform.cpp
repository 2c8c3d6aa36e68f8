#include "lib/runtime/kernels/conv/WinogradTransform.h"

#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"

#include <algorithm>
#include <array>

namespace proa::runtime {
namespace {

// The points of m = 4 are 0, a, -a, b, -b and infinity; for m = 2 they are 0, 1, -1 and infinity.
constexpr float a = 0.625f, b = 1.5f, a2 = a * a, b2 = b * b;

template <int64_t M> constexpr int64_t pointsAlong = M + 2;

/// G, a row for each point p: 1, p, p^2 divided by the product of p's differences to the other points; the
/// last row, of infinity, is 0, 0, 1.
template <int64_t M> constexpr std::array<std::array<float, 3>, pointsAlong<M>> filterMatrix() {
  std::array<double, 5> points =
      M == 4 ? std::array<double, 5>{0, a, -a, b, -b} : std::array<double, 5>{0, 1, -1};
  std::array<std::array<float, 3>, pointsAlong<M>> rows{};
  for (int64_t i = 0; i + 1 < pointsAlong<M>; ++i) {
    double product = 1, power = 1;
    for (int64_t j = 0; j + 1 < pointsAlong<M>; ++j)
      product *= i == j ? 1 : points[i] - points[j];
    for (float &entry : rows[i]) {
      entry = static_cast<float>(power / product);
      power *= points[i];
    }
  }
  rows.back() = {0, 0, 1};
  return rows;
}

/// B^T d along one axis; elements lie `stride` apart.
template <int64_t M> PROA_VECTOR_INLINE void transformLine(const Vector *d, int64_t stride, Vector *out) {
  const Vector &d0 = d[0], &d1 = d[stride], &d2 = d[2 * stride], &d3 = d[3 * stride];
  if constexpr (M == 2) {
    out[0] = d2 - d0;
    out[stride] = d2 + d1;
    out[2 * stride] = d2 - d1;
    out[3 * stride] = d3 - d1;
  } else {
    const Vector &d4 = d[4 * stride], &d5 = d[5 * stride];
    Vector evenA = d4 - b2 * d2, oddA = a * (d3 - b2 * d1), evenB = d4 - a2 * d2, oddB = b * (d3 - a2 * d1);
    out[0] = d4 - (a2 + b2) * d2 + (a2 * b2) * d0;
    out[stride] = evenA + oddA;
    out[2 * stride] = evenA - oddA;
    out[3 * stride] = evenB + oddB;
    out[4 * stride] = evenB - oddB;
    out[5 * stride] = d5 - (a2 + b2) * d3 + (a2 * b2) * d1;
  }
}

/// A^T m along one axis.
template <int64_t M>
PROA_VECTOR_INLINE void gatherLine(const Vector *m, int64_t stride, Vector *out, int64_t outStride) {
  Vector sumA = m[stride] + m[2 * stride], differenceA = m[stride] - m[2 * stride];
  if constexpr (M == 2) {
    out[0] = m[0] + sumA;
    out[outStride] = differenceA + m[3 * stride];
  } else {
    Vector sumB = m[3 * stride] + m[4 * stride], differenceB = m[3 * stride] - m[4 * stride];
    out[0] = m[0] + sumA + sumB;
    out[outStride] = a * differenceA + b * differenceB;
    out[2 * outStride] = a2 * sumA + b2 * sumB;
    out[3 * outStride] = (a * a2) * differenceA + (b * b2) * differenceB + m[5 * stride];
  }
}

/// Where a tile lies in its sample.
struct Tile {
  int64_t sample, row, column; ///< of its first result

  Tile(const ConvGeometry &g, int64_t tileDim, int64_t index) {
    int64_t high = (g.output.dims[2] + tileDim - 1) / tileDim,
            wide = (g.output.dims[3] + tileDim - 1) / tileDim;
    sample = index / (high * wide);
    row = index / wide % high * tileDim;
    column = index % wide * tileDim;
  }
};

/// The last vector of channels may overlap the one before; what they share is computed twice.
PROA_VECTOR_INLINE int64_t channelAt(int64_t channel, int64_t channels) {
  return std::min(channel, channels - vectorSize);
}

template <int64_t M> PROA_VECTOR_INLINE void transformInputTile(const WinogradBlock &block, int64_t index) {
  constexpr int64_t points = pointsAlong<M>;
  const ConvGeometry &g = *block.geometry;
  int64_t channels = g.inputChannels(), height = g.input.dims[2], width = g.input.dims[3];
  Tile tile(g, M, block.first + index);
  int64_t top = tile.row - g.before[0], left = tile.column - g.before[1];
  bool isInside = top >= 0 && left >= 0 && top + points <= height && left + points <= width;
  const float *corner = block.input + ((tile.sample * height + top) * width + left) * channels;
  for (int64_t next = 0; next < channels; next += vectorSize) {
    int64_t channel = channelAt(next, channels);
    Vector d[points * points];
#pragma GCC unroll 6
    for (int64_t i = 0; i < points; ++i)
#pragma GCC unroll 6
      for (int64_t j = 0; j < points; ++j) {
        bool isThere = isInside || (top + i >= 0 && top + i < height && left + j >= 0 && left + j < width);
        if (isThere)
          load(corner + (i * width + j) * channels + channel, vectorSize, d[i * points + j]);
        else
          d[i * points + j] = Vector{};
      }
    Vector columns[points * points];
#pragma GCC unroll 6
    for (int64_t j = 0; j < points; ++j)
      transformLine<M>(d + j, points, columns + j);
#pragma GCC unroll 6
    for (int64_t i = 0; i < points; ++i)
      transformLine<M>(columns + i * points, 1, d + i * points);
#pragma GCC unroll 36
    for (int64_t p = 0; p < points * points; ++p)
      store(d[p], vectorSize, block.tiles + (p * block.size + index) * channels + channel);
  }
}

/// The M x M results of a tile, all channels of each.
template <int64_t M>
PROA_VECTOR_INLINE void gatherTile(const WinogradBlock &block, int64_t index, float *results) {
  constexpr int64_t points = pointsAlong<M>;
  int64_t channels = block.geometry->outputChannels();
  for (int64_t next = 0; next < channels; next += vectorSize) {
    int64_t channel = channelAt(next, channels);
    Vector m[points * points], columns[M * points], out[M * M];
#pragma GCC unroll 36
    for (int64_t p = 0; p < points * points; ++p)
      load(block.products + (p * block.size + index) * channels + channel, vectorSize, m[p]);
#pragma GCC unroll 6
    for (int64_t j = 0; j < points; ++j)
      gatherLine<M>(m + j, points, columns + j, points);
#pragma GCC unroll 4
    for (int64_t i = 0; i < M; ++i)
      gatherLine<M>(columns + i * points, 1, out + i * M, 1);
#pragma GCC unroll 16
    for (int64_t p = 0; p < M * M; ++p)
      store(out[p], vectorSize, results + p * channels + channel);
  }
}

/// G g G^T of the filters from `in` of one input channel to 16 output channels.
template <int64_t M> PROA_VECTOR_INLINE void transformFilters(const Vector *g, Vector *transformed) {
  constexpr int64_t points = pointsAlong<M>;
  constexpr auto matrix = filterMatrix<M>();
  Vector rows[points * 3];
  for (int64_t i = 0; i < points; ++i)
    for (int64_t j = 0; j < 3; ++j)
      rows[i * 3 + j] = matrix[i][0] * g[j] + matrix[i][1] * g[3 + j] + matrix[i][2] * g[6 + j];
  for (int64_t i = 0; i < points; ++i)
    for (int64_t j = 0; j < points; ++j)
      transformed[i * points + j] =
          matrix[j][0] * rows[i * 3] + matrix[j][1] * rows[i * 3 + 1] + matrix[j][2] * rows[i * 3 + 2];
}

template <int64_t M>
PROA_VECTOR_INLINE void transformFilterRow(bool transposed, const float *filter, int64_t row, int64_t in,
                                           int64_t out, float *transformed) {
  constexpr int64_t points = pointsAlong<M> * pointsAlong<M>, taps = 9;
  for (int64_t next = 0; next < out; next += vectorSize) {
    int64_t channel = channelAt(next, out);
    float lanes[taps][vectorSize];
    for (int64_t lane = 0; lane < vectorSize; ++lane)
      for (int64_t tap = 0; tap < taps; ++tap)
        lanes[tap][lane] = transposed ? filter[(row * out + channel + lane) * taps + taps - 1 - tap]
                                      : filter[((channel + lane) * in + row) * taps + tap];
    Vector g[taps], u[points];
    for (int64_t tap = 0; tap < taps; ++tap)
      load(lanes[tap], vectorSize, g[tap]);
    transformFilters<M>(g, u);
    for (int64_t p = 0; p < points; ++p)
      store(u[p], vectorSize, transformed + (p * in + row) * out + channel);
  }
}

} // namespace

PROA_VECTOR_INLINE static void transformFilterRows(int64_t tileDim, bool transposed, const float *filter,
                                                   int64_t begin, int64_t end, int64_t in, int64_t out,
                                                   float *transformed) {
  for (int64_t row = begin; row < end; ++row)
    if (tileDim == 2)
      transformFilterRow<2>(transposed, filter, row, in, out, transformed);
    else
      transformFilterRow<4>(transposed, filter, row, in, out, transformed);
}

void transformFilter(int64_t tileDim, bool transposed, const float *filter, int64_t in, int64_t out,
                     float *transformed) {
  parallelFor(in, grainFor(filterNanoseconds * static_cast<double>(out)), [&](int64_t begin, int64_t end) {
    runVectors<transformFilterRows>(tileDim, transposed, filter, begin, end, in, out, transformed);
  });
}

PROA_VECTOR_INLINE static void transformTiles(const WinogradBlock &block, int64_t begin, int64_t end) {
  for (int64_t index = begin; index < end; ++index)
    if (block.tileDim == 2)
      transformInputTile<2>(block, index);
    else
      transformInputTile<4>(block, index);
}

void transformInput(const WinogradBlock &block, int64_t begin, int64_t end) {
  runVectors<transformTiles>(block, begin, end);
}

PROA_VECTOR_INLINE static void gatherResults(const WinogradBlock &block, int64_t index, float *results) {
  if (block.tileDim == 2)
    gatherTile<2>(block, index, results);
  else
    gatherTile<4>(block, index, results);
}

void transformOutput(const WinogradBlock &block, int64_t begin, int64_t end, const RowPostOps &postOps,
                     std::span<const float *const> operands) {
  const ConvGeometry &g = *block.geometry;
  int64_t tileDim = block.tileDim, channels = g.outputChannels(), height = g.output.dims[2],
          width = g.output.dims[3];
  thread_local std::vector<float> results;
  results.resize(static_cast<size_t>(tileDim * tileDim * channels));
  for (int64_t index = begin; index < end; ++index) {
    runVectors<gatherResults>(block, index, results.data());
    Tile tile(g, tileDim, block.first + index);
    int64_t positions = std::min(tileDim, width - tile.column);
    for (int64_t i = 0; i < std::min(tileDim, height - tile.row); ++i) {
      int64_t offset = ((tile.sample * height + tile.row + i) * width + tile.column) * channels;
      float *row = results.data() + i * tileDim * channels;
      postOps.apply(row, positions, offset, operands);
      std::copy_n(row, positions * channels, block.output + offset);
    }
  }
}

} // namespace proa::runtime
