#include "passes/lower-gpu/ContractionCost.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace proa {
namespace {

/// Blocks that divide k of a tile among them, and the steps of k that each of them has at least.
constexpr int64_t mostSlices = 16, leastStepsOfSlice = 4;

/// The tile of a block, and the tile of a thread, a warp or a warpgroup.
struct Shape {
  int64_t m, n, k, warpM, warpN;
};

/// A thread of the first one multiplies 8 + 8 elements of shared memory to 64 products, one of the others
/// 4 + 4 to 16.
constexpr Shape fmaShapes[] = {{128, 128, 16, 8, 8}, {64, 64, 16, 4, 4}, {32, 32, 32, 4, 4}};
/// The accumulators of the first one are 128 registers of a thread, of the second 64; the third keeps four
/// warps busy.
constexpr Shape mmaShapes[] = {
    {128, 256, 32, 64, 64}, {128, 128, 32, 64, 32}, {64, 64, 32, 32, 32}, {32, 32, 32, 32, 16}};
/// Accumulators of 64 x n elements in a warpgroup are n / 2 registers of a thread. k is a line of 128 bytes.
constexpr Shape wgmmaShapes[] = {{128, 256, 0, 64, 256}, {128, 192, 0, 64, 192}, {128, 128, 0, 64, 128},
                                 {64, 256, 0, 64, 256},  {64, 128, 0, 64, 128},  {128, 64, 0, 64, 64},
                                 {64, 64, 0, 64, 64}};

ArrayRef<Shape> shapesOf(MatmulKind kind) {
  switch (kind) {
  case MatmulKind::Fma:
    return fmaShapes;
  case MatmulKind::Mma:
    return mmaShapes;
  case MatmulKind::Wgmma:
    return wgmmaShapes;
  }
  return {};
}

/// Products of a multiprocessor for each clock.
double productsPerClock(MatmulKind kind, const ContractionSizes &sizes, const GpuFacts &gpu) {
  // TF32 has half the rate of 16 bits.
  auto rate = [&](int64_t of16Bits, int64_t of8Bits) {
    bool isOf8Bits = sizes.operandBits == 8;
    return static_cast<double>(isOf8Bits ? of8Bits : of16Bits * 16 / sizes.operandBits);
  };
  switch (kind) {
  case MatmulKind::Fma:
    return static_cast<double>(sizes.sumBits > 32 ? gpu.fma64Rate : gpu.fma32Rate);
  case MatmulKind::Mma: // 8-bit floats are multiplied as f16
    return rate(gpu.mmaRate, sizes.isOfFloat8 ? gpu.mmaRate : gpu.mma8Rate);
  case MatmulKind::Wgmma:
    return rate(gpu.wgmmaRate, gpu.wgmma8Rate);
  }
  return 1;
}

/// Clocks in which one stage of k is multiplied.
double clocksOfStage(const ContractionTile &tile, const ContractionSizes &sizes, const GpuFacts &gpu) {
  double products = static_cast<double>(tile.m * tile.n * tile.k) / productsPerClock(tile.kind, sizes, gpu);
  if (tile.kind != MatmulKind::Wgmma)
    return products;
  // Each wgmma reads its rows and all columns from shared memory.
  constexpr int64_t rows = wgmmaInstruction.rows, kBytes = wgmmaInstruction.kBits / 8;
  int64_t steps = tile.k * sizes.operandBits / 8 / kBytes;
  auto bytes = static_cast<double>(tile.m / rows * steps * (rows + tile.n) * kBytes);
  return std::max(products, bytes / static_cast<double>(gpu.sharedBytesPerClock));
}

/// As many stages as fit into the shared memory that a block may have.
int64_t stagesOf(ContractionTile tile, const ContractionSizes &sizes, int64_t sharedBytes) {
  constexpr int64_t fewest = 2, most = 4;
  for (tile.stages = most; tile.stages > fewest && tile.sharedBytes(sizes) > sharedBytes;)
    --tile.stages;
  return tile.stages;
}

} // namespace

int64_t ContractionTile::threads() const {
  int64_t threadsOfWarpTile = kind == MatmulKind::Fma ? 1 : kind == MatmulKind::Mma ? 32 : 128;
  return m / warpM * (n / warpN) * threadsOfWarpTile;
}

int64_t ContractionTile::sharedBytes(const ContractionSizes &sizes) const {
  constexpr int64_t pad = 8;
  int64_t bytes = sizes.operandBits / 8;
  if (kind == MatmulKind::Wgmma)
    return stages * (m + n) * k * bytes + m * (std::min<int64_t>(n, 64) + pad) * sizes.sumBits / 8 + 64;
  int64_t padOfLine = std::max<int64_t>(pad, 128 / sizes.operandBits); // 16 bytes for ldmatrix
  return stages * (m + n) * (k + padOfLine) * bytes;
}

SmallVector<ContractionTile> tilesOf(MatmulKind kind, const ContractionSizes &sizes, const GpuFacts &gpu) {
  SmallVector<ContractionTile> tiles;
  for (const Shape &shape : shapesOf(kind)) {
    ContractionTile tile{kind, shape.m, shape.n, shape.k, shape.warpM, shape.warpN};
    // Twice the registers: 64-bit numbers take the tiles from the second one on.
    if (kind == MatmulKind::Fma && sizes.sumBits > 32 && shape.warpM * shape.warpN > 16)
      continue;
    // Sums of a stage need as many registers again (WgmmaMatmul::losesBits).
    constexpr int64_t mostColumnsOfFloat8 = 128;
    if (kind == MatmulKind::Wgmma && sizes.isOfFloat8 && shape.n > mostColumnsOfFloat8)
      continue;
    // The place of the rows needs the last registers that the accumulators of 128 x 256 elements leave.
    if (kind == MatmulKind::Wgmma && sizes.findsRows && shape.m * shape.n > 128 * 192)
      continue;
    if (kind == MatmulKind::Wgmma) {
      tile.k = 128 * 8 / sizes.operandBits;
      // Two small blocks: one stores its results while the other multiplies.
      tile.residentBlocks = tile.m * tile.n <= 128 * 128 ? 2 : 1;
    }
    // As many bytes of k as for 16-bit elements.
    if (kind == MatmulKind::Mma && sizes.operandBits < 16)
      tile.k = tile.k * 16 / sizes.operandBits;
    int64_t blocks = std::max<int64_t>(tile.residentBlocks, kind == MatmulKind::Mma ? 2 : 1);
    if (kind != MatmulKind::Fma)
      tile.stages = stagesOf(tile, sizes, gpu.sharedBytesOf(blocks));
    if (tile.sharedBytes(sizes) > gpu.sharedBytes)
      continue;
    tiles.push_back(tile);
    if (kind != MatmulKind::Wgmma || !sizes.canShareSums)
      continue;
    for (tile.splitK = 2; tile.splitK <= mostSlices; ++tile.splitK)
      if (sizes.k >= tile.splitK * leastStepsOfSlice * tile.k)
        tiles.push_back(tile);
  }
  return tiles;
}

double clocksOf(const ContractionTile &tile, const ContractionSizes &sizes, const GpuFacts &gpu) {
  auto count = [](int64_t size, int64_t of) { return static_cast<double>(llvm::divideCeil(size, of)); };
  double tiles =
      count(sizes.m, tile.m) * count(sizes.n, tile.n) * static_cast<double>(sizes.batch * tile.splitK);
  double bytes = static_cast<double>((tile.m + tile.n) * tile.k * sizes.operandBits / 8);
  auto cacheBytes = static_cast<double>(gpu.l2BytesPerClock),
       startClocks = static_cast<double>(gpu.tileStartClocks);
  double ofStage = std::max(clocksOfStage(tile, sizes, gpu), bytes / cacheBytes);
  double ofTile = count(sizes.k, tile.k * tile.splitK) * ofStage + startClocks;
  double clocks = std::ceil(tiles / static_cast<double>(gpu.multiprocessors)) * ofTile;
  if (tile.splitK == 1)
    return clocks;
  auto sums = static_cast<double>(tile.splitK * tile.m * tile.n * sizes.sumBits / 8);
  return clocks + sums / cacheBytes + startClocks;
}

} // namespace proa
