#include "lib/compiler/measure/MeasureTarget.h"

#include "lib/compiler/codegen/cuda/EmitPtx.h"
#include "lib/compiler/compile/DescribeTarget.h"
#include "lib/compiler/cuda/Tuning.h"
#include "lib/compiler/measure/MeasureDevice.h"
#include "lib/runtime/cuda/CudaContext.h"
#include "lib/runtime/cuda/CudaDevice.h"
#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/HostPeaks.h"
#include "proa/Model.h"
#include "proa/Session.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <unistd.h>

namespace proa {
namespace {

/// Elements of a measured tensor: they and the result are in the second cache.
constexpr int64_t elements = 1 << 15;

/// An op whose cost is a fact. `line` computes %NEXT from %LAST and %x, both of type TYPE.
struct Probe {
  int64_t CpuFacts::*fact;
  DType dtype;
  int count; ///< of ops in the longer program; sums of products are short
  std::string_view line;
};

const Probe probes[] = {
    {&CpuFacts::arithmeticCost, DType::Float32, 32, "pd.multiply %LAST, %x : (TYPE, TYPE) -> TYPE"},
    {&CpuFacts::divideCost, DType::Float32, 8, "pd.divide %x, %LAST : (TYPE, TYPE) -> TYPE"},
    {&CpuFacts::integerDivideCost, DType::Int32, 4, "pd.floor_divide %x, %LAST : (TYPE, TYPE) -> TYPE"},
    {&CpuFacts::functionCost, DType::Float32, 4, "pd.tanh %LAST : (TYPE) -> TYPE"},
    {&CpuFacts::doubleFunctionCost, DType::Float64, 4, "pd.tanh %LAST : (TYPE) -> TYPE"},
    {&CpuFacts::powerCost, DType::Float32, 4, "pd.elementwise_pow %LAST, %x : (TYPE, TYPE) -> TYPE"},
};

std::string replaced(std::string text, std::string_view name, const std::string &by) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + by.size()))
    text.replace(at, name.size(), by);
  return text;
}

/// A program of `count` ops, each of which reads the result of the one before.
std::string programOf(const Probe &probe, int count) {
  const char *element = probe.dtype == DType::Float64 ? "f64" : probe.dtype == DType::Int32 ? "i32" : "f32";
  std::string body;
  for (int i = 0; i < count; ++i) {
    std::string line = replaced(std::string(probe.line), "%LAST", i == 0 ? "%x" : fmt::format("%v{}", i - 1));
    body += fmt::format("  %v{} = {}\n", i, line);
  }
  std::string text = "func.func @main(%x: TYPE {pd.feed = \"x\"}) -> (TYPE {pd.fetch = \"y\"}) {\n" + body +
                     fmt::format("  return %v{} : TYPE\n}}\n", count - 1);
  return replaced(text, "TYPE", fmt::format("tensor<{}x{}>", elements, element));
}

/// Values near 1, whose powers and products stay finite.
Tensor feedOf(DType dtype) {
  Tensor tensor(dtype, {elements});
  for (int64_t i = 0; i < elements; ++i) {
    double value = 0.9 + 0.2 * static_cast<double>(i % 100) / 100;
    if (dtype == DType::Float64)
      static_cast<double *>(tensor.data())[i] = value;
    else if (dtype == DType::Float32)
      static_cast<float *>(tensor.data())[i] = static_cast<float>(value);
    else
      static_cast<int32_t *>(tensor.data())[i] = static_cast<int32_t>(1 + i % 100);
  }
  return tensor;
}

/// Nanoseconds of a run of a program, at least.
Result<double> nanosecondsOf(const std::string &text, Tensor feed) {
  ModelOptions options;
  options.threads = 1;
  options.cacheDirectory = "off";
  options.codeOptimization = CodeOptimization::Always;
  auto model =
      Model::open(ModelSource{.name = "probe.mlir", .program = std::as_bytes(std::span(text))}, options);
  if (!model)
    return model.diagnostics();
  auto session = model->session();
  if (!session)
    return session.diagnostics();
  std::map<std::string, Tensor> feeds{{"x", std::move(feed)}};
  constexpr double secondsInAll = 0.1;
  double best = std::numeric_limits<double>::infinity(), all = 0;
  for (int i = 0; i < 8 || all < secondsInAll; ++i) {
    if (auto run = session->run(feeds); !run)
      return run.diagnostics();
    best = i == 0 ? best : std::min(best, session->times().lastRun);
    all += session->times().lastRun * 1e-3;
  }
  return best * 1e6;
}

/// Picoseconds of an element in a run of a program, at least.
Result<double> picosecondsOf(const Probe &probe, int count) {
  Result<double> run = nanosecondsOf(programOf(probe, count), feedOf(probe.dtype));
  return run ? *run * 1e3 / static_cast<double>(elements) : run;
}

/// A program of `count` matmuls of square matrices, each of which is a step.
std::string matmulsProgram(int count, const std::string &type) {
  std::string body;
  for (int i = 0; i < count; ++i)
    body += fmt::format("  %v{} = pd.matmul {}, %x : (TYPE, TYPE) -> TYPE\n", i,
                        i == 0 ? "%x" : fmt::format("%v{}", i - 1));
  return replaced("func.func @main(%x: TYPE {pd.feed = \"x\"}) -> (TYPE {pd.fetch = \"y\"}) {\n" + body +
                      fmt::format("  return %v{} : TYPE\n}}\n", count - 1),
                  "TYPE", type);
}

/// The rate of matmuls of float64.
Result<void> measureDoubles(CpuFacts &cpu) {
  constexpr int64_t size = 512;
  Result<double> time = nanosecondsOf(matmulsProgram(1, fmt::format("tensor<{0}x{0}xf64>", size)),
                                      Tensor(DType::Float64, {size, size}));
  if (!time)
    return time.diagnostics();
  cpu.matmul64Rate = asFact(2e3 * static_cast<double>(size * size * size) / *time);
  return {};
}

/// The start of a step: the time that further small steps add.
Result<void> measureSteps(CpuFacts &cpu) {
  constexpr int few = 1, many = 65;
  constexpr const char *type = "tensor<4x4xf32>";
  Tensor quarters(DType::Float32, {4, 4}); // the powers of this matrix are the matrix
  std::fill_n(static_cast<float *>(quarters.data()), 16, 0.25F);
  Result<double> one = nanosecondsOf(matmulsProgram(few, type), quarters),
                 all = nanosecondsOf(matmulsProgram(many, type), quarters);
  if (!one || !all)
    return (one ? all : one).diagnostics();
  cpu.stepNanoseconds = asFact((*all - *one) / (many - few));
  return {};
}

/// The costs of ops: the time that further ops add. The first one adds the access.
Result<void> measureCosts(CpuFacts &cpu) {
  for (const Probe &probe : probes) {
    Result<double> one = picosecondsOf(probe, 1), many = picosecondsOf(probe, 1 + probe.count);
    if (!one || !many)
      return (one ? many : one).diagnostics();
    cpu.*probe.fact = asFact((*many - *one) / probe.count);
    if (probe.fact == &CpuFacts::arithmeticCost)
      cpu.accessCost = asFact(*one - static_cast<double>(cpu.arithmeticCost));
  }
  return {};
}

/// The work that is worth a thread: twice the break-even, where two threads take three quarters of the time
/// of one. Known facts stay where nothing is measured.
void measureThreads(CpuFacts &cpu) {
  runtime::ForkTimes times = runtime::measureForks();
  if (times.busily)
    cpu.forkNanoseconds = asFact(2 * *times.busily);
  if (times.asleep)
    cpu.wakeNanoseconds = asFact(2 * *times.asleep);
}

/// The facts that the driver of the device reports, and measured ones.
Result<void> describeDevice(const cuda::CudaContext &context, TargetFacts &facts) {
  const cuda::DeviceProperties &properties = context.driver->properties();
  auto chip = cuda::chipFor(properties.major, properties.minor);
  if (!chip)
    return chip.diagnostics();
  GpuFacts &gpu = facts.gpu.emplace(*knownFacts<GpuFacts>(chip->name));
  runtime::DevicePeaks peaks = cuda::peaksOf(properties);
  auto set = [](int64_t &fact, double value) { fact = value > 0 ? asFact(value) : fact; };
  gpu.multiprocessors = properties.multiprocessors;
  set(gpu.sharedBytes, static_cast<double>(properties.sharedBytesPerBlock));
  set(gpu.clockMegahertz, static_cast<double>(properties.clockKilohertz) / 1000);
  set(gpu.memoryBandwidth, peaks.bytesPerSecond / 1e6);
  set(gpu.matmulRate, peaks.flopsPerSecond / 1e6);
  return measureDevice(context, gpu);
}

} // namespace

Result<TargetFacts> measureTarget(int device) {
  auto facts = targetFactsOf({});
  if (!facts)
    return facts.diagnostics();
  const runtime::DevicePeaks &peaks = runtime::hostPeaks(/*threads=*/1);
  facts->cpu.memoryBandwidth = asFact(peaks.bytesPerSecond / 1e6);
  facts->cpu.matmulRate = asFact(peaks.flopsPerSecond / 1e6);
  measureThreads(facts->cpu);
  if (long bytes = ::sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0)
    facts->cpu.l1Bytes = bytes;
  if (long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
    facts->cpu.l2Bytes = bytes;
  for (auto *measure : {measureCosts, measureSteps, measureDoubles})
    if (Result<void> measured = measure(facts->cpu); !measured)
      return measured.diagnostics();
  if (Result<void> measured = measureLink(facts->cpu); !measured)
    return measured.diagnostics();
  if (auto context = cuda::cudaContext(device))
    if (Result<void> described = describeDevice(*context, *facts); !described)
      return described.diagnostics();
  return facts;
}

std::string defaultCalibrationFile() { return fileOfMachine("PROA_CALIBRATION", "machine.json"); }

} // namespace proa
