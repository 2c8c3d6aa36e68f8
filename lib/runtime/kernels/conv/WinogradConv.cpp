#include "lib/runtime/kernels/conv/WinogradConv.h"

#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/conv/Conv.h"
#include "lib/runtime/kernels/conv/WinogradTransform.h"

#include <algorithm>

namespace proa::runtime {
namespace {

using dnnl::memory;

/// Of one core, for the grain of threads.
constexpr double grainOperations = 150, tileBytesPerNanosecond = 20; // in a nanosecond

int64_t tilesAlong(int64_t tileDim, int64_t tile) { return (tileDim + tile - 1) / tile; }

int64_t countTiles(const ConvGeometry &g, int64_t tileDim) {
  return g.output.dims[0] * tilesAlong(g.output.dims[2], tileDim) * tilesAlong(g.output.dims[3], tileDim);
}

/// Bytes of one tile's V and products.
int64_t tileBytes(const ConvGeometry &g, int64_t tileDim) {
  int64_t points = (tileDim + 2) * (tileDim + 2);
  return points * (g.inputChannels() + g.outputChannels()) * static_cast<int64_t>(sizeof(float));
}

int64_t filterBytes(const ConvGeometry &g, int64_t tileDim) {
  int64_t points = (tileDim + 2) * (tileDim + 2);
  return points * g.inputChannels() * g.outputChannels() * static_cast<int64_t>(sizeof(float));
}

/// The number of threads that compute blocks of their own; 1: all threads share each block. Then a thread
/// transforms some tiles and multiplies some points, so that V and the products move between the caches of
/// the cores. With blocks of its own each thread reads the whole filter.
int64_t ownBlocks(const ConvGeometry &g, int64_t tileDim) {
  constexpr int64_t leastTiles = 8; // of a thread, for which a matmul is fast
  int64_t workers = threads(), tiles = countTiles(g, tileDim);
  if (workers == 1 || isSmallConv(g, false) || tiles < workers * leastTiles)
    return 1;
  int64_t moved = tiles * tileBytes(g, tileDim) / workers * (workers - 1);
  return filterBytes(g, tileDim) * (workers - 1) <= 6 * moved ? workers : 1;
}

/// Tiles of a block: few enough that their V and products stay in the caches, and more for a larger filter,
/// which each block reads once. The number of blocks is a multiple of `workers`.
int64_t blockTiles(const ConvGeometry &g, int64_t tileDim, int64_t workers) {
  constexpr int64_t least = int64_t(3) << 19, most = int64_t(24) << 20;
  int64_t perBlock = std::clamp(3 * filterBytes(g, tileDim), least, most) / tileBytes(g, tileDim);
  int64_t tiles = countTiles(g, tileDim), blocks = tilesAlong(tiles, std::max<int64_t>(perBlock, 16));
  return tilesAlong(tiles, tilesAlong(blocks, workers) * workers);
}

bool hasForm(const ConvProblem &problem) {
  const ConvGeometry &g = problem.geometry;
  auto all = [](std::span<const int64_t> values, int64_t expected) {
    return std::ranges::all_of(values, [&](int64_t value) { return value == expected; });
  };
  return !whyNotPlanar(problem) && g.groups == 1 && all(g.kernel, 3) && all(g.strides, 1) &&
         all(g.dilations, 1) && g.inputChannels() >= vectorSize && g.outputChannels() >= vectorSize &&
         isDense(g.input, true) && isDense(g.output, true);
}

} // namespace

const char *WinogradConv::whyNot(const ConvProblem &problem) {
  if (!hasForm(problem))
    return "not a 3x3 filter of stride 1 on 16 or more channels, last, in float32";
  if (!RowPostOps::create(problem.attributes.postOps, problem.geometry.output, problem.geometry.operands,
                          problem.inputs))
    return postOpsReason;
  return nullptr;
}

double WinogradConv::nanoseconds(const ConvGeometry &g, int64_t tileDim, bool isConstant,
                                 const CpuFacts &cpu) {
  // An estimate above the others by this is chosen: it is less certain.
  constexpr double fixed = 3000, certainty = 0.85;
  double rate = operationsPerNanosecond(cpu),
         bytesPerNanosecond = static_cast<double>(cpu.memoryBandwidth) * 1e-3;
  auto points = static_cast<double>((tileDim + 2) * (tileDim + 2));
  auto tiles = static_cast<double>(countTiles(g, tileDim));
  double filter = points * static_cast<double>(g.inputChannels() * g.outputChannels());
  double transform =
      isConstant ? 0 : filterNanoseconds * static_cast<double>(g.inputChannels() * g.outputChannels());
  double bytes = filter * sizeof(float) + tiles * static_cast<double>(tileBytes(g, tileDim));
  return (fixed + transform + 2 * filter * tiles / rate + bytes / bytesPerNanosecond) / certainty;
}

std::unique_ptr<WinogradConv> WinogradConv::create(const ConvProblem &problem, int64_t tileDim,
                                                   const float *filter, const PackedCache &filters) {
  const ConvGeometry &geometry = problem.geometry;
  auto postOps =
      RowPostOps::create(problem.attributes.postOps, geometry.output, geometry.operands, problem.inputs);
  std::unique_ptr<WinogradConv> conv(
      new WinogradConv(problem.attributes, geometry, std::move(*postOps), tileDim));
  // With few tiles reading the filter takes longest, which PanelGemm does faster than oneDNN also with
  // AVX-512.
  constexpr int64_t fewTiles = 32;
  bool usesPanels = prefersPanels() || (keepsTilesInRegisters && conv->tileCount <= fewTiles);
  if (filters.isConstant() && usesPanels) {
    conv->pack(filter, filters);
    return conv;
  }
  conv->createGemm();
  if (filters.isConstant()) {
    conv->transformed = filters.get(conv->keyOf("winograd", conv->transformedDesc), [&] {
      auto filled = std::make_shared<PackedTensor>(conv->transformedDesc);
      conv->transform(filter, filled->data());
      return filled;
    });
    for (auto &gemm : conv->gemms)
      gemm->set(1, conv->transformed->data());
  }
  return conv;
}

WinogradConv::WinogradConv(const ConvConfig &attributes, const ConvGeometry &geometry, RowPostOps postOps,
                           int64_t tileDim)
    : geometry(geometry), postOps(std::move(postOps)), transposed(attributes.transposed), tileDim(tileDim),
      tileCount(countTiles(geometry, tileDim)), workers(ownBlocks(geometry, tileDim)),
      blockSize(blockTiles(geometry, tileDim, workers)) {
  if (transposed)
    for (int64_t &before : this->geometry.before)
      before = 2 - before; // of 3 taps the first meets an element last
  int64_t channelsIn = geometry.inputChannels(), channelsOut = geometry.outputChannels();
  transformedDesc =
      memory::desc({points(), channelsIn, channelsOut}, memory::data_type::f32, memory::format_tag::abc);
  auto elements = static_cast<size_t>(points() * blockSize) * sizeof(float);
  inputBytes = elements * static_cast<size_t>(channelsIn);
  outputBytes = elements * static_cast<size_t>(channelsOut);
}

void WinogradConv::transform(const float *filter, void *to) const {
  transformFilter(tileDim, transposed, filter, geometry.inputChannels(), geometry.outputChannels(),
                  static_cast<float *>(to));
}

void WinogradConv::createGemm() {
  constexpr auto type = memory::data_type::f32;
  constexpr auto dense = memory::format_tag::abc;
  memory::desc tiles({points(), blockSize, geometry.inputChannels()}, type, dense),
      products({points(), blockSize, geometry.outputChannels()}, type, dense);
  bool small = workers > 1 || isSmallConv(geometry, false);
  SingleThreadScope scope(small);
  dnnl::matmul::primitive_desc description({tiles, transformedDesc, products}, userScratchpad(),
                                           dnnlEngine());
  dnnl::matmul primitive(description);
  for (int64_t i = 0; i < workers; ++i) {
    auto gemm = std::make_unique<Execution>(primitive, description.scratchpad_desc(), small);
    gemm->add(DNNL_ARG_SRC, tiles);
    gemm->add(DNNL_ARG_WEIGHTS, transformedDesc);
    gemm->add(DNNL_ARG_DST, products);
    gemms.push_back(std::move(gemm));
  }
}

/// The filter of a transposed convolution has other positions.
PackedForms::Key WinogradConv::keyOf(const char *algorithm, const memory::desc &to) const {
  return {std::string(algorithm) + (transposed ? " transposed" : ""), transformedDesc, to};
}

/// U in panels, where oneDNN would not pack it.
void WinogradConv::pack(const float *filter, const PackedCache &filters) {
  layout = {geometry.inputChannels(), geometry.outputChannels()};
  memory::desc desc({points() * layout.panels(), layout.inner, PanelLayout::panelWidth},
                    memory::data_type::f32, memory::format_tag::abc);
  panels = filters.get(keyOf("winograd panels", desc), [&] {
    PackedTensor plain(transformedDesc);
    transform(filter, plain.data());
    auto filled = std::make_shared<PackedTensor>(desc);
    for (int64_t point = 0; point < points(); ++point)
      layout.pack(static_cast<const float *>(plain.data()) + point * layout.inner * layout.columns,
                  layout.columns, 1, static_cast<float *>(filled->data()) + point * layout.size());
    return filled;
  });
}

/// The products of the first `tiles` of a block at all points.
void WinogradConv::multiply(const WinogradBlock &block, int64_t tiles) const {
  double operations = 2.0 * static_cast<double>(tiles * layout.inner * layout.columns);
  parallelFor(points(), grainFor(operations / grainOperations), [&](int64_t begin, int64_t end) {
    for (int64_t point = begin; point < end; ++point)
      PanelGemm{layout,        static_cast<const float *>(panels->data()) + point * layout.size(),
                tiles,         block.tiles + point * block.size * layout.inner,
                layout.inner,  block.products + point * block.size * layout.columns,
                layout.columns}
          .run();
  });
}

/// The memory of the threads of a run, and its tensors.
struct WinogradConv::Run {
  std::byte *memory; ///< one after the other, of `bytes` bytes: of a GEMM, V, the products
  size_t bytes, inputPiece, outputPiece;
  const float *input;
  float *output;
  std::vector<const float *> operands; ///< of the post-ops
};

/// The blocks [first, last), by the memory and the GEMM of one worker.
void WinogradConv::runBlocks(const Run &run, int64_t worker, int64_t first, int64_t last) const {
  std::byte *memory = run.memory + static_cast<size_t>(worker) * run.bytes;
  WinogradBlock block{&geometry, tileDim, 0, blockSize};
  block.tiles = reinterpret_cast<float *>(memory + run.inputPiece);
  block.products = reinterpret_cast<float *>(memory + run.outputPiece);
  block.input = run.input;
  block.output = run.output;
  Execution *gemm = gemms.empty() ? nullptr : gemms[static_cast<size_t>(worker)].get();
  if (gemm) {
    gemm->set(0, block.tiles);
    gemm->set(2, block.products);
  }
  double tileNanoseconds = static_cast<double>(tileBytes(geometry, tileDim)) / tileBytesPerNanosecond;
  int64_t grain = grainFor(tileNanoseconds);
  for (int64_t i = first; i < last; ++i) {
    block.first = i * blockSize;
    int64_t count = std::min(blockSize, tileCount - block.first);
    parallelFor(count, grain, [&](int64_t begin, int64_t end) { transformInput(block, begin, end); });
    if (gemm)
      gemm->run(memory);
    else
      multiply(block, count);
    parallelFor(count, grain, [&](int64_t begin, int64_t end) {
      transformOutput(block, begin, end, postOps, run.operands);
    });
  }
}

void WinogradConv::run(Call &call, float *output) {
  bool changes = !transformed && !panels;
  Run run{};
  ScratchPieces pieces;
  pieces.add(gemms.empty() ? 0 : gemms[0]->scratchBytes());
  run.inputPiece = pieces.add(inputBytes);
  run.outputPiece = pieces.add(outputBytes);
  run.bytes = pieces.bytes();
  size_t allBytes = run.bytes * static_cast<size_t>(workers);
  run.memory = static_cast<std::byte *>(call.scratch(allBytes + (changes ? transformedDesc.get_size() : 0)));
  if (changes) {
    transform(call.input(1).as<float>(), run.memory + allBytes);
    for (auto &gemm : gemms)
      gemm->set(1, run.memory + allBytes);
  }
  run.input = call.input(0).as<float>();
  run.output = output;
  run.operands = postOps.operands(call);
  int64_t blocks = tilesAlong(tileCount, blockSize);
  parallelFor(workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      runBlocks(run, i, blocks * i / workers, blocks * (i + 1) / workers);
  });
}

} // namespace proa::runtime
