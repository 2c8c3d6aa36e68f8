/// The library kernels "fused_attention_grad" and "fused_attention_score_grad": gradients of attention that
/// compute the weights again from the maximum and the sum of each row (FlashAttention-2, algorithm 2).
/// dialects/pd/ops/attention/FusedAttention.td says what they compute.
#include "lib/runtime/kernels/attention/AttentionOperands.h"

#include "dialects/pd/ops/attention/FusedAttention.kernels.inc"

namespace proa::runtime {
namespace {

constexpr DType statisticType = DType::Float32;

/// The operands that both kernels have, and the gradient of a block of scores.
class AttentionGradientBase : public AttentionOperands {
public:
  AttentionTensor outGradient;
  const float *maximum = nullptr, *sum = nullptr; ///< of each query

  template <class Op> Result<void> readGradient(Call &call, const Op &op) {
    constexpr size_t mask = 7;
    if (Result<void> fits = read(call, op, mask); !fits)
      return fits;
    outGradient = AttentionTensor::of(call.input(3), op.outPermutation);
    maximum = call.input(4).as<float>();
    sum = call.input(5).as<float>();
    if (outGradient.dims == outDims() && areStatistics(call.input(4)) && areStatistics(call.input(5)))
      return {};
    return failure("the gradient of the result is {}, maximum {} and sum {}, expected the dims {} and {}",
                   describe(outGradient.dtype, outGradient.dims),
                   describe(call.input(4).dtype, call.input(4).dims),
                   describe(call.input(5).dtype, call.input(5).dims), describe(q.dtype, outDims()),
                   describe(statisticType, statisticDims()));
  }

  std::vector<int64_t> statisticDims() const { return {q.dims[BatchDim], q.dims[HeadDim], q.dims[RowDim]}; }
  bool areStatistics(const View &view) const {
    return view.dtype == statisticType && std::ranges::equal(view.dims, statisticDims());
  }

protected:
  /// Memory of a tile of queries.
  struct TileMemory {
    float *q, *outGradient, *maximum, *sum, *delta, *qGradient, *qRows, *outRows, *rows, *scoreGradient;
    AttentionScoreMemory scores;
  };

  int64_t qStride() const { return AttentionMemory::wholeVectors(tile.qElements); }
  int64_t vStride() const { return AttentionMemory::wholeVectors(tile.vElements); }
  int64_t sizeOfTile() const {
    return 2 * tile.sizeOfQ() + tile.sizeOfOut() + 3 * tile.queries +
           tile.queries * (qStride() + 2 * vStride()) + tile.sizeOfScores() + sizeOfScoreMemory();
  }
  TileMemory tileMemory(AttentionMemory &memory) const {
    return {.q = memory.take(tile.sizeOfQ()),
            .outGradient = memory.take(tile.sizeOfOut()),
            .maximum = memory.take(tile.queries),
            .sum = memory.take(tile.queries),
            .delta = memory.take(tile.queries),
            .qGradient = memory.take(tile.sizeOfQ()),
            .qRows = memory.take(tile.queries * qStride()),
            .outRows = memory.take(tile.queries * vStride()),
            .rows = memory.take(tile.queries * vStride()),
            .scoreGradient = memory.take(tile.sizeOfScores()),
            .scores = scoreMemory(memory)};
  }

  /// Reads the queries and the gradients of their results. Rows end with zeros.
  void start(const AttentionColumns &own, const TileMemory &memory) const {
    readRows(q, own, memory.qRows, qStride(), memory.q);
    readRows(outGradient, own, memory.outRows, vStride(), memory.outGradient);
    for (int64_t i = 0; i < tile.queries; ++i) {
      bool exists = i < own.count;
      memory.maximum[i] = exists ? maximum[queryOf(own, own.column + i)] : 0;
      memory.sum[i] = exists ? sum[queryOf(own, own.column + i)] : 1;
      memory.delta[i] = 0;
    }
    std::fill_n(memory.qGradient, tile.sizeOfQ(), 0.0f);
  }

  /// The keys that the tile needs: all where a query has none, as its weights are NaN.
  Keys keysOfTile(const AttentionColumns &own, const TileMemory &memory) const {
    return hasEmptyRow(own, memory) ? Keys{0, k.dims[RowDim]} : keysOf(own);
  }

  /// The block without sums of its keys. Empty if it changes nothing.
  std::optional<AttentionGradientBlock> gradientBlock(const AttentionColumns &own, int64_t key, int64_t keys,
                                                      TileMemory &memory) const {
    std::optional<AttentionBlock> forward =
        blockAt(own, key, keys, memory.scores, /*skips=*/!hasEmptyRow(own, memory));
    if (!forward || lacksWeights(forward->highestMasked, memory.maximum, own.count))
      return std::nullopt;
    setKept(*forward, own, memory.scores, key);
    forward->q = memory.q;
    forward->maximum = memory.maximum;
    forward->sum = memory.sum;
    return AttentionGradientBlock{.forward = *forward,
                                  .count = own.count,
                                  .outGradient = memory.outGradient,
                                  .delta = memory.delta,
                                  .scoreGradient = memory.scoreGradient,
                                  .qGradient = nullptr,
                                  .qRows = memory.qRows,
                                  .outRows = memory.outRows,
                                  .kGradient = nullptr,
                                  .vGradient = nullptr};
  }

private:
  static bool hasEmptyRow(const AttentionColumns &own, const TileMemory &memory) {
    return std::any_of(memory.sum, memory.sum + own.count, [](float sum) { return std::isnan(sum); });
  }

  void readRows(const AttentionTensor &tensor, const AttentionColumns &own, float *rows, int64_t stride,
                float *transposed) const {
    int64_t elements = tensor.dims[ElementDim];
    std::array<const float *, AttentionTile::mostQueries> from{};
    rowsOf(tensor, own, rows, stride, from.data());
    for (int64_t i = 0; i < own.count; ++i) {
      float *row = rows + i * stride;
      if (from[static_cast<size_t>(i)] != row)
        std::copy_n(from[static_cast<size_t>(i)], elements, row);
      std::fill(row + elements, row + stride, 0.0f);
      from[static_cast<size_t>(i)] = row;
    }
    transposeRows(from.data(), own.count, elements, transposed, tile.queries, tile.queries);
  }
};

//===-- By queries, keys and values ---------------------------------------------------------------------===//

/// One execution of "fused_attention_grad". A job has units of columns of one head of keys, and sums of its
/// own for the keys; the number of jobs does not depend on the threads, nor does the order of the sums.
class AttentionGradient : public AttentionGradientBase {
public:
  AttentionTensor out, qGradient, kGradient, vGradient; ///< gradients without data are not requested

  void run(Call &call) {
    constexpr int64_t enoughJobs = 16, leastUnits = 4; // of a job
    int64_t heads = q.dims[BatchDim] * k.dims[HeadDim];
    slices = std::clamp<int64_t>((enoughJobs + heads - 1) / heads, 1,
                                 std::max<int64_t>(1, unitsOfHead / leastUnits));
    int64_t jobs = heads * slices,
            workers = workersFor(jobs, static_cast<double>(heads * columns * k.dims[RowDim]),
                                 3 * tile.qElements + 2 * tile.vElements);
    // Where a head is one job, its sums are written before the next.
    int64_t sums = slices == 1 ? workers : jobs, sizeOfWorker = sizeOfTile();
    AttentionMemory memory(static_cast<float *>(
        call.scratch(static_cast<size_t>(workers * sizeOfWorker + sums * sizeOfSums() + k.sizeOfCopy() +
                                         v.sizeOfCopy() + 2 * vectorSize) *
                     sizeof(float))));
    k.copyTo(memory.take(k.sizeOfCopy()));
    v.copyTo(memory.take(v.sizeOfCopy()));
    float *ofWorkers = memory.take(workers * sizeOfWorker), *ofJobs = memory.take(sums * sizeOfSums());
    parallelFor(workers, 1, [&](int64_t begin, int64_t end) {
      for (int64_t worker = begin; worker < end; ++worker) {
        AttentionMemory own(ofWorkers + worker * sizeOfWorker);
        TileMemory tileOfWorker = tileMemory(own);
        for (int64_t job = jobs * worker / workers; job < jobs * (worker + 1) / workers; ++job) {
          float *sumsOfJob = ofJobs + (slices == 1 ? worker : job) * sizeOfSums();
          runJob(job, tileOfWorker, sumsOfJob);
          if (slices == 1)
            writeSums(job, sumsOfJob, 0, k.dims[RowDim]);
        }
      }
    });
    if (slices > 1)
      addJobs(heads, ofJobs);
  }

private:
  int64_t slices = 1; ///< jobs of a head

  int64_t sizeOfSums() const { return k.dims[RowDim] * (qStride() + vStride()); }
  float *valueSums(float *sums) const { return sums + k.dims[RowDim] * qStride(); }

  void runJob(int64_t job, TileMemory &memory, float *sums) const {
    int64_t head = job / slices, slice = job % slices;
    std::fill_n(sums, sizeOfSums(), 0.0f);
    for (int64_t unit = unitsOfHead * slice / slices; unit < unitsOfHead * (slice + 1) / slices; ++unit) {
      int64_t first = blockOf(unit) * unitColumns, last = std::min(first + unitColumns, columns);
      for (int64_t column = first; column < last; column += tile.queries)
        runTile(
            {head / k.dims[HeadDim], head % k.dims[HeadDim], column, std::min(tile.queries, last - column)},
            memory, sums);
    }
  }

  void runTile(const AttentionColumns &own, TileMemory &memory, float *sums) const {
    start(own, memory);
    setDelta(own, memory);
    auto [begin, end] = keysOfTile(own, memory);
    for (int64_t key = begin; key < end; key += AttentionTile::keys) {
      std::optional<AttentionGradientBlock> block =
          gradientBlock(own, key, std::min(AttentionTile::keys, end - key), memory);
      if (!block)
        continue;
      block->forward.slopes = memory.scores.slopes;
      block->qGradient = qGradient.data ? memory.qGradient : nullptr;
      block->kGradient = kGradient.data ? sums + key * qStride() : nullptr;
      block->vGradient = vGradient.data ? valueSums(sums) + key * vStride() : nullptr;
      addAttentionGradient(*block, isWide);
    }
    if (!qGradient.data)
      return;
    transposeTile(memory.qGradient, tile.qElements, tile.queries, memory.qRows, qStride());
    for (int64_t i = 0; i < own.count; ++i) {
      int64_t column = own.column + i;
      writeScaled(qGradient, memory.qRows + i * qStride(),
                  qGradient.at(own.batch, headOf(own, column), rowOf(column), 0));
    }
  }

  /// The sum of the result and its gradient over the elements of each row.
  void setDelta(const AttentionColumns &own, const TileMemory &memory) const {
    std::array<const float *, AttentionTile::mostQueries> rows{};
    rowsOf(out, own, memory.rows, vStride(), rows.data());
    multiplyRows(rows.data(), memory.outRows, vStride(), own.count, tile.vElements, memory.delta);
  }

  void writeScaled(const AttentionTensor &to, float *row, std::byte *position) const {
    for (int64_t d = 0; d < tile.qElements; ++d)
      row[d] *= static_cast<float>(scale);
    to.write(row, tile.qElements, position);
  }

  /// Writes the gradients of the keys and values from `begin` to `end` of a head.
  void writeSums(int64_t head, float *sums, int64_t begin, int64_t end) const {
    int64_t batch = head / k.dims[HeadDim], own = head % k.dims[HeadDim];
    for (int64_t key = begin; key < end; ++key) {
      if (kGradient.data)
        writeScaled(kGradient, sums + key * qStride(), kGradient.at(batch, own, key, 0));
      if (vGradient.data)
        vGradient.write(valueSums(sums) + key * vStride(), tile.vElements, vGradient.at(batch, own, key, 0));
    }
  }

  /// Adds the sums of the jobs of each head to the sums of its first job, and writes them.
  void addJobs(int64_t heads, float *sums) const {
    int64_t keys = k.dims[RowDim], grain = 1 + (1 << 14) / (qStride() + vStride() + 1);
    parallelFor(heads * keys, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int64_t head = i / keys, key = i % keys;
        float *first = sums + head * slices * sizeOfSums();
        for (int64_t slice = 1; slice < slices; ++slice) {
          float *other = first + slice * sizeOfSums();
          addRow(first + key * qStride(), other + key * qStride(), qStride());
          addRow(valueSums(first) + key * vStride(), valueSums(other) + key * vStride(), vStride());
        }
        writeSums(head, first, key, key + 1);
      }
    });
  }
  static void addRow(float *to, const float *from, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      to[i] += from[i];
  }
};

Result<void> attentionGradient(Call &call, const FusedAttentionGradAttributes &op) {
  AttentionGradient gradient;
  if (Result<void> fits = gradient.readGradient(call, op); !fits)
    return fits;
  gradient.out = AttentionTensor::of(call.input(6), op.outPermutation);
  if (gradient.out.dims != gradient.outDims())
    return failure("the result of attention is {}, expected {}",
                   describe(gradient.out.dtype, gradient.out.dims),
                   describe(gradient.q.dtype, gradient.outDims()));
  const std::array operands{&op.qPermutation, &op.kPermutation, &op.vPermutation};
  AttentionTensor *results[] = {&gradient.qGradient, &gradient.kGradient, &gradient.vGradient};
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!call.hasOutput(i))
      continue;
    Result<View> result = call.output(i, call.input(i).dims);
    if (!result)
      return result.diagnostics();
    *results[i] = AttentionTensor::of(*result, *operands[i]);
  }
  if (gradient.q.dims[BatchDim] * gradient.k.dims[HeadDim] > 0)
    gradient.run(call);
  return {};
}

//===-- By scores ---------------------------------------------------------------------------------------===//

/// One execution of "fused_attention_score_grad". A job has a tile of queries of the result.
class AttentionScoreGradient : public AttentionGradientBase {
public:
  const float *delta = nullptr;
  bool sumsBatches = false, sumsHeads = false;
  float *result = nullptr; ///< [batch or 1, head or 1, query, key]

  std::array<int64_t, 4> resultDims() const {
    std::array<int64_t, 4> dims = scoreDims();
    dims[BatchDim] = sumsBatches ? 1 : dims[BatchDim];
    dims[HeadDim] = sumsHeads ? 1 : dims[HeadDim];
    return dims;
  }

  void run(Call &call) {
    int64_t queries = q.dims[RowDim], tilesOfHead = (queries + tile.queries - 1) / tile.queries,
            batches = resultDims()[BatchDim], heads = resultDims()[HeadDim],
            jobs = batches * heads * tilesOfHead,
            workers = workersFor(
                jobs, static_cast<double>(q.dims[BatchDim] * q.dims[HeadDim] * queries * k.dims[RowDim]),
                tile.qElements + tile.vElements),
            sizeOfWorker = sizeOfTile() + sizeOfRows();
    AttentionMemory memory(static_cast<float *>(call.scratch(
        static_cast<size_t>(workers * sizeOfWorker + k.sizeOfCopy() + v.sizeOfCopy() + 2 * vectorSize) *
        sizeof(float))));
    k.copyTo(memory.take(k.sizeOfCopy()));
    v.copyTo(memory.take(v.sizeOfCopy()));
    float *ofWorkers = memory.take(workers * sizeOfWorker);
    parallelFor(workers, 1, [&](int64_t begin, int64_t end) {
      for (int64_t worker = begin; worker < end; ++worker) {
        AttentionMemory own(ofWorkers + worker * sizeOfWorker);
        TileMemory tileOfWorker = tileMemory(own);
        float *rows = own.take(sizeOfRows());
        for (int64_t job = jobs * worker / workers; job < jobs * (worker + 1) / workers; ++job)
          runJob(job / tilesOfHead, job % tilesOfHead * tile.queries, tileOfWorker, rows);
      }
    });
  }

private:
  /// Floats of the gradients of a tile, a row for each query.
  int64_t sizeOfRows() const { return tile.queries * AttentionTile::keys; }

  /// The queries from `row` of a matrix of the result.
  void runJob(int64_t matrix, int64_t row, TileMemory &memory, float *rows) const {
    int64_t count = std::min(tile.queries, q.dims[RowDim] - row), heads = resultDims()[HeadDim];
    float *to = result + (matrix * q.dims[RowDim] + row) * k.dims[RowDim];
    std::fill_n(to, count * k.dims[RowDim], 0.0f);
    for (int64_t batch = 0; batch < q.dims[BatchDim]; ++batch)
      for (int64_t head = 0; head < q.dims[HeadDim]; ++head) {
        bool isOfBatch = sumsBatches || batch == matrix / heads,
             isOfHead = sumsHeads || head == matrix % heads;
        if (isOfBatch && isOfHead)
          addTile({batch, head / groupSize(), head % groupSize() * q.dims[RowDim] + row, count}, memory, rows,
                  to);
      }
  }

  void addTile(const AttentionColumns &own, TileMemory &memory, float *rows, float *to) const {
    start(own, memory);
    for (int64_t i = 0; i < own.count; ++i)
      memory.delta[i] = delta[queryOf(own, own.column + i)];
    auto [begin, end] = keysOfTile(own, memory);
    for (int64_t key = begin; key < end; key += AttentionTile::keys) {
      int64_t keys = std::min(AttentionTile::keys, end - key);
      std::optional<AttentionGradientBlock> block = gradientBlock(own, key, keys, memory);
      if (!block)
        continue;
      addAttentionGradient(*block, isWide);
      transposeTile(memory.scoreGradient, keys, tile.queries, rows, AttentionTile::keys);
      for (int64_t i = 0; i < own.count; ++i)
        for (int64_t n = 0; n < keys; ++n)
          to[i * k.dims[RowDim] + key + n] += rows[i * AttentionTile::keys + n];
    }
  }
};

Result<void> attentionScoreGradient(Call &call, const FusedAttentionScoreGradAttributes &op) {
  AttentionScoreGradient gradient;
  if (Result<void> fits = gradient.readGradient(call, op); !fits)
    return fits;
  gradient.delta = call.input(6).as<float>();
  if (!gradient.areStatistics(call.input(6)))
    return failure("delta is {}, expected {}", describe(call.input(6).dtype, call.input(6).dims),
                   describe(statisticType, gradient.statisticDims()));
  gradient.sumsBatches = op.sumBatches;
  gradient.sumsHeads = op.sumHeads;
  Result<View> result = call.output(0, gradient.resultDims());
  if (!result)
    return result.diagnostics();
  gradient.result = result->as<float>();
  if (gradient.q.dims[BatchDim] * gradient.q.dims[HeadDim] * gradient.q.dims[RowDim] == 0)
    std::fill_n(gradient.result, result->size(), 0.0f);
  else
    gradient.run(call);
  return {};
}

void checkFloats(Checks &checks) {
  for (size_t operand : {0, 1, 2, 3})
    checks.expectDType(operand, {DType::Float32, DType::Float16, DType::BFloat16});
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeFusedAttentionGrad(const FusedAttentionGradAttributes &op,
                                                              const KernelRequest &request) {
  Checks checks(request);
  checkFloats(checks);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([op](Call &call) { return attentionGradient(call, op); });
}

Result<std::unique_ptr<LibraryKernel>>
makeFusedAttentionScoreGrad(const FusedAttentionScoreGradAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  checkFloats(checks);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([op](Call &call) { return attentionScoreGradient(call, op); });
}

} // namespace proa::runtime
