// Time of plans from one layout of a checkpoint to another.
#include "lib/checkpoint/Plan.h"

#include <benchmark/benchmark.h>

#include <cstdlib>

namespace proa::checkpoints {
namespace {

/// The boxes of a tensor that is split evenly in `rows` x `columns` parts.
std::vector<Box> grid(int64_t rowCount, int64_t columnCount, int64_t rows, int64_t columns) {
  std::vector<Box> boxes;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      spmd::Range y = spmd::shardRange(rowCount, rows, row),
                  x = spmd::shardRange(columnCount, columns, column);
      boxes.push_back({y, x});
    }
  return boxes;
}

size_t plan(const std::vector<Box> &sources, const std::vector<Box> &targets) {
  auto pieces = planPieces("w", sources, targets);
  if (!pieces)
    std::abort();
  return pieces->size();
}

/// One tensor of range(0) x range(0) shards to another grid with a tenth of the shards.
void oneTensor(benchmark::State &state) {
  int64_t parts = state.range(0);
  std::vector<Box> sources = grid(8192, 8192, parts, parts), targets = grid(8192, 8192, parts / 5, parts / 2);
  size_t pieces = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(pieces = plan(sources, targets));
  state.counters["shards"] = static_cast<double>(sources.size() + targets.size());
  state.counters["pieces"] = static_cast<double>(pieces);
}
BENCHMARK(oneTensor)->Arg(100)->Arg(300)->Arg(950)->Unit(benchmark::kMillisecond);

/// Many tensors of 8 source shards and range(1) target shards each.
void manyTensors(benchmark::State &state) {
  std::vector<Box> sources = grid(1024, 1024, 8, 1), targets = grid(1024, 1024, 1, state.range(1));
  for (auto _ : state)
    for (int64_t tensor = 0; tensor < state.range(0); ++tensor)
      benchmark::DoNotOptimize(plan(sources, targets));
}
BENCHMARK(manyTensors)->Args({10000, 4})->Unit(benchmark::kMillisecond);

/// The plan of one rank: a box of each tensor.
void rankPlan(benchmark::State &state) {
  std::vector<Box> sources = grid(1024, 1024, 8, 1), targets = {{{0, 1024}, {256, 512}}};
  for (auto _ : state)
    for (int64_t tensor = 0; tensor < state.range(0); ++tensor)
      benchmark::DoNotOptimize(plan(sources, targets));
}
BENCHMARK(rankPlan)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace proa::checkpoints
