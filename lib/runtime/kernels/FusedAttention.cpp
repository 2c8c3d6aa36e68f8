/// The library kernel "fused_attention": attention without a matrix of scores (FlashAttention-2).
/// dialects/pd/ops/nn/FusedAttention.td says what it computes.
#include "lib/runtime/ThreadPool.h"
#include "lib/runtime/kernels/AttentionTile.h"
#include "lib/runtime/kernels/Checks.h"
#include "lib/runtime/kernels/Convert.h"
#include "lib/runtime/kernels/Vectors.h"

#include "dialects/pd/ops/nn/FusedAttention.kernels.inc"

#include <array>
#include <cmath>

namespace proa::runtime {
namespace {

enum Dim : uint8_t { Batch, Head, Row, Element };

/// A tensor [batch, heads, rows, elements] under a permutation of its dims.
struct AttentionTensor {
  DType dtype = DType::Float32;
  std::byte *data = nullptr; ///< null: an operand that is absent
  std::array<int64_t, 4> dims{}, strides{};

  static AttentionTensor of(const View &view, std::span<const int64_t> permutation) {
    AttentionTensor tensor{view.dtype, view.as<std::byte>()};
    for (size_t i = 0; i < 4 && view; ++i) {
      size_t own = permutation.empty() ? i : static_cast<size_t>(permutation[i]);
      tensor.dims[i] = view.dims[own];
      tensor.strides[i] = 1;
      for (size_t inner = own + 1; inner < 4; ++inner)
        tensor.strides[i] *= view.dims[inner];
    }
    return tensor;
  }

  std::byte *at(int64_t batch, int64_t head, int64_t row, int64_t element) const {
    int64_t index =
        batch * strides[Batch] + head * strides[Head] + row * strides[Row] + element * strides[Element];
    return data + index * static_cast<int64_t>(sizeOf(dtype));
  }
  /// Whether rows are adjacent floats.
  bool hasFloatRows() const {
    return dtype == DType::Float32 && (strides[Element] == 1 || dims[Element] == 1);
  }

  /// Elements that begin at `from` as floats.
  void read(const std::byte *from, int64_t count, float *to) const {
    dispatchFloat(dtype, [&](auto zero) {
      auto *elements = reinterpret_cast<const decltype(zero) *>(from);
      if (strides[Element] == 1) // without a multiplication the compiler uses vectors
        for (int64_t i = 0; i < count; ++i)
          to[i] = convertElement<float>(elements[i]);
      else
        for (int64_t i = 0; i < count; ++i)
          to[i] = convertElement<float>(elements[i * strides[Element]]);
    });
  }
  /// Floats of a copy in the order of the dims; 0 where rows are read as they are.
  int64_t sizeOfCopy() const {
    return hasFloatRows() ? 0 : dims[Batch] * dims[Head] * dims[Row] * dims[Element];
  }
  /// Becomes a copy in `memory`, of sizeOfCopy() floats.
  void copyTo(float *memory) {
    if (hasFloatRows())
      return;
    constexpr int64_t grain = 1 << 14; // elements
    int64_t length = dims[Element];
    parallelFor(dims[Batch] * dims[Head] * dims[Row], 1 + grain / std::max<int64_t>(length, 1),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i)
                    read(at(i / dims[Row] / dims[Head], i / dims[Row] % dims[Head], i % dims[Row], 0), length,
                         memory + i * length);
                });
    *this = {DType::Float32,
             reinterpret_cast<std::byte *>(memory),
             dims,
             {dims[Head] * dims[Row] * length, dims[Row] * length, length, 1}};
  }
  void write(const float *from, int64_t count, std::byte *to) const {
    if (hasFloatRows()) {
      std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
      return;
    }
    dispatchFloat(dtype, [&](auto zero) {
      using T = decltype(zero);
      for (int64_t i = 0; i < count; ++i)
        reinterpret_cast<T *>(to)[i * strides[Element]] = convertElement<T>(from[i]);
    });
  }
};

/// One execution of the kernel. The queries of the heads that share a head of keys are columns: column c is
/// query c % M of head c / M of these.
class Attention {
public:
  AttentionTensor q, k, v, mask, out;
  View lengths;
  double scale = 1;
  bool isCausal = false, isWide = hasWideVectors();
  float *maximum = nullptr, *sum = nullptr; ///< results; null: not requested

  /// Error: dims do not fit.
  Result<void> check() {
    bool fits = k.dims[Batch] == q.dims[Batch] && v.dims[Batch] == q.dims[Batch] &&
                k.dims[Head] == v.dims[Head] && k.dims[Head] > 0 && q.dims[Head] % k.dims[Head] == 0 &&
                k.dims[Row] == v.dims[Row] && k.dims[Element] == q.dims[Element];
    const std::array scores{q.dims[Batch], q.dims[Head], q.dims[Row], k.dims[Row]};
    for (size_t i = 0; mask.data && i < 4; ++i) {
      fits = fits && (mask.dims[i] == 1 || mask.dims[i] == scores[i]);
      if (mask.dims[i] == 1)
        mask.strides[i] = 0;
    }
    fits = fits && (!lengths || (lengths.rank() == 1 && lengths.dims[0] == q.dims[Batch]));
    if (fits)
      return {};
    return failure("q is {}, k {}, v {} and the mask {}, which do not fit", describe(q.dtype, q.dims),
                   describe(k.dtype, k.dims), describe(v.dtype, v.dims),
                   mask.data ? describe(mask.dtype, mask.dims) : "absent");
  }

  void run(Call &call) {
    columns = q.dims[Head] / k.dims[Head] * q.dims[Row];
    bool areMany = isWide && columns > AttentionTile::leastQueries;
    tile = {areMany ? AttentionTile::mostQueries : AttentionTile::leastQueries, q.dims[Element],
            v.dims[Element]};
    unitsOfHead = (columns + unitColumns - 1) / unitColumns;
    int64_t units = q.dims[Batch] * k.dims[Head] * unitsOfHead, workers = workersFor(units);
    auto size = static_cast<size_t>(scratchSize());
    auto sizeOfK = static_cast<size_t>(k.sizeOfCopy()), sizeOfV = static_cast<size_t>(v.sizeOfCopy());
    auto *scratch = static_cast<float *>(
        call.scratch((size * static_cast<size_t>(workers) + sizeOfK + sizeOfV) * sizeof(float)));
    k.copyTo(scratch + size * static_cast<size_t>(workers));
    v.copyTo(scratch + size * static_cast<size_t>(workers) + sizeOfK);
    parallelFor(workers, 1, [&](int64_t begin, int64_t end) {
      for (int64_t worker = begin; worker < end; ++worker) {
        Buffers buffers = split(scratch + static_cast<size_t>(worker) * size);
        for (int64_t unit = units * worker / workers; unit < units * (worker + 1) / workers; ++unit)
          runUnit(unit, buffers);
      }
    });
  }

private:
  static constexpr int64_t unitColumns = 64; ///< that read the rows of keys and values together
  static constexpr int64_t mostTiles = unitColumns / AttentionTile::leastQueries;

  AttentionTile tile{};
  int64_t columns = 0, unitsOfHead = 0;

  /// Memory of a tile, and of what all tiles of a unit use.
  struct TileBuffers {
    float *q, *out, *maximum, *sum;
  };
  struct Buffers {
    std::array<TileBuffers, mostTiles> tiles;
    float *scores, *mask, *maskRows, *rows;
  };
  /// Columns of one head of keys.
  struct Tile {
    int64_t batch, head, column, count;
  };

  int64_t tiles() const { return unitColumns / tile.queries; }
  /// Floats of rows with the elements of queries or of results, each padded to whole vectors.
  int64_t sizeOfRows() const {
    int64_t elements = std::max(tile.qElements, tile.vElements);
    return tile.queries * ((elements + vectorSize - 1) / vectorSize * vectorSize);
  }
  int64_t scratchSize() const {
    return tiles() * (tile.sizeOfQ() + tile.sizeOfOut() + 2 * tile.queries) + 3 * tile.sizeOfScores() +
           sizeOfRows() + 16 * vectorSize;
  }

  Buffers split(float *memory) const {
    auto take = [&](int64_t size) {
      float *taken = memory;
      memory += (size + vectorSize - 1) / vectorSize * vectorSize;
      return taken;
    };
    Buffers buffers{};
    for (int64_t i = 0; i < tiles(); ++i)
      buffers.tiles[static_cast<size_t>(i)] = {take(tile.sizeOfQ()), take(tile.sizeOfOut()),
                                               take(tile.queries), take(tile.queries)};
    buffers.scores = take(tile.sizeOfScores());
    buffers.mask = take(tile.sizeOfScores());
    buffers.maskRows = take(tile.sizeOfScores());
    buffers.rows = take(sizeOfRows());
    return buffers;
  }

  int64_t workersFor(int64_t units) const {
    constexpr double operationsPerNanosecond = 80; // one core with AVX2
    double operations = 2.0 * static_cast<double>(units * unitColumns * k.dims[Row]) *
                        static_cast<double>(tile.qElements + tile.vElements);
    auto paying = static_cast<int64_t>(operations / operationsPerNanosecond / minimalForkNanoseconds);
    return std::clamp<int64_t>(std::min<int64_t>(paying, threads()), 1, std::max<int64_t>(units, 1));
  }

  int64_t headOf(const Tile &own, int64_t column) const {
    return own.head * (q.dims[Head] / k.dims[Head]) + column / q.dims[Row];
  }
  int64_t rowOf(int64_t column) const { return column % q.dims[Row]; }
  /// The keys that a query may use are those before this one.
  int64_t endOf(int64_t column) const { return rowOf(column) + k.dims[Row] - q.dims[Row] + 1; }

  int64_t keysOf(int64_t batch) const {
    if (!lengths)
      return k.dims[Row];
    int64_t length =
        lengths.dtype == DType::Int32 ? lengths.as<int32_t>()[batch] : lengths.as<int64_t>()[batch];
    return std::clamp<int64_t>(length, 0, k.dims[Row]);
  }

  /// Units with many and with few keys alternate, so that contiguous ranges of them take equal times.
  int64_t blockOf(int64_t index) const { return index % 2 == 0 ? index / 2 : unitsOfHead - 1 - index / 2; }

  void runUnit(int64_t unit, const Buffers &buffers) const {
    int64_t first = blockOf(unit % unitsOfHead) * unitColumns, head = unit / unitsOfHead % k.dims[Head],
            batch = unit / unitsOfHead / k.dims[Head], count = std::min(unitColumns, columns - first);
    std::array<Tile, mostTiles> parts{};
    size_t used = 0;
    int64_t end = 0;
    for (int64_t begin = 0; begin < count; begin += tile.queries) {
      Tile &own = parts[used] = {batch, head, first + begin, std::min(tile.queries, count - begin)};
      start(own, buffers.tiles[used++], buffers);
      for (int64_t column = own.column; column < own.column + own.count; ++column)
        end = std::max(end, isCausal ? endOf(column) : k.dims[Row]);
    }
    end = std::min(end, keysOf(batch));
    for (int64_t key = 0; key < end; key += AttentionTile::keys) {
      int64_t keys = std::min(AttentionTile::keys, end - key);
      for (size_t i = 0; i < used; ++i)
        add(parts[i], buffers.tiles[i], buffers, key, keys);
    }
    for (size_t i = 0; i < used; ++i)
      finish(parts[i], buffers.tiles[i], buffers);
  }

  void start(const Tile &own, const TileBuffers &memory, const Buffers &buffers) const {
    std::array<const float *, AttentionTile::mostQueries> rows{};
    for (int64_t i = 0; i < own.count; ++i) {
      const std::byte *row = q.at(own.batch, headOf(own, own.column + i), rowOf(own.column + i), 0);
      float *copy = buffers.rows + i * tile.qElements;
      if (!q.hasFloatRows())
        q.read(row, tile.qElements, copy);
      rows[static_cast<size_t>(i)] = q.hasFloatRows() ? reinterpret_cast<const float *>(row) : copy;
    }
    transposeRows(rows.data(), own.count, tile.qElements, memory.q, tile.queries, tile.queries);
    std::fill_n(memory.out, tile.sizeOfOut(), 0.0f);
    std::fill_n(memory.maximum, tile.queries, -INFINITY);
    std::fill_n(memory.sum, tile.queries, 0.0f);
  }

  void add(const Tile &own, const TileBuffers &memory, const Buffers &buffers, int64_t key,
           int64_t keys) const {
    AttentionBlock block{.tile = tile,
                         .keys = keys,
                         .k = reinterpret_cast<const float *>(k.at(own.batch, own.head, key, 0)),
                         .v = reinterpret_cast<const float *>(v.at(own.batch, own.head, key, 0)),
                         .kStride = k.strides[Row],
                         .vStride = v.strides[Row],
                         .scale = scale,
                         .q = memory.q,
                         .mask = nullptr,
                         .maskOfKeys = nullptr,
                         .maskOfKeysStride = 0,
                         .ends = nullptr,
                         .scores = buffers.scores,
                         .out = memory.out,
                         .maximum = memory.maximum,
                         .sum = memory.sum};
    std::array<int32_t, AttentionTile::mostQueries> ends{};
    if (isCausal) {
      int64_t least = keys;
      for (int64_t i = 0; i < tile.queries; ++i) {
        int64_t end = i < own.count ? std::clamp<int64_t>(endOf(own.column + i) - key, 0, keys) : keys;
        ends[static_cast<size_t>(i)] = static_cast<int32_t>(end);
        least = std::min(least, end);
      }
      if (std::ranges::all_of(std::span(ends).first(static_cast<size_t>(own.count)),
                              [](int32_t end) { return end == 0; }))
        return;
      block.ends = least < keys ? ends.data() : nullptr;
    }
    if (mask.data)
      setMask(block, own, buffers, key);
    addAttentionBlock(block, isWide);
  }

  void setMask(AttentionBlock &block, const Tile &own, const Buffers &buffers, int64_t key) const {
    bool isOfKeys = mask.strides[Head] == 0 && mask.strides[Row] == 0,
         areFloats = mask.dtype == DType::Float32;
    if (isOfKeys && areFloats) {
      block.maskOfKeys = reinterpret_cast<const float *>(mask.at(own.batch, 0, 0, key));
      block.maskOfKeysStride = mask.strides[Element];
      return;
    }
    std::array<const float *, AttentionTile::mostQueries> rows{};
    for (int64_t i = 0; i < (isOfKeys ? 1 : own.count); ++i) {
      const std::byte *row = mask.at(own.batch, headOf(own, own.column + i), rowOf(own.column + i), key);
      float *copy = buffers.maskRows + i * block.keys;
      bool isCopied = !areFloats || mask.strides[Element] != 1;
      if (isCopied)
        mask.read(row, block.keys, copy);
      rows[static_cast<size_t>(i)] = isCopied ? copy : reinterpret_cast<const float *>(row);
    }
    if (isOfKeys) {
      block.maskOfKeys = rows[0];
      block.maskOfKeysStride = 1;
      return;
    }
    transposeRows(rows.data(), own.count, block.keys, buffers.mask, tile.queries, tile.queries);
    block.mask = buffers.mask;
  }

  void finish(const Tile &own, const TileBuffers &memory, const Buffers &buffers) const {
    divideAttentionTile(tile, memory.sum, memory.out);
    std::array<const float *, vectorSize> lines{};
    int64_t rowSize = sizeOfRows() / tile.queries;
    for (int64_t first = 0; first < tile.vElements; first += vectorSize) {
      int64_t count = std::min(vectorSize, tile.vElements - first);
      for (int64_t i = 0; i < count; ++i)
        lines[static_cast<size_t>(i)] = memory.out + (first + i) * tile.queries;
      transposeRows(lines.data(), count, tile.queries, buffers.rows + first, vectorSize, rowSize);
    }
    for (int64_t i = 0; i < own.count; ++i) {
      int64_t head = headOf(own, own.column + i), row = rowOf(own.column + i);
      out.write(buffers.rows + i * rowSize, tile.vElements, out.at(own.batch, head, row, 0));
      int64_t query = (own.batch * q.dims[Head] + head) * q.dims[Row] + row;
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
  attention.q = AttentionTensor::of(call.input(0), op.qPermutation);
  attention.k = AttentionTensor::of(call.input(1), op.kPermutation);
  attention.v = AttentionTensor::of(call.input(2), op.vPermutation);
  attention.mask = AttentionTensor::of(call.input(3), {});
  attention.lengths = call.input(4);
  attention.scale = op.scale;
  attention.isCausal = op.causal;
  if (Result<void> fits = attention.check(); !fits)
    return fits;
  const std::array inOrder{attention.q.dims[Batch], attention.q.dims[Head], attention.q.dims[Row],
                           attention.v.dims[Element]};
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
  if (inOrder[Batch] * inOrder[Head] * inOrder[Row] > 0)
    attention.run(call);
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeFusedAttention(const FusedAttentionAttributes &op,
                                                          const KernelRequest &request) {
  Checks checks(request);
  for (size_t operand : {0, 1, 2})
    checks.expectDType(operand, {DType::Float32, DType::Float16, DType::BFloat16});
  checks.expect(request.inputs.size() < 6 || !request.inputs[5].present,
                "the kernel does not compute dropout");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([op](Call &call) { return fusedAttention(call, op); });
}

} // namespace proa::runtime
