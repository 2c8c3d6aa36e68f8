// Time of mapping a checkpoint by statements and of finding the parts of each shard of the result.
#include "lib/checkpoint/transform/Mapping.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace proa::transform {
namespace {

/// The statements, mapped for `inputs`, and queries for 4 shards of each target along its first dimension.
void mapAndQuery(benchmark::State &state, std::string_view text, const TensorInfos &inputs) {
  int64_t targets = 0;
  for (auto _ : state) {
    Result<Mapping> mapping = mapTensors(*parseStatements(text, "bench.aoa"), inputs);
    std::vector<Fragment> fragments;
    targets = 0;
    for (const Target &target : mapping->targets) {
      int64_t shard = target.dims()[0] / 4;
      for (int64_t i = 0; i < 4; ++i, ++targets) {
        Box box{{i * shard, (i + 1) * shard}, {0, target.dims()[1]}};
        mapping->fragmentsOf(target, box, fragments);
        benchmark::DoNotOptimize(fragments.data());
      }
    }
  }
  state.counters["each target"] =
      benchmark::Counter(static_cast<double>(targets),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

TensorInfos layers(int64_t count,
                   std::initializer_list<std::pair<const char *, std::vector<int64_t>>> tensors) {
  TensorInfos infos;
  for (int64_t layer = 0; layer < count; ++layer)
    for (const auto &[name, dims] : tensors)
      infos[fmt::format("layers.{}.{}", layer, name)] = {DType::BFloat16, dims};
  return infos;
}

void unchanged(benchmark::State &state) {
  mapAndQuery(state, "", layers(state.range(0), {{"weight", {1024, 1024}}}));
}
BENCHMARK(unchanged)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

/// A rename by one statement.
void renamed(benchmark::State &state) {
  mapAndQuery(state, "layers.$LAYER_ID.weight -> net.$LAYER_ID.w",
              layers(state.range(0), {{"weight", {1024, 1024}}}));
}
BENCHMARK(renamed)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

/// A rename by a statement for each tensor.
void renamedEach(benchmark::State &state) {
  std::string text;
  for (int64_t layer = 0; layer < state.range(0); ++layer)
    text += fmt::format("layers.{0}.weight -> net.{0}.w\n", layer);
  mapAndQuery(state, text, layers(state.range(0), {{"weight", {1024, 1024}}}));
}
BENCHMARK(renamedEach)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

/// Queries, keys and values of 64 heads and 8 groups to one tensor.
void fusedQkv(benchmark::State &state) {
  mapAndQuery(
      state,
      "layers.$LAYER_ID.q, layers.$LAYER_ID.k, layers.$LAYER_ID.v -> layers.$LAYER_ID.qkv, fused_qkv, "
      "num_heads=64, num_key_value_groups=8, axis=0",
      layers(state.range(0), {{"q", {8192, 8192}}, {"k", {1024, 8192}}, {"v", {1024, 8192}}}));
}
BENCHMARK(fusedQkv)->Arg(80)->Arg(800)->Unit(benchmark::kMillisecond);

/// Rows of 64 heads of 128 from one rotary style to the other: 8192 parts for each tensor.
void rotary(benchmark::State &state) {
  mapAndQuery(
      state, "layers.$LAYER_ID.q -> layers.$LAYER_ID.q, rotary=\"interleaved_to_half\", num_heads=64, axis=0",
      layers(state.range(0), {{"q", {8192, 8192}}}));
}
BENCHMARK(rotary)->Arg(80)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace proa::transform
