#include "lib/runtime/kernels/conv/PixelConv.h"

#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/conv/Conv.h"
#include "lib/runtime/kernels/conv/Lanes.h"

#include <algorithm>

namespace proa::runtime {

/// The sums of all outputs of a group at the pixels of a panel, or some terms of them.
struct PixelProduct {
  const float *weights; ///< [block of outputs, term, output]
  int64_t outputs;
  const float *panel; ///< [term, vectors of pixels]
  int64_t terms, vectors;
  const float *bias; ///< of the outputs; null: zeros
  float *output;
  int64_t outputStep, width; ///< pixels
  bool accumulates;          ///< adds to the output
  RowBounds bounds;
};

/// Pixels of a panel that lie in one row of the result.
struct PixelRun {
  int64_t y, x, at, count;
};

/// The windows of the pixels of a panel, or some terms of them.
struct PixelWindows {
  const float *image; ///< the first channel of the group
  const ConvGeometry *geometry;
  PixelRun runs[2 * vectorSize];
  int64_t runCount;
  int64_t term, terms;
  float *panel;
  int64_t lanes; ///< of a term in the panel
};

namespace {

/// Terms of a panel: it stays in the first-level cache with AVX2, in the second one with AVX-512.
constexpr int64_t termsOfBlock = 384;

/// Vectors of pixels and output channels whose sums registers hold.
int64_t vectorsOfPanel() { return hasWideVectors() ? 2 : 1; }
int64_t outputsOfBlock() { return hasWideVectors() ? 10 : 6; }

template <int Outputs, int Vectors> PROA_VECTOR_INLINE void multiplyPixelTile(const PixelProduct &p) {
  Vector sums[Outputs][Vectors];
  for (int output = 0; output < Outputs; ++output)
    for (int v = 0; v < Vectors; ++v)
      sums[output][v] = Vector{} + (p.bias ? p.bias[output] : 0.0f);
  const float *weights = p.weights, *panel = p.panel;
#pragma GCC unroll 2
  for (int64_t term = 0; term < p.terms; ++term, weights += Outputs, panel += Vectors * vectorSize) {
    Vector pixels[Vectors];
    for (int v = 0; v < Vectors; ++v)
      std::memcpy(&pixels[v], panel + v * vectorSize, sizeof(Vector));
    for (int output = 0; output < Outputs; ++output)
      for (int v = 0; v < Vectors; ++v)
        sums[output][v] += weights[output] * pixels[v];
  }
  for (int output = 0; output < Outputs; ++output)
    for (int v = 0; v < Vectors; ++v) {
      float *to = p.output + output * p.outputStep + v * vectorSize;
      int64_t width = p.width - v * vectorSize;
      Vector sum = sums[output][v];
      if (p.accumulates) {
        Vector before;
        loadLanes(to, width, before);
        sum += before;
      }
      sum = sum < p.bounds.low ? Vector{} + p.bounds.low : sum; // NaN stays NaN
      sum = sum > p.bounds.high ? Vector{} + p.bounds.high : sum;
      storeLanes(sum, width, to);
    }
}

/// A tile of up to `Most` outputs.
template <int Most, int Vectors>
PROA_VECTOR_INLINE void multiplyPixelTileOf(const PixelProduct &p, int64_t outputs) {
  if constexpr (Most > 1)
    if (outputs < Most)
      return multiplyPixelTileOf<Most - 1, Vectors>(p, outputs);
  multiplyPixelTile<Most, Vectors>(p);
}

/// Blocks of nearly equal numbers of outputs.
template <int Most, int Vectors> PROA_VECTOR_INLINE void multiplyBlocks(PixelProduct p) {
  for (int64_t blocks = (p.outputs + Most - 1) / Most; blocks > 0; --blocks) {
    int64_t count = (p.outputs + blocks - 1) / blocks;
    multiplyPixelTileOf<Most, Vectors>(p, count);
    p.weights += count * p.terms;
    p.output += count * p.outputStep;
    p.bias += p.bias ? count : 0;
    p.outputs -= count;
  }
}

/// Neighbouring pixels of terms that lie `step` apart.
PROA_VECTOR_INLINE void copyNeighbours(const float *from, int64_t step, int64_t terms, int64_t width,
                                       float *to, int64_t lanes) {
  for (int64_t term = 0; term < terms; ++term, from += step, to += lanes)
    for (int64_t lane = 0; lane < lanes; lane += vectorSize) {
      Vector pixels{};
      if (lane < width)
        loadLanes(from + lane, width - lane, pixels);
      std::memcpy(to + lane, &pixels, sizeof(Vector));
    }
}

/// Elements `step` apart of a row of `size` elements, from element `first` on, which may lie outside.
PROA_VECTOR_INLINE void copyRun(const float *row, int64_t size, int64_t first, int64_t step, int64_t count,
                                float *to) {
  if (first >= 0 && first + (count - 1) * step < size && step == 1 && count <= vectorSize) {
    if (count == vectorSize)
      std::memcpy(to, row + first, sizeof(Vector));
    else
      copyRange(row + first, count, to);
    return;
  }
  for (int64_t i = 0; i < count; ++i, first += step)
    to[i] = first >= 0 && first < size ? row[first] : 0.0f;
}

} // namespace

PROA_VECTOR_INLINE static void multiplyPixels(const PixelProduct &p, bool wide) {
  if (!wide)
    multiplyBlocks<6, 1>(p);
  else if (p.vectors == 2)
    multiplyBlocks<10, 2>(p);
  else
    multiplyBlocks<10, 1>(p);
}

PROA_VECTOR_INLINE static void copyWindows(const PixelWindows &w) {
  const ConvGeometry &g = *w.geometry;
  int64_t taps = g.kernel[0] * g.kernel[1];
  float *to = w.panel;
  for (int64_t term = w.term; term < w.term + w.terms; ++term, to += w.lanes) {
    int64_t tap = term % taps, row = tap / g.kernel[1] * g.dilations[0] - g.before[0],
            column = tap % g.kernel[1] * g.dilations[1] - g.before[1];
    const float *channel = w.image + term / taps * g.input.strides[1];
    for (int64_t i = 0; i < w.runCount; ++i) {
      const PixelRun &run = w.runs[i];
      int64_t y = run.y * g.strides[0] + row;
      if (y >= 0 && y < g.input.dims[2])
        copyRun(channel + y * g.input.strides[2], g.input.dims[3], run.x * g.strides[1] + column,
                g.strides[1], run.count, to + run.at);
      else
        std::fill_n(to + run.at, run.count, 0.0f);
    }
  }
}

/// The memory of one thread, and the tensors.
struct PixelConv::Worker {
  const float *input, *bias; ///< no bias: null
  float *output, *panel;
};

namespace {

bool hasOnePixel(const ConvGeometry &g) {
  bool isOne = true;
  for (size_t axis = 0; axis < 2; ++axis)
    isOne &= g.kernel[axis] == 1 && g.strides[axis] == 1 && g.before[axis] == 0 &&
             g.output.dims[2 + axis] == g.input.dims[2 + axis];
  return isOne;
}

} // namespace

const char *PixelConv::whyNot(const ConvProblem &problem) {
  const ConvGeometry &g = problem.geometry;
  if (const char *reason = whyNotPlanar(problem))
    return reason;
  if (!problem.isConstant)
    return "the filter is not constant";
  if (!isDense(g.input, false) || !isDense(g.output, false))
    return "an image has channels last";
  return nullptr;
}

double PixelConv::nanoseconds(const ConvProblem &problem, const CpuFacts &cpu) {
  // Shares of the rate of a matmul, and the terms that a start of a sum takes.
  double share = cpu.vectorBits >= 512 ? 0.9 : 1;
  constexpr double startTerms = 4;
  // An element of a panel: copied with its neighbours, or alone.
  constexpr double copyNanoseconds = 0.1, pickNanoseconds = 0.8;
  const ConvGeometry &g = problem.geometry;
  int64_t lanes = vectorSize, pixels = g.output.dims[2] * g.output.dims[3],
          panels = (pixels + lanes - 1) / lanes;
  int64_t outputs = g.outputChannels() / g.groups, inputs = g.inputChannels() / g.groups;
  double terms = static_cast<double>(inputs * g.kernel[0] * g.kernel[1]);
  double used = static_cast<double>(pixels) / static_cast<double>(panels * lanes) *
                std::min(1.0, static_cast<double>(outputs) / 4) * terms / (terms + startTerms);
  double copied = terms * static_cast<double>(g.output.dims[0] * g.groups * panels * lanes);
  return copied * (hasOnePixel(g) ? copyNanoseconds : pickNanoseconds) +
         convOperations(problem) / (share * used * operationsPerNanosecond(cpu));
}

std::unique_ptr<PixelConv> PixelConv::create(const ConvProblem &problem, double nanoseconds,
                                             const float *filter, const PackedCache &filters) {
  const std::vector<PostOp> &ops = problem.attributes.postOps;
  auto count = static_cast<ptrdiff_t>(leadingRowOps(ops));
  std::unique_ptr<PixelConv> conv(new PixelConv(problem.geometry, {ops.begin(), ops.begin() + count}));
  conv->nanosecondsOfRun = nanoseconds;
  using dnnl::memory;
  // The order of the packed filter also depends on the number of groups.
  memory::desc plain = plainFilterDesc(problem.attributes, problem.geometry, memory::data_type::f32),
               packed({conv->terms(), problem.geometry.outputChannels()}, memory::data_type::f32,
                      memory::format_tag::ab);
  conv->filter = filters.get({"pixels", plain, packed}, [&] {
    auto filled = std::make_shared<PackedTensor>(packed);
    conv->pack(filter, static_cast<float *>(filled->data()));
    return filled;
  });
  return conv;
}

PixelConv::PixelConv(const ConvGeometry &g, std::vector<PostOp> fused)
    : geometry(g), fused(std::move(fused)), isPointwise(hasOnePixel(g)),
      panelPixels(vectorsOfPanel() * vectorSize), bounds(this->fused) {}

void PixelConv::pack(const float *from, float *to) const {
  int64_t most = outputsOfBlock();
  for (int64_t group = 0; group < geometry.groups; ++group, from += outputs() * terms())
    for (int64_t term = 0; term < terms(); term += termsOfBlock)
      for (int64_t first = 0, blocks = (outputs() + most - 1) / most; blocks > 0; --blocks) {
        int64_t count = (outputs() - first + blocks - 1) / blocks;
        for (int64_t k = term; k < std::min(term + termsOfBlock, terms()); ++k)
          for (int64_t output = first; output < first + count; ++output)
            *to++ = from[output * terms() + k];
        first += count;
      }
}

/// Copies terms [term, term + count) of `width` pixels.
void PixelConv::copyPanel(const Worker &worker, int64_t image, int64_t group, int64_t pixel, int64_t width,
                          int64_t term, int64_t count) const {
  const ConvGeometry &g = geometry;
  const float *from = worker.input + image * g.input.strides[0] + group * inputs() * g.input.strides[1];
  int64_t lanes = (width + vectorSize - 1) / vectorSize * vectorSize;
  if (isPointwise) {
    int64_t step = g.input.strides[1];
    return runVectors<copyNeighbours>(from + term * step + pixel, step, count, width, worker.panel, lanes);
  }
  PixelWindows windows{from, &g, {}, 0, term, count, worker.panel, lanes};
  for (int64_t at = 0; at < width;) {
    int64_t y = (pixel + at) / g.output.dims[3], x = (pixel + at) % g.output.dims[3];
    int64_t run = std::min({width - at, g.output.dims[3] - x, vectorSize});
    windows.runs[windows.runCount++] = {y, x, at, run};
    at += run;
  }
  runVectors<copyWindows>(windows);
}

/// The panels [first, first + count) of a group.
void PixelConv::computePanels(const Worker &worker, int64_t image, int64_t group, int64_t first,
                              int64_t count) const {
  static const bool wide = hasWideVectors();
  const auto *weights = static_cast<const float *>(filter->data()) + group * outputs() * terms();
  int64_t channel = group * outputs(), step = geometry.output.strides[1];
  float *plane = worker.output + image * geometry.output.strides[0] + channel * step;
  for (int64_t term = 0; term < terms(); term += termsOfBlock) {
    int64_t used = std::min(termsOfBlock, terms() - term);
    bool isLast = term + used == terms();
    for (int64_t panel = first; panel < first + count; ++panel) {
      int64_t pixel = panel * panelPixels, width = std::min(panelPixels, pixels() - pixel);
      copyPanel(worker, image, group, pixel, width, term, used);
      PixelProduct product{weights + term * outputs(),
                           outputs(),
                           worker.panel,
                           used,
                           (width + vectorSize - 1) / vectorSize,
                           worker.bias && term == 0 ? worker.bias + channel : nullptr,
                           plane + pixel,
                           step,
                           width,
                           term > 0,
                           isLast ? bounds : RowBounds()};
      runVectors<multiplyPixels>(product, wide);
      for (size_t i = bounds.ops; isLast && i < fused.size(); ++i)
        for (int64_t output = 0; output < outputs(); ++output)
          activateRow(rowActivation(fused[i]), plane + output * step + pixel, width, fused[i].alpha,
                      fused[i].beta);
    }
  }
}

void PixelConv::run(Call &call, float *output) const {
  constexpr int64_t panelsOfChunk = 8; // their sums stay in the second-level cache
  const ConvGeometry &g = geometry;
  int64_t planes = g.groups * g.output.dims[0], tasks = planes * panels();
  int64_t workers = workersFor(nanosecondsOfRun, tasks);
  ScratchPieces pieces;
  for (int64_t i = 0; i < workers; ++i)
    pieces.add(static_cast<size_t>(std::min(termsOfBlock, terms()) * panelPixels) * sizeof(float));
  size_t bytes = pieces.bytes() / static_cast<size_t>(workers);
  auto *scratch = static_cast<std::byte *>(call.scratch(pieces.bytes()));
  bool hasBias = !fused.empty() && fused[0].hasOperand();
  parallelFor(workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Worker worker{call.input(0).as<float>(), hasBias ? call.input(fused[0].input).as<float>() : nullptr,
                    output, reinterpret_cast<float *>(scratch + static_cast<size_t>(i) * bytes)};
      for (int64_t task = tasks * i / workers, last = tasks * (i + 1) / workers; task < last;) {
        int64_t plane = task / panels(), panel = task % panels();
        int64_t count = std::min({last - task, panels() - panel, panelsOfChunk});
        computePanels(worker, plane / g.groups, plane % g.groups, panel, count);
        task += count;
      }
    }
  });
}

} // namespace proa::runtime
