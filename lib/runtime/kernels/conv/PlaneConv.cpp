#include "lib/runtime/kernels/conv/PlaneConv.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/RowPostOps.h"
#include "lib/runtime/kernels/common/Vectors.h"
#include "lib/runtime/kernels/conv/ChannelOrder.h"

#include <algorithm>

namespace proa::runtime {

/// Some output channels, or some rows of one channel, at a few vectors of columns.
struct PlaneTile {
  const float *input;  ///< the copied rows, of the first window row
  int64_t channelStep; ///< from an input channel to the next
  int64_t rowStep;     ///< from a row of the window to the next
  int64_t lineStep;    ///< from the input of an output row to the next
  int64_t inputs, kernelRows, kernelColumns;
  const int64_t *offsets;
  const int64_t *starts;
  const float *weights; ///< [input, kernel..., output]
  const float *bias;    ///< of the outputs; zeros where there is none
  float *output;
  int64_t outputStep; ///< from an output channel, or row, to the next
  int64_t width;      ///< of an output row
};

namespace {

/// Copied floats of a chunk: they stay in the second-level cache.
constexpr int64_t chunkFloats = 48 << 10;

/// Copies `count` elements, fewer than a vector's.
PROA_VECTOR_INLINE void copyRange(const float *from, int64_t count, float *to) {
  constexpr size_t half = 8 * sizeof(float), quarter = 4 * sizeof(float);
  if (count >= 8) {
    float last[8];
    std::memcpy(last, from + count - 8, half);
    std::memcpy(to, from, half);
    std::memcpy(to + count - 8, last, half);
  } else if (count >= 4) {
    float last[4];
    std::memcpy(last, from + count - 4, quarter);
    std::memcpy(to, from, quarter);
    std::memcpy(to + count - 4, last, quarter);
  } else {
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[i];
  }
}

/// Stores the first elements of a vector; `width` elements are there.
PROA_VECTOR_INLINE void storeLanes(const Vector &from, int64_t width, float *to) {
  if (width >= vectorSize) {
    std::memcpy(to, &from, sizeof(Vector));
    return;
  }
  float all[vectorSize];
  std::memcpy(all, &from, sizeof(Vector));
  copyRange(all, width, to);
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
  for (int64_t input = 0; input < tile.inputs; ++input)
    for (int64_t y = 0; y < tile.kernelRows; ++y) {
      const float *row = tile.input + input * tile.channelStep + y * tile.rowStep;
      for (int64_t x = 0; x < tile.kernelColumns; ++x, weights += Outputs) {
        const float *from = row + tile.offsets[x];
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
    }
#pragma GCC unroll 8
  for (int output = 0; output < Outputs; ++output)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      Vector sum = sums[output][v];
      storeLanes(sum, tile.width, tile.output + output * tile.outputStep + tile.starts[v]);
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
      storeLanes(sum, tile.width, tile.output + line * tile.outputStep + tile.starts[v]);
    }
}

/// The same with `Kernel` rows of the window, without strides and dilations of rows: an input row is loaded
/// once for all results that it is part of.
template <int Kernel, int Lines, int Vectors> PROA_VECTOR_INLINE void filterDenseTile(const PlaneTile &tile) {
  Vector sums[Lines][Vectors];
#pragma GCC unroll 8
  for (int line = 0; line < Lines; ++line)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v)
      sums[line][v] = Vector{} + tile.bias[0];
  for (int64_t x = 0; x < tile.kernelColumns; ++x) {
    const float *from = tile.input + tile.offsets[x], *weights = tile.weights + x;
#pragma GCC unroll 16
    for (int row = 0; row < Lines + Kernel - 1; ++row) {
      Vector columns[Vectors];
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v)
        std::memcpy(&columns[v], from + row * tile.rowStep + tile.starts[v], sizeof(Vector));
#pragma GCC unroll 8
      for (int y = 0; y < Kernel; ++y)
        if (row - y >= 0 && row - y < Lines)
#pragma GCC unroll 8
          for (int v = 0; v < Vectors; ++v)
            sums[row - y][v] += weights[y * tile.kernelColumns] * columns[v];
    }
  }
#pragma GCC unroll 8
  for (int line = 0; line < Lines; ++line)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      Vector sum = sums[line][v];
      storeLanes(sum, tile.width, tile.output + line * tile.outputStep + tile.starts[v]);
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

PROA_VECTOR_INLINE void multiplyPlanes(const PlaneTile &tile, int64_t outputs, int64_t vectors, bool wide) {
  switch (outputs) {
  case 1:
    return multiplyRow<1, 3>(tile, vectors);
  case 2:
    return wide ? multiplyRow<2, 3>(tile, vectors) : multiplyRow<2, 2>(tile, vectors);
  case 4:
    return wide ? multiplyRow<4, 3>(tile, vectors) : multiplyRow<4, 1>(tile, vectors);
  default:
    return multiplyRow<8, 3>(tile, vectors);
  }
}

/// `Kernel` is 0, or see filterDenseTile.
template <int Kernel, int Lines, int Vectors> PROA_VECTOR_INLINE void filterAnyTile(const PlaneTile &tile) {
  if constexpr (Kernel == 0)
    filterTile<Lines, Vectors>(tile);
  else
    filterDenseTile<Kernel, Lines, Vectors>(tile);
}

template <int Kernel, int Lines, int Most>
PROA_VECTOR_INLINE void filterRows(PlaneTile tile, int64_t vectors) {
  if constexpr (Most >= 2)
    for (; vectors >= 2; vectors -= 2, tile.starts += 2)
      filterAnyTile<Kernel, Lines, 2>(tile);
  for (; vectors > 0; --vectors, ++tile.starts)
    filterAnyTile<Kernel, Lines, 1>(tile);
}

template <int Kernel>
PROA_VECTOR_INLINE void filterLines(const PlaneTile &tile, int64_t lines, int64_t vectors, bool wide) {
  if (lines == 8)
    filterRows<Kernel, 8, 2>(tile, vectors);
  else if (lines == 4 && !wide)
    filterRows<Kernel, 4, 1>(tile, vectors);
  else if (lines == 4)
    filterRows<Kernel, 4, 2>(tile, vectors);
  else if (lines == 2)
    filterRows<Kernel, 2, 2>(tile, vectors);
  else
    filterRows<Kernel, 1, 2>(tile, vectors);
}

PROA_VECTOR_INLINE void filterPlane(const PlaneTile &tile, int64_t lines, int64_t vectors, bool wide) {
  bool isDense = tile.lineStep == tile.rowStep; // also a stride that is the dilation, whose rows are the same
  if (isDense && tile.kernelRows == 3)
    filterLines<3>(tile, lines, vectors, wide);
  else if (isDense && tile.kernelRows == 5)
    filterLines<5>(tile, lines, vectors, wide);
  else if (isDense && tile.kernelRows == 7)
    filterLines<7>(tile, lines, vectors, wide);
  else
    filterLines<0>(tile, lines, vectors, wide);
}

template <int Step> PROA_VECTOR_INLINE void copyWhole(const float *from, int64_t count, float *to) {
  for (int64_t i = 0; i < count; i += vectorSize) {
    int64_t at = std::min(i, count - vectorSize);
    Vector columns;
    loadEvery<Step>(from + at * Step, columns);
    std::memcpy(to + at, &columns, sizeof(Vector));
  }
}

/// Copies `count` columns of an input row, of which one follows the other by `step` elements.
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

/// Copies rows that lie `fromStep` and `toStep` apart.
PROA_VECTOR_INLINE void copyPlane(const float *from, int64_t fromStep, int64_t stride, int64_t columnStep,
                                  int64_t rows, std::span<const CopiedColumns> phases, int64_t columns,
                                  float *to, int64_t toStep) {
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
  float *rows;    ///< copied
  float *results; ///< of a tile, where the output's columns do not lie together
  int64_t chunks; ///< of an image's rows
};

const char *PlaneConv::whyNot(const ConvProblem &problem) {
  const ConvGeometry &g = problem.geometry;
  bool isFloat32 = std::ranges::all_of(problem.inputs, [](const OperandType &input) {
    return !input.present || input.dtype == DType::Float32;
  });
  if (!isFloat32 || problem.attributes.transposed || problem.attributes.spatial != 2)
    return "not two-dimensional in float32";
  constexpr int64_t few = 8;
  if (g.inputChannels() / g.groups > few)
    return "more than 8 input channels in a group";
  return nullptr;
}

double PlaneConv::nanoseconds(const ConvProblem &problem, const CpuFacts &cpu) {
  // Shares of the rate of a matmul. Sums of one input channel load each of their factors.
  double share = cpu.vectorBits >= 512 ? 1 : 0.8;
  constexpr double depthwiseShare = 0.5, groupNanoseconds = 20;
  constexpr double pickNanoseconds = 0.11, pickAloneNanoseconds = 0.5; // an element of the image, of a stride
  constexpr double transposeNanoseconds = 0.15;
  const ConvGeometry &g = problem.geometry;
  bool isDepthwise = g.inputChannels() == g.groups && g.outputChannels() == g.groups;
  int64_t outputs = g.outputChannels() / g.groups,
          wholeOutputs = cpu.vectorBits >= 512 ? 8 : 4; // computed at once
  double used = shareOfLanes(g.output.dims[3]);
  if (isDepthwise)
    used *= depthwiseShare;
  else
    used *= share * static_cast<double>(outputs) /
            static_cast<double>((outputs + wholeOutputs - 1) / wholeOutputs * wholeOutputs);
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
         transposeNanoseconds * transposed +
         groupNanoseconds * static_cast<double>(g.output.dims[0] * g.groups) +
         gathers * copied * static_cast<double>(cpu.gatherCost) * 1e-3 +
         convOperations(problem) / (used * operationsPerNanosecond(cpu));
}

std::unique_ptr<PlaneConv> PlaneConv::create(const ConvProblem &problem, double nanoseconds,
                                             const float *filter) {
  const std::vector<PostOp> &ops = problem.attributes.postOps;
  size_t count = 0, most = leadingWithoutTensors(ops);
  while (count < most && (ops[count].hasOperand() || rowActivation(ops[count]) != RowActivation::None))
    ++count;
  std::unique_ptr<PlaneConv> conv(
      new PlaneConv(problem.geometry, {ops.begin(), ops.begin() + static_cast<ptrdiff_t>(count)}));
  conv->nanosecondsOfRun = nanoseconds;
  conv->pack(filter);
  return conv;
}

PlaneConv::PlaneConv(const ConvGeometry &g, std::vector<PostOp> fused)
    : geometry(g), fused(std::move(fused)) {
  int64_t most = hasWideVectors() ? 8 : 4;
  while (!isDepthwise() && blockOutputs < std::min(outputs(), most))
    blockOutputs *= 2;
  int64_t width = g.output.dims[3], lanes = std::max(width, vectorSize), stride = g.strides[1];
  int64_t reach = (g.kernel[1] - 1) * g.dilations[1];
  columns = lanes + reach / stride + 1;
  for (int64_t x = 0; x < g.kernel[1]; ++x)
    offsets.push_back(x * g.dilations[1] % stride * columns + x * g.dilations[1] / stride);
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
  weights.assign(static_cast<size_t>(geometry.groups * blocks() * terms * blockOutputs), 0.0f);
  for (int64_t group = 0; group < geometry.groups; ++group)
    for (int64_t output = 0; output < outputs(); ++output)
      for (int64_t term = 0; term < terms; ++term) {
        int64_t block = group * blocks() + output / blockOutputs;
        weights[static_cast<size_t>((block * terms + term) * blockOutputs + output % blockOutputs)] =
            filter[(group * outputs() + output) * terms + term];
      }
}

/// Copies input rows [top, top + rows) of the channels of a group. Columns outside of the image are zeros
/// already.
void PlaneConv::copyRows(const Worker &worker, int64_t image, int64_t group, int64_t top,
                         int64_t rows) const {
  const ConvGeometry &g = geometry;
  int64_t first = std::clamp<int64_t>(-top, 0, rows),
          last = std::clamp(g.input.dims[2] - top, first, rows); // rows of the image
  for (int64_t channel = 0; channel < inputs(); ++channel) {
    float *to = worker.rows + channel * rows * rowFloats;
    const float *from = worker.input + image * g.input.strides[0] +
                        (group * inputs() + channel) * g.input.strides[1] +
                        (top + first) * g.input.strides[2];
    std::fill_n(to, first * rowFloats, 0.0f);
    std::fill_n(to + last * rowFloats, (rows - last) * rowFloats, 0.0f);
    runVectors<copyPlane>(from, g.input.strides[2], g.strides[1], g.input.strides[3], last - first,
                          std::span<const CopiedColumns>(phases), columns, to + first * rowFloats, rowFloats);
  }
}

/// Applies the post-ops to the lines of a tile, which are rows of channels or of one channel, and moves them
/// to the output where they are not there.
void PlaneConv::finish(const Worker &worker, PlaneTile &tile, int64_t image, int64_t channel, int64_t row,
                       int64_t lines, bool areChannels) const {
  const ConvGeometry &g = geometry;
  for (int64_t line = 0; line < lines; ++line) {
    float *results = tile.output + line * tile.outputStep;
    for (const PostOp &op : fused)
      if (!op.hasOperand())
        activateRow(rowActivation(op), results, tile.width, op.alpha, op.beta);
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
  if (lines == g.output.strides[3])
    runVectors<interleaveChannels>(tile.output, tile.outputStep, lines, tile.width, to);
  else
    runVectors<transposePlane>(tile.output, tile.outputStep, lines, tile.width, to, g.output.strides[3]);
}

void PlaneConv::computePlanes(const Worker &worker, const PlaneTile &chunk, int64_t image, int64_t group,
                              int64_t first, int64_t rows) const {
  static const bool wide = hasWideVectors();
  const ConvGeometry &g = geometry;
  int64_t terms = inputs() * taps();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks(); ++block) {
      PlaneTile tile = chunk;
      int64_t output = block * blockOutputs, count = std::min(blockOutputs, outputs() - output);
      int64_t channel = group * outputs() + output;
      float bias[8] = {};
      if (worker.bias)
        std::copy_n(worker.bias + channel, count, bias);
      tile.bias = bias;
      tile.input += row * tile.lineStep;
      tile.weights = weights.data() + (group * blocks() + block) * terms * blockOutputs;
      bool isDirect = g.output.strides[3] == 1 && count == blockOutputs;
      tile.output = isDirect ? worker.output + image * g.output.strides[0] + channel * g.output.strides[1] +
                                   (first + row) * g.output.strides[2]
                             : worker.results;
      tile.outputStep = isDirect ? g.output.strides[1] : std::max(tile.width, vectorSize);
      runVectors<multiplyPlanes>(tile, blockOutputs, static_cast<int64_t>(starts.size()), wide);
      finish(worker, tile, image, channel, first + row, count, true);
    }
}

void PlaneConv::computeDepthwise(const Worker &worker, const PlaneTile &chunk, int64_t image, int64_t channel,
                                 int64_t first, int64_t rows) const {
  static const bool wide = hasWideVectors();
  const ConvGeometry &g = geometry;
  int64_t lines = wide ? 8 : 4;
  while (lines > rows)
    lines /= 2;
  for (int64_t next = 0; next < rows; next += lines) {
    int64_t row = std::min(next, rows - lines); // the last lines may overlap those before
    PlaneTile tile = chunk;
    float bias = worker.bias ? worker.bias[channel] : 0.0f;
    tile.bias = &bias;
    tile.input += row * tile.lineStep;
    tile.weights = weights.data() + channel * taps();
    bool isDirect = g.output.strides[3] == 1;
    tile.output = isDirect ? worker.output + image * g.output.strides[0] + channel * g.output.strides[1] +
                                 (first + row) * g.output.strides[2]
                           : worker.results;
    tile.outputStep = isDirect ? g.output.strides[2] : std::max(tile.width, vectorSize);
    runVectors<filterPlane>(tile, lines, static_cast<int64_t>(starts.size()), wide);
    finish(worker, tile, image, channel, first + row, lines, false);
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
  tile.channelStep = copied * rowFloats;
  tile.rowStep = g.dilations[0] * rowFloats;
  tile.lineStep = g.strides[0] * rowFloats;
  tile.inputs = inputs();
  tile.kernelRows = g.kernel[0];
  tile.kernelColumns = g.kernel[1];
  tile.offsets = offsets.data();
  tile.starts = starts.data();
  tile.width = g.output.dims[3];
  if (isDepthwise())
    computeDepthwise(worker, tile, image, group, first, rows);
  else
    computePlanes(worker, tile, image, group, first, rows);
}

void PlaneConv::run(Call &call, float *output) const {
  const ConvGeometry &g = geometry;
  int64_t planes = g.groups * g.output.dims[0], height = g.output.dims[2], chunks = fewestChunks;
  int64_t workers = std::clamp<int64_t>(static_cast<int64_t>(nanosecondsOfRun / minimalForkNanoseconds), 1,
                                        std::min<int64_t>(planes * height, threads()));
  while (planes * chunks % workers != 0 && planes * chunks < 4 * workers && chunks < height)
    ++chunks; // all threads have as much to do
  int64_t tasks = planes * chunks, chunkRows = (height + chunks - 1) / chunks;
  int64_t lines = std::max<int64_t>(blockOutputs, 8), line = std::max(g.output.dims[3], vectorSize);
  ScratchPieces pieces;
  size_t rowBytes = static_cast<size_t>(inputRows(chunkRows) * rowFloats * inputs()) * sizeof(float),
         results = 0;
  for (int64_t i = 0; i < workers; ++i) {
    pieces.add(rowBytes);
    size_t at = pieces.add(static_cast<size_t>(lines * line) * sizeof(float));
    results = i == 0 ? at : results;
  }
  size_t bytes = pieces.bytes() / static_cast<size_t>(workers);
  auto *scratch = static_cast<std::byte *>(call.scratch(pieces.bytes()));
  bool hasBias = !fused.empty() && fused[0].hasOperand();
  parallelFor(workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::byte *memory = scratch + static_cast<size_t>(i) * bytes;
      std::memset(memory, 0, rowBytes);
      Worker worker{call.input(0).as<float>(),
                    hasBias ? call.input(fused[0].input).as<float>() : nullptr,
                    output,
                    reinterpret_cast<float *>(memory),
                    reinterpret_cast<float *>(memory + results),
                    chunks};
      for (int64_t task = tasks * i / workers; task < tasks * (i + 1) / workers; ++task)
        computeChunk(worker, task);
    }
  });
}

} // namespace proa::runtime
