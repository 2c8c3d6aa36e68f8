#include "lib/runtime/kernels/conv/IndirectConv.h"

#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Vectors.h"
#include "lib/runtime/kernels/conv/ChannelOrder.h"
#include "lib/runtime/kernels/conv/Conv.h"
#include "lib/runtime/kernels/matmul/PanelGemm.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace proa::runtime {

/// Some terms of the sums of a panel of channels: taps [tap, tapEnd) and, of each, `channels` input channels.
struct IndirectTerms {
  const float *const *rows; ///< by tap and position: the channels of the group; `zeros` outside of the image
  const float *zeros;
  int64_t rowStride, positions;
  int64_t tap, tapEnd, channel, channels;
  const float *panel; ///< of the first tap and channel
  int64_t lanes;      ///< of a line of the panel
  float *sums;        ///< by position
  int64_t sumStride;
  bool accumulates;
  const float *bias; ///< of the panel, which the sums start with
  bool bounds;       ///< these are the last terms: the sums are bounded
  float low, high;
};

namespace {

/// Floats of a panel that are added at a time: they stay in the first-level cache.
constexpr int64_t floatsOfChunk = 384 * vectorSize;
/// Channels of a block of panels: their sums stay in the second-level cache.
constexpr int64_t channelsOfBlock = 16 * vectorSize;
constexpr int64_t mostPositions = 192;
/// Positions of a tile whose sums hide the latency of a multiplication.
constexpr int64_t fewestPositions = 4;
/// Of sums of few channels, see DotTerms.
constexpr int64_t dotLanes = 8, mostDots = 4;
constexpr float infinity = std::numeric_limits<float>::infinity();
/// Floats of a panel that are fetched before they are needed: filters of whole networks are in no cache.
constexpr int64_t fetchedAhead = 1024;

/// One register of AVX2: lines of at most this many outputs.
constexpr int64_t halfLanes = vectorSize / 2;
using HalfLine = float __attribute__((vector_size(halfLanes * sizeof(float))));

/// Lines of the last panel have a multiple of these lanes.
int64_t laneStep() { return hasWideVectors() ? vectorSize : halfLanes; }

/// `Fetches` is of the first tile of a panel. A line has `Vectors` vectors of type `Line`.
template <int Rows, int Vectors, bool Fetches, class Line>
PROA_VECTOR_INLINE void addTap(const float *const *rows, int64_t channels, const float *panel,
                               Line (&sums)[Rows][Vectors]) {
  constexpr int64_t lanes = sizeof(Line) / sizeof(float);
  const float *x[Rows];
  for (int row = 0; row < Rows; ++row)
    x[row] = rows[row];
  constexpr bool isHalf = lanes == halfLanes;
  constexpr int64_t lineFloats = 16; // of a line of the cache
  // Half panels do little with an element: the rows of the next tile, which follow, are fetched ahead.
  [[maybe_unused]] int64_t next = x[Rows - 1] - x[0] + channels;
#pragma GCC unroll 2
  for (int64_t k = 0; k < channels; ++k, panel += Vectors * lanes) {
    if constexpr (isHalf)
      if (k % lineFloats == 0)
        for (int row = 0; row < Rows; ++row)
          __builtin_prefetch(x[row] + next + k);
    Line lines[Vectors];
    for (int i = 0; i < Vectors; ++i) {
      std::memcpy(&lines[i], panel + i * lanes, sizeof(Line));
      if constexpr (Fetches)
        __builtin_prefetch(panel + i * lanes + fetchedAhead);
    }
    for (int row = 0; row < Rows; ++row)
      for (int i = 0; i < Vectors; ++i)
        sums[row][i] += x[row][k] * lines[i];
  }
}

template <int Rows, int Vectors, bool Fetches, class Line>
PROA_VECTOR_INLINE void addTile(const IndirectTerms &terms, int64_t position) {
  constexpr int64_t lanes = sizeof(Line) / sizeof(float);
  Line sums[Rows][Vectors];
  for (int i = 0; i < Vectors; ++i) {
    Line bias;
    std::memcpy(&bias, terms.bias + i * lanes, sizeof(Line));
    for (int row = 0; row < Rows; ++row)
      sums[row][i] = bias;
  }
  const float *panel = terms.panel;
  bool isUsed = false;
  for (int64_t tap = terms.tap; tap < terms.tapEnd; ++tap, panel += terms.channels * Vectors * lanes) {
    const float *rows[Rows];
    bool isInside = false;
    for (int row = 0; row < Rows; ++row) {
      const float *start = terms.rows[tap * terms.rowStride + position + row];
      isInside |= start != terms.zeros;
      rows[row] = start + terms.channel;
    }
    isUsed |= isInside;
    if (isInside)
      addTap<Rows, Vectors, Fetches, Line>(rows, terms.channels, panel, sums);
  }
  if (terms.accumulates && !isUsed && !terms.bounds)
    return;
  for (int row = 0; row < Rows; ++row)
    for (int i = 0; i < Vectors; ++i) {
      float *to = terms.sums + (position + row) * terms.sumStride + i * lanes;
      Line sum = sums[row][i];
      if (terms.accumulates) {
        Line before;
        std::memcpy(&before, to, sizeof(Line));
        sum += before;
      }
      if (terms.bounds) {
        sum = sum < terms.low ? Line{} + terms.low : sum; // NaN stays NaN
        sum = sum > terms.high ? Line{} + terms.high : sum;
      }
      std::memcpy(to, &sum, sizeof(Line));
    }
}

/// A tile of up to `Most` positions.
template <int Most, int Vectors, class Line>
PROA_VECTOR_INLINE void addTileOf(const IndirectTerms &terms, int64_t position, int64_t rows) {
  if constexpr (Most > 1)
    if (rows < Most)
      return addTileOf<Most - 1, Vectors, Line>(terms, position, rows);
  if (position == 0)
    addTile<Most, Vectors, true, Line>(terms, position);
  else
    addTile<Most, Vectors, false, Line>(terms, position);
}

/// Tiles of nearly equal numbers of positions: few ones do not hide the latency of a multiplication.
template <int Most, int Vectors, class Line = Vector>
PROA_VECTOR_INLINE void addTiles(const IndirectTerms &terms) {
  int64_t tiles = (terms.positions + Most - 1) / Most;
  for (int64_t position = 0; tiles > 0; --tiles) {
    int64_t rows = (terms.positions - position + tiles - 1) / tiles;
    addTileOf<Most, Vectors, Line>(terms, position, rows);
    position += rows;
  }
}

/// Positions of a tile; 20 vectors of 16 floats are registers of AVX-512 only.
int64_t tilePositions() { return hasWideVectors() ? 10 : 6; }

/// Positions that take as long as `count` in tiles of nearly equal size: small tiles leave multipliers
/// idle.
int64_t computedPositions(int64_t count) {
  int64_t tiles = (count + tilePositions() - 1) / tilePositions();
  if (tiles == 0)
    return 0;
  int64_t each = count / tiles, larger = count % tiles;
  return larger * std::max(each + 1, fewestPositions) + (tiles - larger) * std::max(each, fewestPositions);
}

/// Of the pairs of an axis's taps and tiles of `tile` positions, how many have a position inside of the
/// image.
double usedPairs(const ConvGeometry &g, size_t axis, int64_t tile) {
  int64_t out = g.output.dims[2 + axis], in = g.input.dims[2 + axis], used = 0, tiles = 0;
  for (int64_t first = 0; first < out; first += tile, ++tiles)
    for (int64_t tap = 0; tap < g.kernel[axis]; ++tap) {
      bool isInside = false;
      for (int64_t at = first; at < std::min(first + tile, out); ++at) {
        int64_t from = at * g.strides[axis] - g.before[axis] + tap * g.dilations[axis];
        isInside |= from >= 0 && from < in;
      }
      used += isInside;
    }
  return static_cast<double>(used) / static_cast<double>(tiles * g.kernel[axis]);
}

/// Those after the leading ones; nothing: see RowPostOps.
std::optional<RowPostOps> otherOps(const ConvConfig &attributes, const ConvGeometry &g,
                                   std::span<const OperandType> inputs) {
  size_t leading = leadingRowOps(attributes.postOps);
  return RowPostOps::create(std::span(attributes.postOps).subspan(leading), g.output,
                            std::span(g.operands).subspan(leading), inputs);
}

/// Whether a tap is a row of the window: channels of one position are too short a loop.
bool joins(const ConvGeometry &g) { return g.groups == 1 && g.inputChannels() < vectorSize; }

/// Images with channels first of few channels are interleaved by the copy.
bool readsFirst(const ConvGeometry &g) {
  return joins(g) && g.inputChannels() <= mostInterleaved && isDense(g.input, false);
}

bool hasForm(const ConvProblem &problem) {
  const ConvGeometry &g = problem.geometry;
  const std::vector<PostOp> &ops = problem.attributes.postOps;
  bool storesFirst = joins(g) && isDense(g.output, false) && leadingRowOps(ops) == ops.size();
  return !whyNotPlanar(problem) && (isDense(g.input, true) || readsFirst(g)) &&
         (isDense(g.output, true) || storesFirst);
}

} // namespace

/// All terms of the sums of a few channels.
struct DotTerms {
  const float *const *rows; ///< as of IndirectTerms
  const float *zeros;
  int64_t rowStride, positions, taps, channels;
  const float *filter; ///< [tap, channel / dotLanes, output, dotLanes]
  const float *bias;   ///< of the outputs
  float *sums;         ///< by position
  int64_t sumStride;
};

/// Lanes of a vector are channels, whose products are added last.
template <int Rows, int Outputs> PROA_VECTOR_INLINE void addDots(const DotTerms &terms, int64_t position) {
  using Dot = float __attribute__((vector_size(dotLanes * sizeof(float))));
  Dot sums[Rows][Outputs] = {};
  const float *filter = terms.filter;
  for (int64_t tap = 0; tap < terms.taps; ++tap, filter += terms.channels * Outputs) {
    const float *const *rows = terms.rows + tap * terms.rowStride + position;
    bool isInside = false;
    for (int row = 0; row < Rows; ++row)
      isInside |= rows[row] != terms.zeros;
    for (int64_t channel = 0; isInside && channel < terms.channels; channel += dotLanes) {
      Dot lines[Outputs];
      std::memcpy(&lines, filter + channel * Outputs, sizeof(lines));
      for (int row = 0; row < Rows; ++row) {
        Dot x;
        std::memcpy(&x, rows[row] + channel, sizeof(x));
        for (int output = 0; output < Outputs; ++output)
          sums[row][output] += x * lines[output];
      }
    }
  }
  for (int row = 0; row < Rows; ++row)
    for (int output = 0; output < Outputs; ++output) {
      float sum = terms.bias[output];
      for (int64_t lane = 0; lane < dotLanes; ++lane)
        sum += sums[row][output][lane];
      terms.sums[(position + row) * terms.sumStride + output] = sum;
    }
}

template <int Outputs> PROA_VECTOR_INLINE void addDotTiles(const DotTerms &terms) {
  constexpr int rows = Outputs == 4 ? 3 : 4;
  int64_t position = 0;
  for (; position + rows <= terms.positions; position += rows)
    addDots<rows, Outputs>(terms, position);
  for (; position < terms.positions; ++position)
    addDots<1, Outputs>(terms, position);
}

PROA_VECTOR_INLINE static void addDotTerms(const DotTerms &terms, int64_t outputs) {
  if (outputs == 1)
    addDotTiles<1>(terms);
  else if (outputs == 2)
    addDotTiles<2>(terms);
  else if (outputs == 3)
    addDotTiles<3>(terms);
  else
    addDotTiles<4>(terms);
}

PROA_VECTOR_INLINE static void addIndirectTerms(const IndirectTerms &terms, bool wide) {
  if (terms.lanes == halfLanes)
    addTiles<10, 1, HalfLine>(terms); // more rows have more pointers than there are registers
  else if (!wide)
    addTiles<6, 1>(terms);
  else if (terms.lanes > vectorSize)
    addTiles<10, 2>(terms);
  else
    addTiles<10, 1>(terms);
}

/// The memory of one thread.
struct IndirectConv::Worker {
  const float *input;
  const float **rows; ///< see IndirectTerms
  float *sums;        ///< [position, channels of a block]
  float *output;
  const float *bias;             ///< null: none
  int64_t first = -1, count = 0; ///< positions of the table
};

double IndirectConv::usedTaps(const ConvGeometry &geometry) {
  return usedPairs(geometry, 0, 1) * usedPairs(geometry, 1, joins(geometry) ? tilePositions() : 1);
}

double IndirectConv::readTaps(const ConvGeometry &geometry) {
  double share = 1;
  for (size_t axis = 0; axis < geometry.kernel.size(); ++axis)
    share *= usedPairs(geometry, axis, std::max<int64_t>(geometry.output.dims[2 + axis], 1));
  return share;
}

double IndirectConv::usedRows(const ConvGeometry &geometry) {
  int64_t positions = geometry.output.dims[0] * geometry.output.dims[2] * geometry.output.dims[3];
  return static_cast<double>(positions) / static_cast<double>(computedPositions(positions));
}

bool IndirectConv::addsDots(const ConvGeometry &g) {
  return g.groups == 1 && g.outputChannels() <= mostDots && g.inputChannels() >= vectorSize &&
         g.inputChannels() % dotLanes == 0;
}

bool IndirectConv::copiesImage(const ConvGeometry &geometry) { return joins(geometry); }

int64_t IndirectConv::termsOfTap(const ConvGeometry &geometry) {
  return geometry.inputChannels() / geometry.groups * (joins(geometry) ? geometry.kernel[1] : 1);
}

const char *IndirectConv::whyNot(const ConvProblem &problem) {
  const ConvGeometry &g = problem.geometry;
  if (!problem.isConstant)
    return "the filter is not constant";
  if (!hasForm(problem))
    return "not two-dimensional in float32 with channels last, or few channels first";
  if (joins(g) && g.dilations[1] != 1)
    return "few channels and dilated columns";
  constexpr int64_t fewestInputs = 4, fewestOutputs = 8;
  if (!joins(g) && !addsDots(g) &&
      (g.inputChannels() / g.groups < fewestInputs || g.outputChannels() / g.groups < fewestOutputs))
    return "groups of fewer than 4 channels, or to fewer than 8";
  if (!otherOps(problem.attributes, g, problem.inputs))
    return postOpsReason;
  return nullptr;
}

std::unique_ptr<IndirectConv> IndirectConv::create(const ConvProblem &problem, const float *filter,
                                                   const PackedCache &filters) {
  const ConvGeometry &geometry = problem.geometry;
  const std::vector<PostOp> &ops = problem.attributes.postOps;
  std::unique_ptr<IndirectConv> conv(
      new IndirectConv(geometry, *otherOps(problem.attributes, geometry, problem.inputs)));
  conv->leading.assign(ops.begin(), ops.begin() + static_cast<ptrdiff_t>(leadingRowOps(ops)));
  conv->bounds = RowBounds(conv->leading);
  conv->storesSums = conv->sorted.empty() && isDense(geometry.output, true) && conv->postOps.empty() &&
                     conv->outputs() % laneStep() == 0 && conv->bounds.ops == conv->leading.size();
  using dnnl::memory;
  int64_t terms = conv->taps() * conv->inputs();
  // The order of the packed filter also depends on the number of groups and on the window.
  memory::desc plain = plainFilterDesc(problem.attributes, geometry, memory::data_type::f32),
               packed({geometry.groups * conv->panelsOfGroup(), terms, conv->panelWidth},
                      memory::data_type::f32, memory::format_tag::abc);
  conv->filter = filters.get({"indirect", plain, packed}, [&] {
    auto filled = std::make_shared<PackedTensor>(packed);
    conv->pack(filter, static_cast<float *>(filled->data()));
    return filled;
  });
  return conv;
}

IndirectConv::IndirectConv(const ConvGeometry &geometry, RowPostOps postOps)
    : geometry(geometry), postOps(std::move(postOps)), joinsColumns(joins(geometry)),
      zeros(static_cast<size_t>(geometry.groups * inputs()), 0.0f) {
  int64_t tile = tilePositions(), most = mostPositions / tile * tile;
  int64_t blocks = (positions() + most - 1) / most, each = (positions() + blocks - 1) / blocks;
  blockPositions = (each + tile - 1) / tile * tile;
  // Two vectors of sums for each position take fewer loads for a multiplication.
  panelWidth = hasWideVectors() && outputs() > vectorSize ? 2 * vectorSize : vectorSize;
  int64_t terms = floatsOfChunk / panelWidth, chunks = (inputs() + terms - 1) / terms;
  channelsOfChunk = (inputs() + chunks - 1) / chunks;
  tapsOfChunk = std::max<int64_t>(1, terms / std::max<int64_t>(inputs(), 1));
  sortPositions();
}

/// For each position of an axis the index of its set of taps inside of the image; the sets in their order.
static std::vector<int64_t> tapSets(const ConvGeometry &g, size_t axis) {
  std::vector<int64_t> sets;
  std::map<std::vector<bool>, int64_t> indices;
  for (int64_t position = 0; position < g.output.dims[2 + axis]; ++position) {
    std::vector<bool> taps;
    for (int64_t tap = 0; tap < g.kernel[axis]; ++tap) {
      int64_t from = position * g.strides[axis] - g.before[axis] + tap * g.dilations[axis];
      taps.push_back(from >= 0 && from < g.input.dims[2 + axis]);
    }
    sets.push_back(indices.try_emplace(taps, static_cast<int64_t>(indices.size())).first->second);
  }
  return sets;
}

/// Positions whose taps are inside of the image follow each other, so that a tile skips the others.
void IndirectConv::sortPositions() {
  constexpr int64_t most = 1 << 16;
  int64_t height = geometry.output.dims[2], width = geometry.output.dims[3];
  if (joinsColumns || positions() > most || usedTaps(geometry) == 1)
    return;
  std::vector<int64_t> rows = tapSets(geometry, 0), columns = tapSets(geometry, 1);
  sorted.resize(static_cast<size_t>(positions()));
  std::iota(sorted.begin(), sorted.end(), 0);
  auto setOf = [&](int64_t position) {
    return std::pair(rows[static_cast<size_t>(position / width % height)],
                     columns[static_cast<size_t>(position % width)]);
  };
  std::ranges::stable_sort(sorted, {}, setOf);
  for (int64_t i = 1; i < positions(); ++i) {
    int64_t count = i - runs.back(); // of a run that ends here
    if (computedPositions(count) == count &&
        setOf(sorted[static_cast<size_t>(i)]) != setOf(sorted[static_cast<size_t>(i - 1)]))
      runs.push_back(i);
  }
}

int64_t IndirectConv::panelsOfGroup() const { return (outputs() + panelWidth - 1) / panelWidth; }

/// Lanes of the lines of panels with this many channels: the floats between the sums of neighbouring
/// positions.
static int64_t lanesOf(int64_t channels) { return (channels + laneStep() - 1) / laneStep() * laneStep(); }

/// Calls `use` for the pieces of the sums that are added in one loop, in their order.
template <class Use> void IndirectConv::forChunks(Use use) const {
  for (int64_t tap = 0; tap < taps(); tap += tapsOfChunk)
    for (int64_t channel = 0; channel < inputs(); channel += channelsOfChunk)
      use(tap, std::min(tapsOfChunk, taps() - tap), channel, std::min(channelsOfChunk, inputs() - channel));
}

/// The panels of a chunk lie side by side, so that memory is read from front to back. Lines of the last panel
/// have as many lanes as are enough.
void IndirectConv::pack(const float *from, float *to) const {
  int64_t indices = geometry.kernel[0] * geometry.kernel[1], columns = tapColumns();
  if (addsDots(geometry)) {
    for (int64_t index = 0; index < indices; ++index)
      for (int64_t input = 0; input < inputs(); input += dotLanes)
        for (int64_t output = 0; output < outputs(); ++output)
          for (int64_t lane = 0; lane < dotLanes; ++lane)
            *to++ = from[(output * inputs() + input + lane) * indices + index];
    return;
  }
  auto packPanel = [&](int64_t first, int64_t count, int64_t tap, int64_t taps, int64_t channel,
                       int64_t channels, float *line) {
    int64_t width = lanesOf(count);
    for (int64_t t = tap; t < tap + taps; ++t)
      for (int64_t c = channel; c < channel + channels; ++c, line += width) {
        int64_t index = t * columns + c / groupInputs(), input = c % groupInputs();
        for (int64_t i = 0; i < count; ++i)
          line[i] = from[((first + i) * groupInputs() + input) * indices + index];
        std::fill(line + count, line + width, 0.0f);
      }
  };
  for (int64_t group = 0; group < geometry.groups; ++group)
    forChunks([&](int64_t tap, int64_t taps, int64_t channel, int64_t channels) {
      for (int64_t panel = 0; panel < panelsOfGroup(); ++panel, to += taps * channels * panelWidth) {
        int64_t first = panel * panelWidth, count = std::min(panelWidth, outputs() - first);
        packPanel(group * outputs() + first, count, tap, taps, channel, channels, to);
      }
    });
}

/// Copies rows of an image with zeros beside them, and interleaves its channels.
PROA_VECTOR_INLINE static void padChannels(const float *from, const ConvGeometry &g, int64_t rows,
                                           int64_t width, float *to) {
  int64_t channels = g.inputChannels(), left = std::min(g.before[1], width),
          columns = std::min(g.input.dims[3], width - left);
  for (int64_t row = 0; row < rows; ++row, from += g.input.strides[2], to += width * channels) {
    interleaveChannels(from, g.input.strides[1], channels, columns, to + left * channels);
    std::fill_n(to, left * channels, 0.0f);
    std::fill(to + (left + columns) * channels, to + width * channels, 0.0f);
  }
}

/// Copies the image, with zeros beside its rows.
void IndirectConv::padRows(const float *input, float *to) const {
  const ConvGeometry &g = geometry;
  int64_t channels = g.inputChannels(), width = paddedWidth() * channels, height = g.input.dims[2];
  int64_t left = std::min(g.before[1] * channels, width),
          columns = std::min(g.input.dims[3] * channels, width - left);
  bool interleaves = readsFirst(g);
  parallelFor(g.input.dims[0] * height, 1 + 16384 / width, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      float *line = to + row * width;
      if (interleaves) {
        int64_t rows = std::min(end - row, height - row % height);
        runVectors<padChannels>(input + row / height * g.input.strides[0] + row % height * g.input.strides[2],
                                g, rows, paddedWidth(), line);
        row += rows - 1;
        continue;
      }
      std::fill_n(line, left, 0.0f);
      std::memcpy(line + left, input + row * g.input.dims[3] * channels,
                  static_cast<size_t>(columns) * sizeof(float));
      std::fill(line + left + columns, line + width, 0.0f);
    }
  });
}

/// Fills the table of `count` positions of a row of the output from `position` on; they are those from
/// `index` on in the table.
void IndirectConv::locateRow(Worker &worker, int64_t position, int64_t index, int64_t count) const {
  const ConvGeometry &g = geometry;
  int64_t height = g.output.dims[2], width = g.output.dims[3], columns = g.kernel[1] / tapColumns();
  int64_t before = joinsColumns ? 0 : g.before[1], inWidth = joinsColumns ? paddedWidth() : g.input.dims[3];
  int64_t image = position / width / height, top = position / width % height * g.strides[0] - g.before[0],
          left = position % width * g.strides[1] - before, step = g.strides[1] * g.inputChannels();
  const float **rows = worker.rows + index;
  for (int64_t tapRow = 0; tapRow < g.kernel[0]; ++tapRow) {
    int64_t y = top + tapRow * g.dilations[0];
    int64_t line = (image * g.input.dims[2] + y) * inWidth * g.inputChannels();
    for (int64_t column = 0; column < columns; ++column, rows += blockPositions) {
      int64_t x = left + column * g.dilations[1], begin = count, end = count;
      if (y >= 0 && y < g.input.dims[2]) {
        begin = x >= 0 ? 0 : std::min((g.strides[1] - 1 - x) / g.strides[1], count);
        end = x < inWidth ? std::clamp((inWidth - x + g.strides[1] - 1) / g.strides[1], begin, count) : begin;
      }
      std::fill(rows, rows + begin, zeros.data());
      for (int64_t i = begin; i < end; ++i)
        rows[i] = worker.input + (line + x * g.inputChannels() + i * step);
      std::fill(rows + end, rows + count, zeros.data());
    }
  }
}

/// Fills the table of the positions [first, first + count).
void IndirectConv::locate(Worker &worker, int64_t first, int64_t count) const {
  if (worker.first == first && worker.count == count)
    return;
  worker.first = first;
  worker.count = count;
  int64_t width = geometry.output.dims[3];
  for (int64_t i = 0, next = 0; i < count; i = next) {
    int64_t position = positionAt(first + i), end = std::min(count, i + width - position % width);
    for (next = i + 1; next < end && positionAt(first + next) == position + next - i;)
      ++next;
    locateRow(worker, position, i, next - i);
  }
}

/// A block of positions, run by run.
void IndirectConv::addRuns(const IndirectTerms &block, int64_t first) const {
  static const bool wide = hasWideVectors();
  for (auto run = std::ranges::upper_bound(runs, first) - 1; run != runs.end(); ++run) {
    int64_t begin = std::max<int64_t>(*run - first, 0),
            end = run + 1 == runs.end() ? block.positions : std::min(*(run + 1) - first, block.positions);
    if (begin >= end)
      return;
    IndirectTerms terms = block;
    terms.rows += begin;
    terms.sums += begin * block.sumStride;
    terms.positions = end - begin;
    runVectors<addIndirectTerms>(terms, wide);
  }
}

/// The sums of all channels, of which there are few.
void IndirectConv::addDots(const Worker &worker) const {
  float bias[mostDots] = {};
  if (worker.bias)
    std::copy_n(worker.bias, outputs(), bias);
  DotTerms terms{worker.rows,
                 zeros.data(),
                 blockPositions,
                 worker.count,
                 taps(),
                 inputs(),
                 static_cast<const float *>(filter->data()),
                 bias,
                 worker.sums,
                 lanesOf(outputs())};
  runVectors<addDotTerms>(terms, outputs());
}

/// The sums of `channels` channels of a group, from the first of a panel on.
void IndirectConv::multiply(Worker &worker, int64_t group, int64_t channel, int64_t channels) const {
  if (addsDots(geometry))
    return addDots(worker);
  const bool isBounded = bounds.low > -infinity || bounds.high < infinity;
  const auto *chunk =
      static_cast<const float *>(filter->data()) + group * taps() * inputs() * panelsOfGroup() * panelWidth;
  IndirectTerms terms{};
  terms.rows = worker.rows;
  terms.zeros = zeros.data();
  terms.rowStride = blockPositions;
  terms.positions = worker.count;
  terms.low = bounds.low;
  terms.high = bounds.high;
  terms.sumStride = storesSums ? geometry.outputChannels() : lanesOf(channels);
  float *sums =
      storesSums ? worker.output + worker.first * terms.sumStride + group * outputs() + channel : worker.sums;
  forChunks([&](int64_t tap, int64_t taps, int64_t input, int64_t inputs) {
    terms.tap = tap;
    terms.tapEnd = tap + taps;
    terms.channel = group * this->inputs() + input;
    terms.channels = inputs;
    terms.accumulates = tap > 0 || input > 0;
    terms.bounds = isBounded && tap + taps == this->taps() && input + inputs == this->inputs();
    for (int64_t first = 0; first < channels; first += panelWidth) {
      int64_t count = std::min(panelWidth, channels - first);
      float bias[2 * vectorSize] = {};
      if (worker.bias && !terms.accumulates)
        std::copy_n(worker.bias + group * outputs() + channel + first, count, bias);
      terms.bias = bias;
      terms.lanes = lanesOf(count);
      terms.panel = chunk + (channel + first) * taps * inputs;
      terms.sums = sums + first;
      addRuns(terms, worker.first);
    }
    chunk += taps * inputs * panelsOfGroup() * panelWidth;
  });
}

/// Applies the post-ops to the sums of `channels` channels and stores them.
void IndirectConv::finish(const Worker &worker, int64_t channel, int64_t channels, float *output,
                          std::span<const float *const> operands) const {
  if (storesSums)
    return;
  int64_t stride = lanesOf(channels), all = geometry.outputChannels();
  for (const PostOp &op : std::span(leading).subspan(addsDots(geometry) ? 0 : bounds.ops))
    if (!op.hasOperand())
      activateRow(rowActivation(op), worker.sums, worker.count * stride, op.alpha, op.beta);
  if (!isDense(geometry.output, true))
    return storeFirst(worker, channel, channels, output);
  if (channels == all && sorted.empty()) { // the results of the block lie side by side
    for (int64_t i = 1; stride != all && i < worker.count; ++i)
      std::memmove(worker.sums + i * all, worker.sums + i * stride, static_cast<size_t>(all) * sizeof(float));
    if (!postOps.empty())
      postOps.apply(worker.sums, worker.count, worker.first * all, operands);
    std::memcpy(output + worker.first * all, worker.sums,
                static_cast<size_t>(worker.count * all) * sizeof(float));
    return;
  }
  for (int64_t i = 0; i < worker.count; ++i) {
    float *sums = worker.sums + i * stride;
    int64_t offset = positionAt(worker.first + i) * all + channel;
    if (!postOps.empty())
      postOps.applyChannels(sums, channel, channels, offset, operands);
    std::memcpy(output + offset, sums, static_cast<size_t>(channels) * sizeof(float));
  }
}

/// Stores the sums to an image with channels first.
void IndirectConv::storeFirst(const Worker &worker, int64_t channel, int64_t channels, float *output) const {
  const ConvGeometry &g = geometry;
  int64_t stride = lanesOf(channels), pixels = g.output.dims[2] * g.output.dims[3];
  for (int64_t i = 0; i < worker.count;) {
    int64_t image = (worker.first + i) / pixels, pixel = (worker.first + i) % pixels;
    int64_t count = std::min(worker.count - i, pixels - pixel);
    runVectors<transposePlane>(worker.sums + i * stride, stride, count, channels,
                               output + (image * g.outputChannels() + channel) * pixels + pixel, pixels);
    i += count;
  }
}

void IndirectConv::run(Call &call, float *output) const {
  constexpr double operationsPerNanosecond = 80; // one core with AVX2
  std::vector<const float *> operands = postOps.operands(call);
  int64_t panels = geometry.groups * panelsOfGroup();
  int64_t units = (positions() + blockPositions - 1) / blockPositions * panels;
  double nanoseconds = 2.0 * static_cast<double>(units * blockPositions * panelWidth * taps() * inputs()) /
                       operationsPerNanosecond;
  int64_t workers = workersFor(nanoseconds, units);
  size_t rowBytes = static_cast<size_t>(taps() * blockPositions) * sizeof(float *);
  size_t sumBytes =
      static_cast<size_t>(blockPositions * std::min(panelsOfGroup() * panelWidth, channelsOfBlock)) *
      sizeof(float);
  ScratchPieces pieces;
  for (int64_t i = 0; i < workers; ++i) {
    pieces.add(rowBytes);
    pieces.add(sumBytes);
  }
  size_t bytes = pieces.bytes() / static_cast<size_t>(workers);
  int64_t copied = joinsColumns ? geometry.input.dims[0] * geometry.input.dims[2] * paddedWidth() : 0;
  size_t copyPiece = pieces.add(static_cast<size_t>(copied * geometry.inputChannels()) * sizeof(float));
  auto *scratch = static_cast<std::byte *>(call.scratch(pieces.bytes()));
  const float *input = call.input(0).as<float>();
  const float *bias =
      !leading.empty() && leading[0].hasOperand() ? call.input(leading[0].input).as<float>() : nullptr;
  if (joinsColumns) {
    auto *copy = reinterpret_cast<float *>(scratch + copyPiece);
    padRows(input, copy);
    input = copy;
  }
  parallelFor(workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::byte *memory = scratch + static_cast<size_t>(i) * bytes;
      Worker worker{input, reinterpret_cast<const float **>(memory),
                    reinterpret_cast<float *>(memory + bytes - (sumBytes + 63) / 64 * 64), output, bias};
      runUnits(worker, units * i / workers, units * (i + 1) / workers, output, operands);
    }
  });
}

/// A unit is one panel of one block of positions.
void IndirectConv::runUnits(Worker &worker, int64_t begin, int64_t end, float *output,
                            std::span<const float *const> operands) const {
  int64_t panels = geometry.groups * panelsOfGroup();
  while (begin < end) {
    int64_t position = begin / panels * blockPositions, group = begin % panels / panelsOfGroup(),
            panel = begin % panelsOfGroup();
    int64_t count = std::min({end - begin, panelsOfGroup() - panel, channelsOfBlock / panelWidth});
    int64_t channel = panel * panelWidth, channels = std::min(count * panelWidth, outputs() - channel);
    locate(worker, position, std::min(blockPositions, positions() - position));
    multiply(worker, group, channel, channels);
    finish(worker, group * outputs() + channel, channels, output, operands);
    begin += count;
  }
}

} // namespace proa::runtime
