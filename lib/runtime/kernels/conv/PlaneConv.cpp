#include "lib/runtime/kernels/conv/PlaneConv.h"

#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/RowPostOps.h"
#include "lib/runtime/kernels/common/Vectors.h"
#include "lib/runtime/kernels/conv/ChannelOrder.h"
#include "lib/runtime/kernels/conv/Lanes.h"

#include <algorithm>

namespace proa::runtime {

/// Some output channels, or some rows of one channel, at a few vectors of columns.
struct PlaneTile {
  const float *input; ///< the copied rows, of the first window row
  int64_t rowStep;    ///< from a row of the window to the next
  int64_t lineStep;   ///< from the input of an output row to the next
  int64_t terms, kernelRows, kernelColumns;
  const int64_t *offsets; ///< of the terms of a sum in `input`
  const int64_t *starts;
  const float *weights; ///< [input, kernel..., output]
  const float *bias;    ///< of the outputs; zeros where there is none
  float *output;
  int64_t outputStep; ///< from an output channel, or row, to the next
  int64_t width;      ///< of an output row
  int64_t room;       ///< floats after `output` that are stored now or later
  RowBounds bounds;   ///< of the results
};

namespace {

/// Copied floats of a chunk: they stay in the second-level cache.
constexpr int64_t chunkFloats = 48 << 10;

PROA_VECTOR_INLINE void bound(const RowBounds &bounds, Vector &x) {
  x = x < bounds.low ? Vector{} + bounds.low : x; // NaN stays NaN
  x = x > bounds.high ? Vector{} + bounds.high : x;
}

/// Stores a vector of a row of `width` results. Of a narrow row it may reach into the next rows, which are
/// stored later: `room` floats follow `to`.
PROA_VECTOR_INLINE void storeRow(const Vector &sum, int64_t width, int64_t room, float *to) {
  storeLanes(sum, room >= vectorSize ? vectorSize : width, to);
}

/// `Outputs` channels at `Vectors` vectors of one row.
template <int Outputs, int Vectors> PROA_VECTOR_INLINE void multiplyTile(const PlaneTile &tile) {
  Vector sums[Outputs][Vectors];
#pragma GCC unroll 8
  for (int output = 0; output < Outputs; ++output)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v)
      sums[output][v] = Vector{} + tile.bias[output];
  const float *weights = tile.weights;
#pragma GCC unroll 2
  for (int64_t term = 0; term < tile.terms; ++term, weights += Outputs) {
    const float *from = tile.input + tile.offsets[term];
    Vector columns[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v)
      std::memcpy(&columns[v], from + tile.starts[v], sizeof(Vector));
#pragma GCC unroll 8
    for (int output = 0; output < Outputs; ++output)
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v)
        sums[output][v] += weights[output] * columns[v];
  }
#pragma GCC unroll 8
  for (int output = 0; output < Outputs; ++output)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      Vector sum = sums[output][v];
      bound(tile.bounds, sum);
      storeRow(sum, tile.width, tile.room - tile.starts[v],
               tile.output + output * tile.outputStep + tile.starts[v]);
    }
}

/// `Lines` rows of one channel, of its only input channel.
template <int Lines, int Vectors> PROA_VECTOR_INLINE void filterTile(const PlaneTile &tile) {
  Vector sums[Lines][Vectors];
#pragma GCC unroll 8
  for (int line = 0; line < Lines; ++line)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v)
      sums[line][v] = Vector{} + tile.bias[0];
  const float *weights = tile.weights;
  for (int64_t y = 0; y < tile.kernelRows; ++y)
    for (int64_t x = 0; x < tile.kernelColumns; ++x, ++weights) {
      const float *from = tile.input + y * tile.rowStep + tile.offsets[x];
#pragma GCC unroll 8
      for (int line = 0; line < Lines; ++line)
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
          Vector columns;
          std::memcpy(&columns, from + line * tile.lineStep + tile.starts[v], sizeof(Vector));
          sums[line][v] += weights[0] * columns;
        }
    }
#pragma GCC unroll 8
  for (int line = 0; line < Lines; ++line)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      Vector sum = sums[line][v];
      bound(tile.bounds, sum);
      int64_t at = line * tile.outputStep + tile.starts[v];
      storeRow(sum, tile.width, tile.room - at, tile.output + at);
    }
}

/// The same with `Kernel` rows of the window and results `Stride` of these rows apart: an input row is loaded
/// once for all results that it is part of.
template <int Kernel, int Stride, int Lines, int Vectors>
PROA_VECTOR_INLINE void filterDenseTile(const PlaneTile &tile) {
  Vector sums[Lines][Vectors];
#pragma GCC unroll 8
  for (int line = 0; line < Lines; ++line)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v)
      sums[line][v] = Vector{} + tile.bias[0];
  for (int64_t x = 0; x < tile.kernelColumns; ++x) {
    const float *from = tile.input + tile.offsets[x], *weights = tile.weights + x;
#pragma GCC unroll 32
    for (int row = 0; row < (Lines - 1) * Stride + Kernel; ++row) {
      Vector columns[Vectors];
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v)
        std::memcpy(&columns[v], from + row * tile.rowStep + tile.starts[v], sizeof(Vector));
#pragma GCC unroll 8
      for (int y = row % Stride; y < Kernel; y += Stride)
        if (row - y >= 0 && row - y < Lines * Stride)
#pragma GCC unroll 8
          for (int v = 0; v < Vectors; ++v)
            sums[(row - y) / Stride][v] += weights[y * tile.kernelColumns] * columns[v];
    }
  }
#pragma GCC unroll 8
  for (int line = 0; line < Lines; ++line)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      Vector sum = sums[line][v];
      bound(tile.bounds, sum);
      int64_t at = line * tile.outputStep + tile.starts[v];
      storeRow(sum, tile.width, tile.room - at, tile.output + at);
    }
}

/// All vectors of a row, as many at once as registers hold the sums of.
template <int Outputs, int Most> PROA_VECTOR_INLINE void multiplyRow(PlaneTile tile, int64_t vectors) {
  while (vectors > 0) {
    int64_t tiles = (vectors + Most - 1) / Most, count = (vectors + tiles - 1) / tiles;
    if constexpr (Most >= 3)
      if (count == 3)
        multiplyTile<Outputs, 3>(tile);
    if constexpr (Most >= 2)
      if (count == 2)
        multiplyTile<Outputs, 2>(tile);
    if (count == 1)
      multiplyTile<Outputs, 1>(tile);
    tile.starts += count;
    vectors -= count;
  }
}

/// A tile of up to `Most` outputs. `Wide`: with vectors for the 32 registers of AVX-512.
template <int Most, bool Wide>
PROA_VECTOR_INLINE void multiplyRowOf(const PlaneTile &tile, int64_t outputs, int64_t vectors) {
  if constexpr (Most > 1)
    if (outputs < Most)
      return multiplyRowOf<Most - 1, Wide>(tile, outputs, vectors);
  multiplyRow<Most, Wide || Most == 1 ? 3 : Most <= 3 ? 2 : 1>(tile, vectors);
}

PROA_VECTOR_INLINE void multiplyPlanes(const PlaneTile &tile, int64_t outputs, int64_t vectors, bool wide) {
  if (wide)
    multiplyRowOf<8, true>(tile, outputs, vectors);
  else
    multiplyRowOf<6, false>(tile, outputs, vectors);
}

/// `Kernel` is 0, or see filterDenseTile.
template <int Kernel, int Stride, int Lines, int Vectors>
PROA_VECTOR_INLINE void filterAnyTile(const PlaneTile &tile) {
  if constexpr (Kernel == 0)
    filterTile<Lines, Vectors>(tile);
  else
    filterDenseTile<Kernel, Stride, Lines, Vectors>(tile);
}

template <int Kernel, int Stride, int Lines, int Most>
PROA_VECTOR_INLINE void filterRows(PlaneTile tile, int64_t vectors) {
  if constexpr (Most >= 2)
    for (; vectors >= 2; vectors -= 2, tile.starts += 2)
      filterAnyTile<Kernel, Stride, Lines, 2>(tile);
  for (; vectors > 0; --vectors, ++tile.starts)
    filterAnyTile<Kernel, Stride, Lines, 1>(tile);
}

/// `rows` rows, `Lines` at a time; the last lines may overlap those before.
template <int Kernel, int Stride, int Lines, int Vectors>
PROA_VECTOR_INLINE void filterLines(const PlaneTile &tile, int64_t rows, int64_t vectors) {
  if constexpr (Lines > 1)
    if (rows < Lines)
      return filterLines<Kernel, Stride, Lines / 2, 2>(tile, rows, vectors);
  for (int64_t next = 0; next < rows; next += Lines) {
    int64_t row = std::min(next, rows - Lines);
    PlaneTile lines = tile;
    lines.input += row * tile.lineStep;
    lines.output += row * tile.outputStep;
    lines.room -= row * tile.outputStep;
    filterRows<Kernel, Stride, Lines, Vectors>(lines, vectors);
  }
}

template <int Kernel, int Stride = 1>
PROA_VECTOR_INLINE void filterAllLines(const PlaneTile &tile, int64_t rows, int64_t vectors, bool wide) {
  if (wide)
    filterLines<Kernel, Stride, 8, 2>(tile, rows, vectors);
  else
    filterLines<Kernel, Stride, 4, 1>(tile, rows, vectors);
}

PROA_VECTOR_INLINE void filterPlane(const PlaneTile &tile, int64_t rows, int64_t vectors, bool wide) {
  bool isDense = tile.lineStep == tile.rowStep; // also a stride that is the dilation, whose rows are the same
  bool isHalf = tile.lineStep == 2 * tile.rowStep;
  if (isDense && tile.kernelRows == 3)
    filterAllLines<3>(tile, rows, vectors, wide);
  else if (isDense && tile.kernelRows == 5)
    filterAllLines<5>(tile, rows, vectors, wide);
  else if (isDense && tile.kernelRows == 7)
    filterAllLines<7>(tile, rows, vectors, wide);
  else if (isHalf && tile.kernelRows == 3)
    filterAllLines<3, 2>(tile, rows, vectors, wide);
  else if (isHalf && tile.kernelRows == 5)
    filterAllLines<5, 2>(tile, rows, vectors, wide);
  else
    filterAllLines<0>(tile, rows, vectors, wide);
}

template <int Step> PROA_VECTOR_INLINE void copyWhole(const float *from, int64_t count, float *to) {
  for (int64_t i = 0; i < count; i += vectorSize) {
    int64_t at = std::min(i, count - vectorSize);
    Vector columns;
    loadEvery<Step>(from + at * Step, columns);
    std::memcpy(to + at, &columns, sizeof(Vector));
  }
}

/// Copies `count` columns of an input row, which are `step` elements apart.
PROA_VECTOR_INLINE void copyColumns(const float *from, int64_t step, int64_t count, float *to) {
  if (step == 1 && count < vectorSize)
    copyRange(from, count, to);
  else if (count < vectorSize)
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[step * i];
  else if (step == 1)
    copyWhole<1>(from, count, to);
  else if (step == 2)
    copyWhole<2>(from, count, to);
  else if (step == 4)
    copyWhole<4>(from, count, to);
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[step * i];
}

/// A vector of some lanes: GCC ignores the size of a vector if a template's argument gives it.
template <int Lanes> struct PlaneLanes;
template <> struct PlaneLanes<16> {
  using Type = Vector;
};
template <> struct PlaneLanes<8> {
  using Type = BlockRow;
};
template <> struct PlaneLanes<4> {
  using Type = float __attribute__((vector_size(4 * sizeof(float))));
};

template <int Lanes, size_t... I>
PROA_VECTOR_INLINE void splitLanes(const float *from, float *toEven, float *toOdd,
                                   std::index_sequence<I...>) {
  using Piece = typename PlaneLanes<Lanes>::Type;
  Piece low, high;
  std::memcpy(&low, from, sizeof(Piece));
  std::memcpy(&high, from + Lanes, sizeof(Piece));
  Piece even = __builtin_shufflevector(low, high, int(2 * I)...),
        odd = __builtin_shufflevector(low, high, int(2 * I + 1)...);
  std::memcpy(toEven, &even, sizeof(Piece));
  std::memcpy(toOdd, &odd, sizeof(Piece));
}

/// Splits a row into the columns of its even and of its odd places, at least `Lanes` each.
template <int Lanes>
PROA_VECTOR_INLINE void splitColumns(const float *from, int64_t evens, int64_t odds, float *toEven,
                                     float *toOdd) {
  for (int64_t i = 0; i < odds; i += Lanes) {
    int64_t at = std::min(i, odds - Lanes);
    splitLanes<Lanes>(from + 2 * at, toEven + at, toOdd + at, std::make_index_sequence<Lanes>());
  }
  for (int64_t i = odds; i < evens; ++i)
    toEven[i] = from[2 * i];
}

/// Copies rows whose first column belongs to phase `even` and whose second belongs to the other phase.
PROA_VECTOR_INLINE void splitPlane(const float *from, int64_t fromStep, int64_t rows,
                                   std::span<const CopiedColumns> phases, size_t even, int64_t columns,
                                   float *to, int64_t toStep) {
  const CopiedColumns &first = phases[even], &second = phases[1 - even];
  float *toEven = to + static_cast<int64_t>(even) * columns + first.first,
        *toOdd = to + static_cast<int64_t>(1 - even) * columns + second.first;
  int64_t evens = first.last - first.first, odds = second.last - second.first;
  for (int64_t row = 0; row < rows; ++row, from += fromStep, toEven += toStep, toOdd += toStep)
    if (odds >= 16)
      splitColumns<16>(from, evens, odds, toEven, toOdd);
    else if (odds >= 8)
      splitColumns<8>(from, evens, odds, toEven, toOdd);
    else
      splitColumns<4>(from, evens, odds, toEven, toOdd);
}

/// Copies rows that lie `fromStep` and `toStep` apart.
PROA_VECTOR_INLINE void copyPlane(const float *from, int64_t fromStep, int64_t stride, int64_t columnStep,
                                  int64_t rows, std::span<const CopiedColumns> phases, int64_t columns,
                                  float *to, int64_t toStep) {
  if (stride * columnStep == 2 && phases.size() == 2) {
    size_t even = 2 * phases[0].first == phases[0].left ? 0 : 1;
    int64_t evens = phases[even].last - phases[even].first,
            odds = phases[1 - even].last - phases[1 - even].first;
    bool isPair = 2 * phases[even].first == phases[even].left &&
                  2 * phases[1 - even].first == phases[1 - even].left + 1;
    if (isPair && odds >= 4 && evens >= odds)
      return splitPlane(from, fromStep, rows, phases, even, columns, to, toStep);
  }
  for (int64_t row = 0; row < rows; ++row, from += fromStep, to += toStep) {
    float *phaseStart = to;
    for (const CopiedColumns &phase : phases) {
      copyColumns(from + (phase.first * stride - phase.left) * columnStep, stride * columnStep,
                  phase.last - phase.first, phaseStart + phase.first);
      phaseStart += columns;
    }
  }
}

double shareOfLanes(int64_t width) {
  int64_t vectors = (width + vectorSize - 1) / vectorSize;
  return static_cast<double>(width) / static_cast<double>(vectors * vectorSize);
}

} // namespace

/// The memory of one thread, and the tensors.
struct PlaneConv::Worker {
  const float *input, *bias; ///< no bias: null
  float *output;
  float *rows;            ///< copied
  int64_t channelFloats;  ///< of the copied rows of a channel
  const int64_t *offsets; ///< of the terms in them
  float *results;         ///< of a row or tile, where the output's columns do not lie together
  int64_t chunks;         ///< of an image's rows
};

const char *PlaneConv::whyNot(const ConvProblem &problem) {
  const ConvGeometry &g = problem.geometry;
  if (const char *reason = whyNotPlanar(problem))
    return reason;
  constexpr int64_t few = 8;
  if (g.inputChannels() / g.groups > few)
    return "more than 8 input channels in a group";
  return nullptr;
}

double PlaneConv::nanoseconds(const ConvProblem &problem, const CpuFacts &cpu) {
  // Shares of the rate of a matmul, and the terms that a start of a sum takes. Sums of one input channel load
  // each of their factors.
  bool isWide = cpu.vectorBits >= 512;
  double share = isWide ? 1 : 1.05, startTerms = isWide ? 0 : 4;
  constexpr int64_t wholeOutputs = 8, fewOutputs = 4; // of a block with AVX-512; without, from few ones on
  constexpr double depthwiseShare = 0.5, groupNanoseconds = 20;
  constexpr double pickNanoseconds = 0.11, pickAloneNanoseconds = 0.5; // an element of the image, of a stride
  constexpr double transposeNanoseconds = 0.15;
  const ConvGeometry &g = problem.geometry;
  bool isDepthwise = g.inputChannels() == g.groups && g.outputChannels() == g.groups;
  double startNanoseconds = isWide || isDepthwise ? 0 : 2000; // measured with AVX2, of several inputs
  int64_t outputs = g.outputChannels() / g.groups,
          computed = isWide ? (outputs + wholeOutputs - 1) / wholeOutputs * wholeOutputs
                            : std::max(outputs, fewOutputs);
  auto terms = static_cast<double>(g.inputChannels() / g.groups * g.kernel[0] * g.kernel[1]);
  // If the first-level cache does not hold the rows of a window and the filter of a block of outputs.
  constexpr double farShare = 0.85;
  int64_t windowFloats = g.inputChannels() / g.groups * g.kernel[0] * g.strides[1] *
                         (g.output.dims[3] + g.kernel[1] / g.strides[1]);
  constexpr double blockOutputs = 6;
  if (!isWide && sizeof(float) * (static_cast<double>(windowFloats) + blockOutputs * terms) >
                     static_cast<double>(cpu.l1Bytes))
    share *= farShare;
  double used = shareOfLanes(g.output.dims[3]);
  if (isDepthwise)
    used *= depthwiseShare;
  else
    used *=
        share * static_cast<double>(outputs) / static_cast<double>(computed) * terms / (terms + startTerms);
  int64_t stride = g.strides[1];
  bool picksColumns = stride == 1 || stride == 2 || stride == 4; // in vectors
  double copied = 0;                                             // elements, each alone
  if (g.input.strides[3] != 1 || !picksColumns)
    copied += static_cast<double>(*elementCount(g.input.dims));
  // Of all channels of a pixel; channels of a group are apart from the next pixel's.
  double gathers = g.inputChannels() <= mostInterleaved ? 0.5 : 2;
  bool transposes = g.groups == 1 && g.output.strides[1] == 1; // results, in blocks
  if (g.output.strides[3] != 1 && !transposes)
    copied += static_cast<double>(*elementCount(g.output.dims));
  double transposed = transposes ? static_cast<double>(*elementCount(g.output.dims)) : 0;
  double picked = stride > 1 ? static_cast<double>(*elementCount(g.input.dims)) : 0;
  bool picksVectors = g.output.dims[3] >= vectorSize;
  return (picksVectors ? pickNanoseconds : pickAloneNanoseconds) * picked +
         transposeNanoseconds * transposed + startNanoseconds +
         groupNanoseconds * static_cast<double>(g.output.dims[0] * g.groups) +
         gathers * copied * static_cast<double>(cpu.gatherCost) * 1e-3 +
         convOperations(problem) / (used * operationsPerNanosecond(cpu));
}

std::unique_ptr<PlaneConv> PlaneConv::create(const ConvProblem &problem, double nanoseconds,
                                             const float *filter) {
  const std::vector<PostOp> &ops = problem.attributes.postOps;
  auto count = static_cast<ptrdiff_t>(leadingRowOps(ops));
  std::unique_ptr<PlaneConv> conv(new PlaneConv(problem.geometry, {ops.begin(), ops.begin() + count}));
  conv->nanosecondsOfRun = nanoseconds;
  conv->pack(filter);
  return conv;
}

PlaneConv::PlaneConv(const ConvGeometry &g, std::vector<PostOp> fused)
    : geometry(g), fused(std::move(fused)), bounds(this->fused) {
  int64_t most = hasWideVectors() ? 8 : 6; // whose sums registers hold
  blocks = (outputs() + most - 1) / most;
  int64_t width = g.output.dims[3], lanes = std::max(width, vectorSize), stride = g.strides[1];
  int64_t reach = (g.kernel[1] - 1) * g.dilations[1];
  columns = lanes + reach / stride + 1;
  for (int64_t x = 0; x < g.kernel[1]; ++x)
    columnOffsets.push_back(x * g.dilations[1] % stride * columns + x * g.dilations[1] / stride);
  for (int64_t start = 0; start < width; start += vectorSize)
    starts.push_back(width < vectorSize ? 0 : std::min(start, width - vectorSize));
  for (int64_t phase = 0; phase < std::min(stride, reach + 1); ++phase) {
    int64_t left = g.before[1] - phase, first = std::clamp<int64_t>((left + stride - 1) / stride, 0, columns);
    phases.push_back(
        {first, std::clamp((g.input.dims[3] + left + stride - 1) / stride, first, columns), left});
  }
  rowFloats = (static_cast<int64_t>(phases.size()) * columns + vectorSize - 1) / vectorSize * vectorSize;
  int64_t height = g.output.dims[2], rows = std::max<int64_t>(chunkFloats / (rowFloats * inputs()), 1);
  int64_t fitting = std::max<int64_t>((rows - inputRows(1)) / g.strides[0] + 1, 4);
  fewestChunks = (height + fitting - 1) / fitting;
}

void PlaneConv::pack(const float *filter) {
  int64_t terms = inputs() * taps();
  weights.reserve(static_cast<size_t>(geometry.outputChannels() * terms));
  for (int64_t group = 0; group < geometry.groups; ++group, filter += outputs() * terms)
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t term = 0; term < terms; ++term)
        for (int64_t output = firstOutput(block); output < firstOutput(block + 1); ++output)
          weights.push_back(filter[output * terms + term]);
}

/// Copies input rows [top, top + rows) of the channels of a group. Columns outside of the image are zeros
/// already.
void PlaneConv::copyRows(const Worker &worker, int64_t image, int64_t group, int64_t top,
                         int64_t rows) const {
  const ConvGeometry &g = geometry;
  int64_t first = std::clamp<int64_t>(-top, 0, rows),
          last = std::clamp(g.input.dims[2] - top, first, rows); // rows of the image
  for (int64_t channel = 0; channel < inputs(); ++channel) {
    float *to = worker.rows + channel * worker.channelFloats;
    const float *from = worker.input + image * g.input.strides[0] +
                        (group * inputs() + channel) * g.input.strides[1] +
                        (top + first) * g.input.strides[2];
    std::fill_n(to, first * rowFloats, 0.0f);
    std::fill_n(to + last * rowFloats, (rows - last) * rowFloats, 0.0f);
    runVectors<copyPlane>(from, g.input.strides[2], g.strides[1], g.input.strides[3], last - first,
                          std::span<const CopiedColumns>(phases), columns, to + first * rowFloats, rowFloats);
  }
}

/// Applies the post-ops to the lines of a tile, which are rows of channels or of one channel, and moves the
/// lines to the output unless they are there.
void PlaneConv::finish(const Worker &worker, PlaneTile &tile, int64_t image, int64_t channel, int64_t row,
                       int64_t lines, bool areChannels) const {
  const ConvGeometry &g = geometry;
  for (int64_t line = 0; line < lines; ++line) {
    float *results = tile.output + line * tile.outputStep;
    for (size_t i = bounds.ops; i < fused.size(); ++i)
      activateRow(rowActivation(fused[i]), results, tile.width, fused[i].alpha, fused[i].beta);
    if (tile.output != worker.results)
      continue;
    if (areChannels && g.output.strides[1] == 1)
      continue; // below, all lines at once
    float *to = worker.output + image * g.output.strides[0] +
                (channel + (areChannels ? line : 0)) * g.output.strides[1] +
                (row + (areChannels ? 0 : line)) * g.output.strides[2];
    for (int64_t x = 0; x < tile.width; ++x)
      to[x * g.output.strides[3]] = results[x];
  }
  if (tile.output != worker.results || !areChannels || g.output.strides[1] != 1)
    return;
  float *to =
      worker.output + image * g.output.strides[0] + row * g.output.strides[2] + channel * g.output.strides[1];
  if (lines == g.output.strides[3] && lines <= mostInterleaved)
    runVectors<interleaveChannels>(tile.output, tile.outputStep, lines, tile.width, to);
  else
    runVectors<transposePlane>(tile.output, tile.outputStep, lines, tile.width, to, g.output.strides[3]);
}

void PlaneConv::computePlanes(const Worker &worker, const PlaneTile &chunk, int64_t image, int64_t group,
                              int64_t first, int64_t rows) const {
  static const bool wide = hasWideVectors();
  static constexpr float zeros[8] = {};
  const ConvGeometry &g = geometry;
  int64_t terms = inputs() * taps(), channel = group * outputs();
  bool isDirect = g.output.strides[3] == 1;
  PlaneTile line = chunk; // of all outputs
  line.outputStep = isDirect ? g.output.strides[1] : std::max(chunk.width, vectorSize);
  for (int64_t row = 0; row < rows; ++row, line.input += chunk.lineStep) {
    line.output = isDirect ? worker.output + image * g.output.strides[0] + channel * g.output.strides[1] +
                                 (first + row) * g.output.strides[2]
                           : worker.results;
    for (int64_t block = 0; block < blocks; ++block) {
      PlaneTile tile = line;
      int64_t output = firstOutput(block);
      tile.bias = worker.bias ? worker.bias + channel + output : zeros;
      tile.weights = weights.data() + (channel + output) * terms;
      tile.output += output * tile.outputStep;
      runVectors<multiplyPlanes>(tile, firstOutput(block + 1) - output, static_cast<int64_t>(starts.size()),
                                 wide);
    }
    finish(worker, line, image, channel, first + row, outputs(), true);
  }
}

void PlaneConv::computeDepthwise(const Worker &worker, const PlaneTile &chunk, int64_t image, int64_t channel,
                                 int64_t first, int64_t rows) const {
  static const bool wide = hasWideVectors();
  const ConvGeometry &g = geometry;
  float bias = worker.bias ? worker.bias[channel] : 0.0f;
  auto vectors = static_cast<int64_t>(starts.size()), lines = std::min<int64_t>(wide ? 8 : 4, rows);
  PlaneTile tile = chunk;
  tile.bias = &bias;
  tile.weights = weights.data() + channel * taps();
  if (g.output.strides[3] == 1) {
    tile.output = worker.output + image * g.output.strides[0] + channel * g.output.strides[1] +
                  first * g.output.strides[2];
    tile.outputStep = g.output.strides[2];
    tile.room = rows * tile.outputStep;
    runVectors<filterPlane>(tile, rows, vectors, wide);
    return finish(worker, tile, image, channel, first, rows, false);
  }
  tile.output = worker.results;
  tile.outputStep = std::max(tile.width, vectorSize);
  tile.room = lines * tile.outputStep;
  for (int64_t row = 0; row < rows; row += lines) {
    tile.input = chunk.input + row * tile.lineStep;
    int64_t count = std::min(lines, rows - row);
    runVectors<filterPlane>(tile, count, vectors, wide);
    finish(worker, tile, image, channel, first + row, count, false);
  }
}

/// A task is a chunk of rows of a group of an image.
void PlaneConv::computeChunk(const Worker &worker, int64_t task) const {
  const ConvGeometry &g = geometry;
  int64_t height = g.output.dims[2], chunks = worker.chunks, chunk = task % chunks;
  int64_t first = height * chunk / chunks, group = task / chunks % g.groups, image = task / chunks / g.groups;
  int64_t rows = height * (chunk + 1) / chunks - first, copied = inputRows(rows);
  copyRows(worker, image, group, first * g.strides[0] - g.before[0], copied);
  PlaneTile tile{};
  tile.input = worker.rows;
  tile.rowStep = g.dilations[0] * rowFloats;
  tile.lineStep = g.strides[0] * rowFloats;
  tile.terms = inputs() * taps();
  tile.kernelRows = g.kernel[0];
  tile.kernelColumns = g.kernel[1];
  tile.offsets = worker.offsets;
  tile.starts = starts.data();
  tile.width = g.output.dims[3];
  tile.bounds = bounds;
  if (isDepthwise())
    computeDepthwise(worker, tile, image, group, first, rows);
  else
    computePlanes(worker, tile, image, group, first, rows);
}

void PlaneConv::run(Call &call, float *output) const {
  const ConvGeometry &g = geometry;
  int64_t planes = g.groups * g.output.dims[0], height = g.output.dims[2], chunks = fewestChunks;
  int64_t workers = workersFor(nanosecondsOfRun, planes * height);
  while (planes * chunks % workers != 0 && planes * chunks < 4 * workers && chunks < height)
    ++chunks; // all threads have as much to do
  int64_t tasks = planes * chunks, chunkRows = (height + chunks - 1) / chunks;
  int64_t lines = std::max<int64_t>(outputs(), 8), line = std::max(g.output.dims[3], vectorSize);
  ScratchPieces pieces;
  int64_t channelFloats = inputRows(chunkRows) * rowFloats;
  size_t rowBytes = static_cast<size_t>(channelFloats * inputs()) * sizeof(float), results = 0;
  for (int64_t i = 0; i < workers; ++i) {
    pieces.add(rowBytes);
    size_t at = pieces.add(static_cast<size_t>(lines * line) * sizeof(float));
    results = i == 0 ? at : results;
  }
  size_t bytes = pieces.bytes() / static_cast<size_t>(workers),
         offsetPiece = pieces.add(static_cast<size_t>(inputs() * taps()) * sizeof(int64_t));
  auto *scratch = static_cast<std::byte *>(call.scratch(pieces.bytes()));
  auto *offsets = reinterpret_cast<int64_t *>(scratch + offsetPiece), *offset = offsets;
  for (int64_t input = 0; input < inputs(); ++input)
    for (int64_t y = 0; y < g.kernel[0]; ++y)
      for (int64_t column : columnOffsets)
        *offset++ = input * channelFloats + y * g.dilations[0] * rowFloats + column;
  bool hasBias = !fused.empty() && fused[0].hasOperand();
  parallelFor(workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::byte *memory = scratch + static_cast<size_t>(i) * bytes;
      std::memset(memory, 0, rowBytes);
      Worker worker{call.input(0).as<float>(),
                    hasBias ? call.input(fused[0].input).as<float>() : nullptr,
                    output,
                    reinterpret_cast<float *>(memory),
                    channelFloats,
                    offsets,
                    reinterpret_cast<float *>(memory + results),
                    chunks};
      for (int64_t task = tasks * i / workers; task < tasks * (i + 1) / workers; ++task)
        computeChunk(worker, task);
    }
  });
}

} // namespace proa::runtime
