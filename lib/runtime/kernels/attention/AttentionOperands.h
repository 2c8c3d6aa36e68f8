/// The operands of attention and of its gradients, and how the kernels of the CPU divide them in tiles.
/// dialects/pd/ops/attention/FusedAttention.td says what the operands are.
#pragma once

#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/Random.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/attention/AttentionTile.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/Vectors.h"
#include "lib/runtime/kernels/random/WholeIndex.h"

#include "dialects/pd/ir/Enums.kernels.inc"

#include <array>
#include <cmath>

namespace proa::runtime {

/// The dims of the tensors, in order.
enum AttentionDim : uint8_t { BatchDim, HeadDim, RowDim, ElementDim };

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
    int64_t index = batch * strides[BatchDim] + head * strides[HeadDim] + row * strides[RowDim] +
                    element * strides[ElementDim];
    return data + index * static_cast<int64_t>(sizeOf(dtype));
  }
  /// Whether rows are adjacent floats.
  bool hasFloatRows() const {
    return dtype == DType::Float32 && (strides[ElementDim] == 1 || dims[ElementDim] == 1);
  }

  /// Elements that begin at `from` as floats; 1 for true.
  void read(const std::byte *from, int64_t count, float *to) const {
    if (dtype == DType::Bool) {
      for (int64_t i = 0; i < count; ++i)
        to[i] = static_cast<float>(reinterpret_cast<const uint8_t *>(from)[i * strides[ElementDim]] != 0);
      return;
    }
    dispatchFloat(dtype, [&](auto zero) {
      auto *elements = reinterpret_cast<const decltype(zero) *>(from);
      if (strides[ElementDim] == 1) // without a multiplication the compiler uses vectors
        for (int64_t i = 0; i < count; ++i)
          to[i] = convertElement<float>(elements[i]);
      else
        for (int64_t i = 0; i < count; ++i)
          to[i] = convertElement<float>(elements[i * strides[ElementDim]]);
    });
  }
  /// Floats of a copy in the order of the dims; 0 where rows are read as they are.
  int64_t sizeOfCopy() const {
    return hasFloatRows() ? 0 : dims[BatchDim] * dims[HeadDim] * dims[RowDim] * dims[ElementDim];
  }
  /// Becomes a copy in `memory`, of sizeOfCopy() floats.
  void copyTo(float *memory) {
    if (hasFloatRows())
      return;
    constexpr int64_t grain = 1 << 14; // elements
    int64_t length = dims[ElementDim];
    parallelFor(
        dims[BatchDim] * dims[HeadDim] * dims[RowDim], 1 + grain / std::max<int64_t>(length, 1),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            read(at(i / dims[RowDim] / dims[HeadDim], i / dims[RowDim] % dims[HeadDim], i % dims[RowDim], 0),
                 length, memory + i * length);
        });
    *this = {DType::Float32,
             reinterpret_cast<std::byte *>(memory),
             dims,
             {dims[HeadDim] * dims[RowDim] * length, dims[RowDim] * length, length, 1}};
  }
  void write(const float *from, int64_t count, std::byte *to) const {
    if (hasFloatRows()) {
      std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
      return;
    }
    dispatchFloat(dtype, [&](auto zero) {
      using T = decltype(zero);
      for (int64_t i = 0; i < count; ++i)
        reinterpret_cast<T *>(to)[i * strides[ElementDim]] = convertElement<T>(from[i]);
    });
  }
};

/// Which weights are dropped; none without `isPresent`.
struct AttentionDropout {
  bool isPresent = false;
  RandomCall call;
  float p = 0, factor = 1; ///< the probability, and the factor of weights that are kept
  WholeIndex index;        ///< of weights [batch, head, query, key] in the program's weights

  template <class Op> static Result<AttentionDropout> of(Call &call, size_t input, const Op &op) {
    return create(call.input(input), call.input(input + 1), op.dropoutP,
                  op.dropoutMode == DropoutMode::UpscaleInTrain, op.wholeShape);
  }
  /// Sets where the weights of these dims are. Error: they are not in the program's weights.
  Result<void> place(std::span<const int64_t> weights);

private:
  static Result<AttentionDropout> create(const View &call, const View &begin, double p, bool isScaled,
                                         const std::vector<int64_t> &whole);
  View begin;
  std::vector<int64_t> whole;
};

/// Columns of one head of keys: at most AttentionTile::queries.
struct AttentionColumns {
  int64_t batch, head, column, count;
};

/// Memory for the scores of a tile and for what restricts them.
struct AttentionScoreMemory {
  float *scores, *mask, *keyMask, *kept, *slopes, *rows;
  std::array<int32_t, AttentionTile::mostQueries> begins{}, ends{};
  const float *k = nullptr, *v = nullptr; ///< copies of the rows of a head of keys; null: read in place
};

/// Hands out ranges of memory, each of whole vectors.
class AttentionMemory {
public:
  explicit AttentionMemory(float *memory) : next(memory) {}
  float *take(int64_t size) {
    float *taken = next;
    next += wholeVectors(size);
    return taken;
  }
  static int64_t wholeVectors(int64_t size) { return (size + vectorSize - 1) / vectorSize * vectorSize; }

private:
  float *next;
};

/// The operands that attention and its gradients have in common. The queries of the heads that share a head
/// of keys are columns: column c is query c % M of head c / M of these.
class AttentionOperands {
public:
  AttentionTensor q, k, v, mask, keyMask;
  View lengths;
  double scale = 1, maskFill = 0, softCap = 0;
  int64_t left = -1, right = -1; ///< keys before and after its position that a query uses; negative: all
  AttentionDropout dropout;

  /// The operands of an op; `settings` is the index of its mask. Error: dims do not fit.
  template <class Op> Result<void> read(Call &call, const Op &op, size_t settings) {
    q = AttentionTensor::of(call.input(0), op.qPermutation);
    k = AttentionTensor::of(call.input(1), op.kPermutation);
    v = AttentionTensor::of(call.input(2), op.vPermutation);
    mask = AttentionTensor::of(call.input(settings), {});
    lengths = call.input(settings + 1);
    keyMask = AttentionTensor::of(call.input(settings + 4), {});
    scale = op.scale;
    maskFill = op.maskFill;
    softCap = op.softCap;
    left = op.leftWindow;
    right = op.causal ? 0 : op.rightWindow;
    Result<AttentionDropout> dropped = AttentionDropout::of(call, settings + 2, op);
    if (!dropped)
      return dropped.diagnostics();
    dropout = std::move(*dropped);
    return divide();
  }

  /// The dims of the scores.
  std::array<int64_t, 4> scoreDims() const {
    return {q.dims[BatchDim], q.dims[HeadDim], q.dims[RowDim], k.dims[RowDim]};
  }
  /// The dims of the result.
  std::array<int64_t, 4> outDims() const {
    return {q.dims[BatchDim], q.dims[HeadDim], q.dims[RowDim], v.dims[ElementDim]};
  }
  /// Query heads of each head of keys.
  int64_t groupSize() const { return q.dims[HeadDim] / k.dims[HeadDim]; }

  int64_t headOf(const AttentionColumns &own, int64_t column) const {
    return own.head * groupSize() + column / q.dims[RowDim];
  }
  int64_t rowOf(int64_t column) const { return column % q.dims[RowDim]; }
  /// The index of a query in the statistics [batch, head, query].
  int64_t queryOf(const AttentionColumns &own, int64_t column) const {
    return (own.batch * q.dims[HeadDim] + headOf(own, column)) * q.dims[RowDim] + rowOf(column);
  }
  /// The keys that some of the columns may use, in whole blocks from the first one on.
  struct Keys {
    int64_t begin, end;
  };
  Keys keysOf(const AttentionColumns &own) const;

protected:
  static constexpr int64_t unitColumns = 64; ///< that read the rows of keys and values together
  static constexpr int64_t mostTiles = unitColumns / AttentionTile::leastQueries;

  bool isWide = hasWideVectors();
  AttentionTile tile{};
  int64_t columns = 0, unitsOfHead = 0;

  int64_t tiles() const { return unitColumns / tile.queries; }
  /// Units with many and with few keys alternate, so that contiguous ranges of them take equal times.
  int64_t blockOf(int64_t index) const { return index % 2 == 0 ? index / 2 : unitsOfHead - 1 - index / 2; }
  /// Threads for products of `elements` multiplications for each pair of a column and a key.
  int64_t workersFor(int64_t jobs, double pairs, int64_t elements) const;

  int64_t sizeOfScoreMemory() const {
    int64_t sizeOfKeyMask = keyMask.data ? AttentionMemory::wholeVectors(AttentionTile::keys) : 0;
    return (3 + (dropout.isPresent ? 1 : 0) + (softCap != 0 ? 1 : 0)) * tile.sizeOfScores() + sizeOfKeyMask;
  }
  AttentionScoreMemory scoreMemory(AttentionMemory &memory) const;

  /// The rows of a tensor that belong to columns; those that are not adjacent floats are copied to `memory`,
  /// one for each `stride`.
  void rowsOf(const AttentionTensor &tensor, const AttentionColumns &own, float *memory, int64_t stride,
              const float **rows) const;
  /// A block of keys without operands of the queries and sums. Empty if no column uses its keys.
  std::optional<AttentionBlock> blockAt(const AttentionColumns &own, int64_t key, int64_t keys,
                                        AttentionScoreMemory &memory, bool skips = true) const;

  /// Sets which weights of a block dropout keeps.
  void setKept(AttentionBlock &block, const AttentionColumns &own, AttentionScoreMemory &memory,
               int64_t key) const;
  /// Whether scores of at most `highest` have no weight beside the maximum of each of `count` columns.
  static bool lacksWeights(float highest, const float *maximum, int64_t count);

private:
  /// Checks the dims and chooses the tile.
  Result<void> divide();
  /// The position of a query among the keys.
  int64_t positionOf(int64_t column) const { return rowOf(column) + k.dims[RowDim] - q.dims[RowDim]; }
  /// A query may use the keys from beginOf() to before endOf().
  int64_t beginOf(int64_t column) const { return left < 0 ? 0 : positionOf(column) - left; }
  int64_t endOf(int64_t column) const { return right < 0 ? k.dims[RowDim] : positionOf(column) + right + 1; }
  int64_t keysOf(int64_t batch) const;
  /// Sets which keys of a block each column uses. False if none uses one.
  bool setWindow(AttentionBlock &block, const AttentionColumns &own, AttentionScoreMemory &memory,
                 int64_t key) const;
  void setMask(AttentionBlock &block, const AttentionColumns &own, AttentionScoreMemory &memory,
               int64_t key) const;
  void setKeyMask(AttentionBlock &block, const AttentionColumns &own, AttentionScoreMemory &memory,
                  int64_t key) const;
};

} // namespace proa::runtime
