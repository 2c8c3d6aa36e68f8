/// Times of the runtime's library kernels and of a step. Each benchmark runs a plan of one step (or of many
/// empty ones) through a session, on 1 and 2 threads.
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/run/Executable.h"

#include <benchmark/benchmark.h>

#include <numeric>
#include <random>

namespace proa::runtime {
namespace {

Tensor randomTensor(std::vector<int64_t> dims) {
  Tensor tensor(DType::Float32, std::move(dims));
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::generate_n(tensor.as<float>(), tensor.size(), [&] { return distribution(generator); });
  return tensor;
}

/// A program of one library step with a parameter as second operand.
struct OneStep {
  Plan plan;
  NamedTensors feeds, parameters;

  OneStep(const std::string &kernel, nlohmann::json attributes,
          const std::vector<std::vector<int64_t>> &inputs, const std::vector<int64_t> &output,
          size_t constants) {
    Step step;
    step.kind = StepKind::Library;
    step.symbol = kernel;
    step.attributes = std::move(attributes);
    for (size_t i = 0; i < inputs.size(); ++i) {
      bool constant = i > 0 && i <= constants;
      auto id = static_cast<ValueId>(i);
      std::string name = "in" + std::to_string(i);
      plan.values.push_back(
          {DType::Float32, inputs[i], constant ? Storage::Parameter : Storage::Feed, 0, none, name});
      (constant ? plan.parameters : plan.feeds).push_back(id);
      (constant ? parameters : feeds)[name] = randomTensor(inputs[i]);
      step.inputs.push_back(id);
    }
    auto out = static_cast<ValueId>(inputs.size());
    plan.values.push_back({DType::Float32, output, Storage::Arena, 0, none, "out"});
    int64_t bytes = *elementCount(output) * 4;
    plan.arenaBytes = (bytes + addressAlignment - 1) / addressAlignment * addressAlignment;
    step.outputs = {out};
    plan.steps = {step};
  }
};

void runStep(benchmark::State &state, const OneStep &program, double operations) {
  setThreads(static_cast<int>(state.range(0)));
  auto executable = Executable::create(program.plan, "bench", [](const std::string &) { return nullptr; });
  if (!executable)
    return state.SkipWithError(executable.diagnostics().text().c_str());
  if (Result<void> bound = (*executable)->bindParameters(program.parameters); !bound)
    return state.SkipWithError(bound.diagnostics().text().c_str());
  auto session = Session::create(*executable);
  for (auto _ : state) {
    Result<std::vector<Tensor>> result = (*session)->run(program.feeds);
    if (!result)
      return state.SkipWithError(result.diagnostics().text().c_str());
  }
  state.counters["GFLOP/s"] =
      benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void matmul(benchmark::State &state, int64_t m, int64_t k, int64_t n) {
  runStep(state, {"matmul", nlohmann::json::object(), {{m, k}, {k, n}}, {m, n}, 1},
          2.0 * double(m) * double(k) * double(n));
}

struct ConvShape {
  int64_t channels, size, out, kernel, stride, groups;
};

void conv(benchmark::State &state, ConvShape s, bool channelsLast) {
  int64_t pad = s.kernel / 2, size = (s.size + 2 * pad - s.kernel) / s.stride + 1;
  std::vector<int64_t> in{1, s.channels, s.size, s.size}, out{1, s.out, size, size};
  if (channelsLast) {
    in = {1, s.size, s.size, s.channels};
    out = {1, size, size, s.out};
  }
  nlohmann::json attributes = {{"strides", {s.stride, s.stride}},
                               {"paddings", {pad, pad}},
                               {"groups", s.groups},
                               {"data_format", channelsLast ? "NHWC" : "NCHW"}};
  attributes["post_ops"] = nlohmann::json::array({{{"kind", "bias"}}, {{"kind", "relu"}}});
  double operations = 2.0 * double(s.channels / s.groups * s.out * s.kernel * s.kernel) * double(size * size);
  runStep(
      state,
      {"fused_conv2d", attributes, {in, {s.out, s.channels / s.groups, s.kernel, s.kernel}, {s.out}}, out, 2},
      operations);
}

void nothing(void *const *, const int64_t *, int64_t, int64_t) {}

/// The cost of a compiled step, from a program of 1000 empty kernels.
void emptySteps(benchmark::State &state) {
  constexpr int count = 1000;
  Plan plan;
  plan.values = {{DType::Float32, {64}, Storage::Feed, 0, none, "x"}};
  plan.feeds = {0};
  for (int i = 0; i < count; ++i) {
    plan.values.push_back({DType::Float32, {64}, Storage::Arena, (i % 2) * 256, none, "v"});
    Step step;
    step.symbol = "nothing";
    step.inputs = {i};
    step.outputs = {i + 1};
    step.rows = 64;
    plan.steps.push_back(step);
  }
  plan.arenaBytes = 512;
  auto executable = Executable::create(plan, "bench",
                                       [](const std::string &) { return reinterpret_cast<void *>(nothing); });
  auto session = Session::create(*executable);
  NamedTensors feeds{{"x", randomTensor({64})}};
  for (auto _ : state)
    benchmark::DoNotOptimize((*session)->run(feeds));
  state.counters["steps/s"] = benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate);
}

void registerAll() {
  auto add = [](const std::string &name, auto run) {
    benchmark::RegisterBenchmark(name.c_str(), run)
        ->Arg(1)
        ->Arg(2)
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  const int64_t products[][3] = {{128, 768, 768}, {128, 768, 3072}, {128, 3072, 768},  {1, 768, 768},
                                 {1, 4096, 4096}, {8, 768, 3072},   {512, 1024, 1024}, {1536, 1536, 1536}};
  for (const auto &p : products)
    add("matmul/" + std::to_string(p[0]) + "x" + std::to_string(p[1]) + "x" + std::to_string(p[2]),
        [m = p[0], k = p[1], n = p[2]](benchmark::State &state) { matmul(state, m, k, n); });
  // One of each kind in ResNet50, and a depthwise one of MobileNet.
  const ConvShape shapes[] = {{3, 224, 64, 7, 2, 1},   {64, 56, 64, 3, 1, 1},    {64, 56, 256, 1, 1, 1},
                              {256, 56, 128, 1, 1, 1}, {128, 28, 128, 3, 1, 1},  {512, 28, 128, 1, 1, 1},
                              {256, 14, 256, 3, 1, 1}, {1024, 14, 256, 1, 1, 1}, {512, 7, 512, 3, 1, 1},
                              {512, 7, 2048, 1, 1, 1}, {144, 56, 144, 3, 1, 144}};
  for (const ConvShape &s : shapes)
    for (bool last : {true, false})
      add(fmt::format("conv/{}x{}-{}k{}s{}g{}/{}", s.channels, s.size, s.out, s.kernel, s.stride, s.groups,
                      last ? "NHWC" : "NCHW"),
          [s, last](benchmark::State &state) { conv(state, s, last); });
  add("steps/empty", emptySteps);
}

} // namespace
} // namespace proa::runtime

int main(int argc, char **argv) {
  proa::runtime::registerAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
