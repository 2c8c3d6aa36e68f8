/// The library kernel "fused_attention": attention without a matrix of scores (FlashAttention-2).
/// dialects/pd/ops/attention/FusedAttention.td says what it computes.
#include "lib/runtime/kernels/attention/AttentionOperands.h"

#include "dialects/pd/ops/attention/FusedAttention.kernels.inc"

#include <cstring>
#include <tuple>

namespace proa::runtime {
namespace {

/// One execution of the kernel.
class Attention : public AttentionOperands {
public:
  AttentionTensor out;
  float *maximum = nullptr, *sum = nullptr; ///< results; null: not requested

  void run(Call &call) {
    int64_t units = q.dims[BatchDim] * k.dims[HeadDim] * unitsOfHead,
            workers = workersFor(units, static_cast<double>(units * unitColumns * k.dims[RowDim]),
                                 tile.qElements + tile.vElements);
    auto size = static_cast<size_t>(scratchSize());
    auto sizeOfK = static_cast<size_t>(k.sizeOfCopy()), sizeOfV = static_cast<size_t>(v.sizeOfCopy());
    auto *scratch = static_cast<float *>(
        call.scratch((size * static_cast<size_t>(workers) + sizeOfK + sizeOfV) * sizeof(float)));
    k.copyTo(scratch + size * static_cast<size_t>(workers));
    v.copyTo(scratch + size * static_cast<size_t>(workers) + sizeOfK);
    parallelFor(workers, 1, [&](int64_t begin, int64_t end) {
      for (int64_t worker = begin; worker < end; ++worker) {
        Buffers buffers = split(scratch + static_cast<size_t>(worker) * size);
        int64_t first = units * worker / workers;
        for (int64_t unit = first; unit < units * (worker + 1) / workers; ++unit) {
          if (unit == first || unit % unitsOfHead == 0)
            copyHead(unit / unitsOfHead, buffers);
          runUnit(unit, buffers);
        }
      }
    });
  }

private:
  /// Memory of a tile, and of what all tiles of a unit use.
  struct TileBuffers {
    float *q, *out, *maximum, *sum;
  };
  struct Buffers {
    std::array<TileBuffers, mostTiles> tiles;
    AttentionScoreMemory scores;
    float *rows;
    float *k, *v; ///< for the rows of a head
  };

  /// Floats of rows with the elements of queries or of results, each padded to whole vectors.
  int64_t sizeOfRows() const {
    return tile.queries * AttentionMemory::wholeVectors(std::max(tile.qElements, tile.vElements));
  }
  /// Floats of a copy of a head of keys or values, whose rows are not adjacent to each other: such rows share
  /// few sets of the caches. 0: they are read in place, since few queries read them.
  int64_t sizeOfHead(const AttentionTensor &rows) const {
    constexpr int64_t leastColumns = 256;
    bool isCopied =
        rows.hasFloatRows() && rows.strides[RowDim] != rows.dims[ElementDim] && columns >= leastColumns;
    return isCopied ? rows.dims[RowDim] * rows.dims[ElementDim] : 0;
  }
  int64_t scratchSize() const {
    return tiles() * (tile.sizeOfQ() + tile.sizeOfOut() + 2 * tile.queries) + sizeOfScoreMemory() +
           sizeOfRows() + AttentionMemory::wholeVectors(sizeOfHead(k)) +
           AttentionMemory::wholeVectors(sizeOfHead(v));
  }

  Buffers split(float *scratch) const {
    AttentionMemory memory(scratch);
    Buffers buffers{};
    for (int64_t i = 0; i < tiles(); ++i)
      buffers.tiles[static_cast<size_t>(i)] = {memory.take(tile.sizeOfQ()), memory.take(tile.sizeOfOut()),
                                               memory.take(tile.queries), memory.take(tile.queries)};
    buffers.scores = scoreMemory(memory);
    buffers.rows = memory.take(sizeOfRows());
    buffers.k = memory.take(sizeOfHead(k));
    buffers.v = memory.take(sizeOfHead(v));
    return buffers;
  }

  void copyHead(int64_t index, Buffers &buffers) const {
    for (auto [rows, memory, copy] :
         {std::tuple(&k, buffers.k, &buffers.scores.k), std::tuple(&v, buffers.v, &buffers.scores.v)}) {
      if (sizeOfHead(*rows) == 0)
        continue;
      int64_t length = rows->dims[ElementDim];
      for (int64_t row = 0; row < rows->dims[RowDim]; ++row)
        std::memcpy(memory + row * length, rows->at(index / k.dims[HeadDim], index % k.dims[HeadDim], row, 0),
                    static_cast<size_t>(length) * sizeof(float));
      *copy = memory;
    }
  }

  void runUnit(int64_t unit, Buffers &buffers) const {
    int64_t first = blockOf(unit % unitsOfHead) * unitColumns, head = unit / unitsOfHead % k.dims[HeadDim],
            batch = unit / unitsOfHead / k.dims[HeadDim], count = std::min(unitColumns, columns - first);
    std::array<AttentionColumns, mostTiles> blocks{};
    size_t used = 0;
    for (int64_t begin = 0; begin < count; begin += tile.queries) {
      AttentionColumns &own =
          blocks[used] = {batch, head, first + begin, std::min(tile.queries, count - begin)};
      start(own, buffers.tiles[used++], buffers);
    }
    auto [begin, end] = keysOf(AttentionColumns{batch, head, first, count});
    std::array<float, mostTiles> postponed{}; // the greatest score of blocks that the mask alone gives
    postponed.fill(NAN);
    for (int64_t key = begin; key < end; key += AttentionTile::keys)
      for (size_t i = 0; i < used; ++i) {
        float masked = add(blocks[i], buffers.tiles[i], buffers, key, end, /*isMasked=*/false);
        postponed[i] = std::fmax(postponed[i], masked);
      }
    for (size_t i = 0; i < used; ++i) {
      // Most rows have other keys, beside which those have no weight.
      bool isComplete =
          std::isnan(postponed[i]) || lacksWeights(postponed[i], buffers.tiles[i].maximum, blocks[i].count);
      for (int64_t key = begin; key < end && !isComplete; key += AttentionTile::keys)
        add(blocks[i], buffers.tiles[i], buffers, key, end, /*isMasked=*/true);
      finish(blocks[i], buffers.tiles[i], buffers);
    }
  }

  void start(const AttentionColumns &own, const TileBuffers &memory, const Buffers &buffers) const {
    std::array<const float *, AttentionTile::mostQueries> rows{};
    rowsOf(q, own, buffers.rows, tile.qElements, rows.data());
    transposeRows(rows.data(), own.count, tile.qElements, memory.q, tile.queries, tile.queries);
    std::fill_n(memory.out, tile.sizeOfOut(), 0.0f);
    std::fill_n(memory.maximum, tile.queries, -INFINITY);
    std::fill_n(memory.sum, tile.queries, 0.0f);
  }

  /// Adds the block of keys from `key`, if whether the mask alone gives its scores is `isMasked`. Returns
  /// their greatest; NaN if it does not.
  float add(const AttentionColumns &own, const TileBuffers &memory, Buffers &buffers, int64_t key,
            int64_t end, bool isMasked) const {
    int64_t keys = std::min(AttentionTile::keys, end - key);
    std::optional<AttentionBlock> block = blockAt(own, key, keys, buffers.scores);
    if (!block)
      return NAN;
    if (std::isnan(block->highestMasked) == isMasked)
      return block->highestMasked;
    setKept(*block, own, buffers.scores, key);
    block->q = memory.q;
    block->out = memory.out;
    block->maximum = memory.maximum;
    block->sum = memory.sum;
    addAttentionBlock(*block, isWide);
    return block->highestMasked;
  }

  void finish(const AttentionColumns &own, const TileBuffers &memory, const Buffers &buffers) const {
    divideAttentionTile(tile, memory.sum, memory.out);
    int64_t rowSize = sizeOfRows() / tile.queries;
    transposeTile(memory.out, tile.vElements, tile.queries, buffers.rows, rowSize);
    for (int64_t i = 0; i < own.count; ++i) {
      int64_t column = own.column + i, query = queryOf(own, column);
      out.write(buffers.rows + i * rowSize, tile.vElements,
                out.at(own.batch, headOf(own, column), rowOf(column), 0));
      float most = memory.maximum[i], total = memory.sum[i];
      if (maximum)
        maximum[query] = std::isnan(total) && most < INFINITY ? total : most;
      if (sum) // of exponentials of the difference of two infinities
        sum[query] = most == -INFINITY ? NAN : total;
    }
  }
};

Result<void> fusedAttention(Call &call, const FusedAttentionAttributes &op) {
  Attention attention;
  if (Result<void> fits = attention.read(call, op, 3); !fits)
    return fits;
  const std::array inOrder = attention.outDims();
  std::array<int64_t, 4> dims = inOrder;
  for (size_t i = 0; i < op.outPermutation.size(); ++i)
    dims[static_cast<size_t>(op.outPermutation[i])] = inOrder[i];
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  attention.out = AttentionTensor::of(*out, op.outPermutation);
  for (auto [output, to] : {std::pair(1, &attention.maximum), std::pair(2, &attention.sum)}) {
    if (!call.hasOutput(static_cast<size_t>(output)))
      continue;
    Result<View> statistic = call.output(static_cast<size_t>(output), std::span(inOrder).first(3));
    if (!statistic)
      return statistic.diagnostics();
    *to = statistic->as<float>();
  }
  if (inOrder[BatchDim] * inOrder[HeadDim] * inOrder[RowDim] > 0)
    attention.run(call);
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeFusedAttention(const FusedAttentionAttributes &op,
                                                          const KernelRequest &request) {
  Checks checks(request);
  for (size_t operand : {0, 1, 2})
    checks.expectDType(operand, {DType::Float32, DType::Float16, DType::BFloat16});
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([op](Call &call) { return fusedAttention(call, op); });
}

} // namespace proa::runtime
