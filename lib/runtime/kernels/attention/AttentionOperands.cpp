#include "lib/runtime/kernels/attention/AttentionOperands.h"

namespace proa::runtime {

//===-- Dropout -----------------------------------------------------------------------------------------===//

Result<AttentionDropout> AttentionDropout::create(const View &call, const View &begin, double p,
                                                  bool isScaled, const std::vector<int64_t> &whole) {
  AttentionDropout dropout;
  if (!call)
    return dropout;
  Result<std::vector<int64_t>> words = integersOf(call);
  if (!words)
    return words.diagnostics();
  if (words->size() != 2)
    return failure("expected the two words of an execution of a random op, found {} numbers", words->size());
  dropout.isPresent = true;
  dropout.call = {static_cast<uint64_t>(words->front()), static_cast<uint64_t>(words->back())};
  dropout.p = static_cast<float>(p);
  dropout.factor = isScaled && dropout.p < 1 ? 1 / (1 - dropout.p) : 1;
  dropout.begin = begin;
  dropout.whole = whole;
  return dropout;
}

Result<void> AttentionDropout::place(std::span<const int64_t> weights) {
  Result<WholeIndex> found = WholeIndex::create(weights, whole, begin);
  if (!found)
    return found.diagnostics();
  index = *found;
  return {};
}

//===-- Division in tiles -------------------------------------------------------------------------------===//

Result<void> AttentionOperands::divide() {
  bool fits = k.dims[BatchDim] == q.dims[BatchDim] && v.dims[BatchDim] == q.dims[BatchDim] &&
              k.dims[HeadDim] == v.dims[HeadDim] && k.dims[HeadDim] > 0 &&
              q.dims[HeadDim] % k.dims[HeadDim] == 0 && k.dims[RowDim] == v.dims[RowDim] &&
              k.dims[ElementDim] == q.dims[ElementDim];
  const std::array scores = scoreDims();
  for (AttentionTensor *own : {&mask, &keyMask})
    for (size_t i = 0; own->data && i < 4; ++i) {
      fits = fits && (own->dims[i] == 1 || own->dims[i] == scores[i]);
      if (own->dims[i] == 1)
        own->strides[i] = 0;
    }
  fits = fits && (!keyMask.data || (keyMask.dims[HeadDim] == 1 && keyMask.dims[RowDim] == 1));
  fits = fits && (!lengths || (lengths.rank() == 1 && lengths.dims[0] == q.dims[BatchDim]));
  if (!fits)
    return failure("q is {}, k {}, v {}, the mask {} and the mask of keys {}, which do not fit",
                   describe(q.dtype, q.dims), describe(k.dtype, k.dims), describe(v.dtype, v.dims),
                   mask.data ? describe(mask.dtype, mask.dims) : "absent",
                   keyMask.data ? describe(keyMask.dtype, keyMask.dims) : "absent");
  bool isOfKeys = mask.dims[HeadDim] == 1 && mask.dims[RowDim] == 1;
  if (isOfKeys && !keyMask.data) // read once for a block of keys, not for each query
    std::swap(mask, keyMask);
  columns = groupSize() * q.dims[RowDim];
  bool areMany = isWide && columns > AttentionTile::leastQueries;
  tile = {areMany ? AttentionTile::mostQueries : AttentionTile::leastQueries, q.dims[ElementDim],
          v.dims[ElementDim]};
  unitsOfHead = (columns + unitColumns - 1) / unitColumns;
  return dropout.place(scores);
}

int64_t AttentionOperands::workersFor(int64_t jobs, double pairs, int64_t elements) const {
  constexpr double operationsPerNanosecond = 80; // one core with AVX2
  double nanoseconds = 2.0 * pairs * static_cast<double>(elements) / operationsPerNanosecond;
  return runtime::workersFor(nanoseconds, jobs);
}

int64_t AttentionOperands::keysOf(int64_t batch) const {
  if (!lengths)
    return k.dims[RowDim];
  int64_t length =
      lengths.dtype == DType::Int32 ? lengths.as<int32_t>()[batch] : lengths.as<int64_t>()[batch];
  return std::clamp<int64_t>(length, 0, k.dims[RowDim]);
}

AttentionOperands::Keys AttentionOperands::keysOf(const AttentionColumns &own) const {
  Keys used{k.dims[RowDim], 0};
  for (int64_t column = own.column; column < own.column + own.count; ++column) {
    used.begin = std::min(used.begin, beginOf(column));
    used.end = std::max(used.end, endOf(column));
  }
  used.begin = std::max<int64_t>(used.begin, 0) / AttentionTile::keys * AttentionTile::keys;
  used.end = std::min(used.end, keysOf(own.batch));
  return used;
}

//===-- Blocks of keys ----------------------------------------------------------------------------------===//

AttentionScoreMemory AttentionOperands::scoreMemory(AttentionMemory &memory) const {
  AttentionScoreMemory result{};
  result.scores = memory.take(tile.sizeOfScores());
  result.mask = memory.take(tile.sizeOfScores());
  result.rows = memory.take(tile.sizeOfScores());
  result.keyMask = keyMask.data ? memory.take(AttentionTile::keys) : nullptr;
  result.kept = dropout.isPresent ? memory.take(tile.sizeOfScores()) : nullptr;
  result.slopes = softCap != 0 ? memory.take(tile.sizeOfScores()) : nullptr;
  return result;
}

void AttentionOperands::rowsOf(const AttentionTensor &tensor, const AttentionColumns &own, float *memory,
                               int64_t stride, const float **rows) const {
  for (int64_t i = 0; i < own.count; ++i) {
    const std::byte *row = tensor.at(own.batch, headOf(own, own.column + i), rowOf(own.column + i), 0);
    if (tensor.hasFloatRows()) {
      rows[i] = reinterpret_cast<const float *>(row);
      continue;
    }
    tensor.read(row, tensor.dims[ElementDim], memory + i * stride);
    rows[i] = memory + i * stride;
  }
}

std::optional<AttentionBlock> AttentionOperands::blockAt(const AttentionColumns &own, int64_t key,
                                                         int64_t keys, AttentionScoreMemory &memory,
                                                         bool skips) const {
  AttentionBlock block{.tile = tile,
                       .keys = keys,
                       .k = reinterpret_cast<const float *>(k.at(own.batch, own.head, key, 0)),
                       .v = reinterpret_cast<const float *>(v.at(own.batch, own.head, key, 0)),
                       .kStride = k.strides[RowDim],
                       .vStride = v.strides[RowDim],
                       .scale = scale,
                       .softCap = softCap,
                       .q = nullptr,
                       .mask = nullptr,
                       .maskOfKeys = nullptr,
                       .condition = nullptr,
                       .conditionOfKeys = nullptr,
                       .fill = maskFill,
                       .highestMasked = NAN,
                       .begins = nullptr,
                       .ends = nullptr,
                       .kept = nullptr,
                       .slopes = nullptr,
                       .scores = memory.scores,
                       .out = nullptr,
                       .maximum = nullptr,
                       .sum = nullptr};
  if (memory.k) {
    block.k = memory.k + key * tile.qElements;
    block.kStride = tile.qElements;
  }
  if (memory.v) {
    block.v = memory.v + key * tile.vElements;
    block.vStride = tile.vElements;
  }
  bool isUsed = setWindow(block, own, memory, key);
  if (!isUsed && skips)
    return std::nullopt;
  if (mask.data)
    setMask(block, own, memory, key);
  if (keyMask.data)
    setKeyMask(block, own, memory, key);
  return block;
}

bool AttentionOperands::setWindow(AttentionBlock &block, const AttentionColumns &own,
                                  AttentionScoreMemory &memory, int64_t key) const {
  if (left < 0 && right < 0)
    return true;
  bool isUsed = false, hasBegins = false, hasEnds = false;
  for (int64_t i = 0; i < tile.queries; ++i) { // columns that do not exist use all
    int64_t begin = i < own.count ? std::clamp<int64_t>(beginOf(own.column + i) - key, 0, block.keys) : 0,
            end =
                i < own.count ? std::clamp<int64_t>(endOf(own.column + i) - key, 0, block.keys) : block.keys;
    memory.begins[static_cast<size_t>(i)] = static_cast<int32_t>(begin);
    memory.ends[static_cast<size_t>(i)] = static_cast<int32_t>(end);
    isUsed |= i < own.count && begin < end;
    hasBegins |= begin > 0;
    hasEnds |= end < block.keys;
  }
  block.begins = hasBegins ? memory.begins.data() : nullptr;
  block.ends = hasEnds ? memory.ends.data() : nullptr;
  return isUsed;
}

/// Adding a score to a number of at most this one gives the number again.
static constexpr float greatestMask = -1e30f;

/// Numbers of a mask: where they are, or a copy of others than adjacent floats.
static const float *readNumbers(const AttentionTensor &mask, const std::byte *from, int64_t count,
                                float *copy) {
  if (mask.dtype == DType::Float32 && mask.strides[ElementDim] == 1)
    return reinterpret_cast<const float *>(from);
  mask.read(from, count, copy);
  return copy;
}

void AttentionOperands::setMask(AttentionBlock &block, const AttentionColumns &own,
                                AttentionScoreMemory &memory, int64_t key) const {
  std::array<const float *, AttentionTile::mostQueries> rows{};
  for (int64_t i = 0; i < own.count; ++i) {
    const std::byte *row = mask.at(own.batch, headOf(own, own.column + i), rowOf(own.column + i), key);
    rows[static_cast<size_t>(i)] = readNumbers(mask, row, block.keys, memory.rows + i * block.keys);
  }
  std::fill(rows.begin() + own.count, rows.begin() + tile.queries, rows[0]); // columns that do not exist
  transposeRows(rows.data(), tile.queries, block.keys, memory.mask, tile.queries, tile.queries);
  bool isCondition = mask.dtype == DType::Bool;
  (isCondition ? block.condition : block.mask) = memory.mask;
  float limit = isCondition ? 0 : greatestMask,
        highest = highestUpTo(limit, memory.mask, block.keys * tile.queries);
  block.highestMasked = isCondition && !std::isnan(highest) ? static_cast<float>(maskFill) : highest;
}

void AttentionOperands::setKeyMask(AttentionBlock &block, const AttentionColumns &own,
                                   AttentionScoreMemory &memory, int64_t key) const {
  std::span<const float> numbers(
      readNumbers(keyMask, keyMask.at(own.batch, 0, 0, key), block.keys, memory.keyMask),
      static_cast<size_t>(block.keys));
  if (keyMask.dtype == DType::Bool) {
    block.conditionOfKeys = numbers.data();
    int64_t filled = std::ranges::count(numbers, 0.0f);
    auto fill = static_cast<float>(maskFill);
    if (filled == block.keys)
      block.highestMasked = fill;
    else if (filled > 0 && !std::isnan(block.highestMasked))
      block.highestMasked = std::max(block.highestMasked, fill);
    return;
  }
  block.maskOfKeys = numbers.data();
  if (block.condition)
    return;
  constexpr float most = -greatestMask / 1e7f; // smaller numbers do not change one below greatestMask
  auto areSmall = [](std::span<const float> values) {
    return std::ranges::all_of(values, [](float value) { return value < most; });
  };
  if (!std::isnan(block.highestMasked)) // by the other mask
    block.highestMasked = areSmall(numbers) ? block.highestMasked : NAN;
  else if (std::ranges::all_of(numbers, [](float value) { return value <= greatestMask; }) &&
           (!block.mask || areSmall({block.mask, static_cast<size_t>(block.keys * tile.queries)})))
    block.highestMasked = *std::ranges::max_element(numbers);
}

bool AttentionOperands::lacksWeights(float highest, const float *maximum, int64_t count) {
  constexpr float least = 88; // exp(-88) is below the numbers that weights may be
  return std::all_of(maximum, maximum + count, [&](float most) { return most - highest > least; });
}

void AttentionOperands::setKept(AttentionBlock &block, const AttentionColumns &own,
                                AttentionScoreMemory &memory, int64_t key) const {
  if (!dropout.isPresent)
    return;
  std::array<const float *, AttentionTile::mostQueries> rows{};
  for (int64_t i = 0; i < own.count; ++i) {
    float *row = memory.rows + i * block.keys;
    int64_t first = dropout.index(queryOf(own, own.column + i) * k.dims[RowDim]) + key;
    keepAtRandom(dropout.call, static_cast<uint64_t>(first), block.keys, dropout.p, dropout.factor, row);
    rows[static_cast<size_t>(i)] = row;
  }
  transposeRows(rows.data(), own.count, block.keys, memory.kept, tile.queries, tile.queries);
  block.kept = memory.kept;
}

} // namespace proa::runtime
