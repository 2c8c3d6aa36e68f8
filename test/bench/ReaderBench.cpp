// Throughput of the readers in ops/s and bytes/s, for programs of 10^3 to 10^5 ops; and of generated weights.
#include "lib/base/support/Files.h"
#include "test/bench/SyntheticProgram.h"
#include "translator/legacy/ReadBinary.h"
#include "translator/legacy/ReadJson.h"
#include "translator/legacy/framework.pb.h"
#include "translator/params/Generate.h"

#include <benchmark/benchmark.h>

namespace proa {
namespace {

void count(benchmark::State &state, size_t bytes) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

/// Measures reading without freeing the program.
template <class Read> void measure(benchmark::State &state, Read read) {
  for (auto _ : state) {
    std::optional<Result<legacy::Program>> program(read());
    state.PauseTiming();
    if (!*program)
      state.SkipWithError(program->diagnostics().text().c_str());
    program.reset();
    state.ResumeTiming();
  }
}

void readJson(benchmark::State &state) {
  std::string text = bench::syntheticProgram(static_cast<size_t>(state.range(0)));
  measure(state, [&] { return legacy::readJsonText(text, "synthetic"); });
  count(state, text.size());
}
BENCHMARK(readJson)->RangeMultiplier(10)->Range(1000, 100000)->Unit(benchmark::kMillisecond);

/// Repeats the ops of BERT.
std::string binaryProgram(size_t operations) {
  legacy::proto::ProgramDesc program;
  Result<std::string> bert = readFile(PROA_CORPUS_DIR "/models/nlp/bert/program.pdmodel");
  if (!bert || !program.ParseFromString(*bert))
    return {};
  auto &ops = *program.mutable_blocks(0)->mutable_ops();
  for (int i = 0; static_cast<size_t>(ops.size()) < operations; ++i)
    *ops.Add() = legacy::proto::OpDesc(ops[i]);
  return program.SerializeAsString();
}

void readBinary(benchmark::State &state) {
  std::string bytes = binaryProgram(static_cast<size_t>(state.range(0)));
  measure(state, [&] { return legacy::readBinaryBytes(std::as_bytes(std::span(bytes)), "synthetic"); });
  count(state, bytes.size());
}
BENCHMARK(readBinary)->RangeMultiplier(10)->Range(1000, 100000)->Unit(benchmark::kMillisecond);

void generate(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(params::generateParameter("weight", {state.range(0)}, 1, -1, 1));
  count(state, static_cast<size_t>(state.range(0)) * sizeof(float));
}
BENCHMARK(generate)->Arg(10000000)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace proa
