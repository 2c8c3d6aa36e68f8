#include "lib/compiler/measure/MeasureDevice.h"

#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/measure/MeasureTarget.h"
#include "lib/runtime/cuda/CudaQueue.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace proa {
namespace {

/// Requests in an attempt, which gives the time of one request, and attempts; the shortest time counts.
constexpr int requests = 200, attempts = 5;

/// A kernel on a device, with memory for its operands, whose contents do not matter.
class DeviceProbe {
public:
  /// `program` has one kernel. `bytes` are the sizes of its operands and its result.
  static Result<std::unique_ptr<DeviceProbe>> create(const cuda::CudaContext &context, const GpuFacts &gpu,
                                                     const std::string &program, std::vector<int64_t> bytes) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    mlir::MLIRContext dialects(registry);
    dialects.loadAllAvailableDialects();
    CompileOptions options;
    options.target = TargetKind::Cuda;
    options.chip = gpu.name;
    options.cudaLibraries.emplace();
    options.cacheDirectory = options.tuningFile = "off";
    auto compiled = compileProgram(mlir::parseSourceString<mlir::ModuleOp>(program, &dialects), options);
    if (!compiled)
      return compiled.diagnostics();
    auto step = std::ranges::find_if(compiled->plan.steps, &runtime::Step::isOnDevice);
    if (step == compiled->plan.steps.end())
      return errorAt("", "a kernel that measures the device has no form on it:\n" + program);
    std::unique_ptr<DeviceProbe> probe(
        new DeviceProbe(context.driver, std::move(compiled->deviceCode), cuda::deviceOptions(context)));
    if (Result<void> opened = probe->open(*step, bytes); !opened)
      return opened.diagnostics();
    return probe;
  }

  Result<void> launch() { return queue->launch(kernel, rows, parameters); }

  /// Nanoseconds of the requests between two marks of the queue.
  Result<double> nanosecondsOf(const std::function<Result<void>()> &request) {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= attempts; ++i) { // the first one also loads code
      Result<size_t> begin = queue->mark();
      Result<void> done = begin ? request() : Result<void>(begin.diagnostics());
      Result<size_t> end = done ? queue->mark() : Result<size_t>(done.diagnostics());
      done = end ? queue->wait() : Result<void>(end.diagnostics());
      Result<double> time =
          done ? queue->nanosecondsBetween(*begin, *end) : Result<double>(done.diagnostics());
      if (!time)
        return time;
      best = i == 0 ? best : std::min(best, *time);
      queue->dropMarks();
    }
    return best;
  }

  /// Nanoseconds of each of many equal requests.
  Result<double> nanosecondsOfEach(const std::function<Result<void>()> &request) {
    Result<double> all = nanosecondsOf([&] { return repeated(request); });
    return all ? Result<double>(*all / requests) : all;
  }

  /// The same of launches: in a graph if sessions use graphs.
  Result<double> nanosecondsOfLaunch() {
    if (!device.recordsGraphs())
      return nanosecondsOfEach([&] { return launch(); });
    Result<void> recorded = queue->beginGraph();
    recorded = recorded ? repeated([&] { return launch(); }) : recorded;
    auto graph = queue->endGraph();
    if (!recorded || !graph)
      return (recorded ? graph.diagnostics() : recorded.diagnostics());
    Result<double> all = nanosecondsOf([&] { return queue->launch(**graph); });
    return all ? Result<double>(*all / requests) : all;
  }

  /// A matmul of the library that takes no time besides its call.
  Result<void> multiply() {
    cuda::LibraryMatmul matmul{.m = size, .n = size, .k = size};
    matmul.a.leading = matmul.b.leading = matmul.c.leading = matmul.d.leading = size;
    cuda::DeviceAddress matrix = parameters.front();
    return queue->multiply(matmul, {.a = matrix, .b = matrix, .d = parameters.back()});
  }
  static constexpr int64_t size = 16; ///< of the matrices of multiply()

private:
  DeviceProbe(std::shared_ptr<cuda::Driver> driver, cuda::DeviceCode code,
              const cuda::CudaDeviceOptions &options)
      : device(std::move(driver), std::move(code), options) {}

  Result<void> open(const runtime::Step &step, const std::vector<int64_t> &bytes) {
    if (step.launch.parameters != std::string(bytes.size(), 'p'))
      return errorAt("",
                     "the kernel '" + step.symbol + "' has other parameters than its operands and result");
    rows = step.rows;
    Result<size_t> bound = device.bind(step.symbol, step.launch);
    Result<std::unique_ptr<runtime::DeviceQueue>> created = device.createQueue();
    if (!bound || !created)
      return bound ? created.diagnostics() : bound.diagnostics();
    kernel = *bound;
    queue.reset(static_cast<cuda::CudaQueue *>(created->release()));
    for (int64_t size : bytes) {
      Result<std::shared_ptr<void>> buffer = queue->allocate(static_cast<size_t>(size));
      if (!buffer)
        return buffer.diagnostics();
      parameters.push_back(reinterpret_cast<uint64_t>(buffer->get()));
      buffers.push_back(std::move(*buffer));
    }
    return {};
  }

  static Result<void> repeated(const std::function<Result<void>()> &request) {
    Result<void> done;
    for (int i = 0; i < requests && done; ++i)
      done = request();
    return done;
  }

  cuda::CudaDevice device;
  std::unique_ptr<cuda::CudaQueue> queue;
  std::vector<std::shared_ptr<void>> buffers;
  std::vector<uint64_t> parameters;
  size_t kernel = 0;
  int64_t rows = 0;
};

/// A program of one kernel: y = relu(x).
std::string copyProgram(int64_t rows, int64_t columns) {
  std::string type = fmt::format("tensor<{}x{}xf32>", rows, columns);
  return fmt::format("func.func @main(%x: {0} {{pd.feed = \"x\"}}) -> ({0} {{pd.fetch = \"y\"}}) {{\n"
                     "  %y = pd.relu %x : ({0}) -> {0}\n  return %y : {0}\n}}\n",
                     type);
}

/// The start of a kernel, and a call of the library.
Result<void> measureStarts(const cuda::CudaContext &context, GpuFacts &gpu) {
  constexpr int64_t n = DeviceProbe::size, bytes = n * n * 4;
  auto probe = DeviceProbe::create(context, gpu, copyProgram(n, n), {bytes, bytes});
  if (!probe)
    return probe.diagnostics();
  Result<double> launch = (*probe)->nanosecondsOfLaunch();
  if (!launch)
    return launch.diagnostics();
  gpu.stepNanoseconds = asFact(*launch);
  if (!context.libraries || !context.libraries->check(cuda::cublasLt))
    return {};
  Result<double> call = (*probe)->nanosecondsOfEach([&] { return (*probe)->multiply(); });
  if (!call)
    return call.diagnostics();
  gpu.libraryNanoseconds = asFact(*call);
  return {};
}

/// The bandwidth of the memory: a copy of much more than the L2 cache has.
Result<void> measureMemory(const cuda::CudaContext &context, GpuFacts &gpu) {
  constexpr int64_t columns = 1024, most = int64_t(512) << 20;
  Result<cuda::MemoryInfo> memory = context.driver->memoryInfo();
  if (!memory)
    return memory.diagnostics();
  int64_t rows = std::max<int64_t>(std::min(memory->freeBytes / 8, most) / (columns * 4), 1),
          bytes = rows * columns * 4;
  auto probe = DeviceProbe::create(context, gpu, copyProgram(rows, columns), {bytes, bytes});
  if (!probe)
    return probe.diagnostics();
  Result<double> time = (*probe)->nanosecondsOf([&] { return (*probe)->launch(); });
  if (!time)
    return time.diagnostics();
  gpu.memoryBandwidth = asFact(2 * static_cast<double>(bytes) / *time * 1e3);
  return {};
}

/// The bandwidth of the L2 cache: sums of rows of a quarter of it, which is there from the launch before.
Result<void> measureCache(const cuda::CudaContext &context, GpuFacts &gpu) {
  constexpr int64_t columns = 1024;
  int64_t rows = context.driver->properties().l2Bytes / 4 / (columns * 4), bytes = rows * columns * 4;
  if (rows == 0)
    return {};
  std::string program = fmt::format("func.func @main(%x: tensor<{0}x{1}xf32> {{pd.feed = \"x\"}}) -> "
                                    "(tensor<{0}xf32> {{pd.fetch = \"y\"}}) {{\n"
                                    "  %y = pd.sum %x {{axis = array<i64: 1>, keepdim = false}} : "
                                    "(tensor<{0}x{1}xf32>) -> tensor<{0}xf32>\n"
                                    "  return %y : tensor<{0}xf32>\n}}\n",
                                    rows, columns);
  auto probe = DeviceProbe::create(context, gpu, program, {bytes, rows * 4});
  if (!probe)
    return probe.diagnostics();
  Result<double> time = (*probe)->nanosecondsOfLaunch();
  if (!time)
    return time.diagnostics();
  // Without the start of the kernel, which is at most half of it.
  double start = std::min(static_cast<double>(gpu.stepNanoseconds), *time / 2);
  double clocks = (*time - start) * static_cast<double>(gpu.clockMegahertz) / 1000;
  gpu.l2BytesPerClock =
      asFact(static_cast<double>(bytes) / clocks / static_cast<double>(gpu.multiprocessors));
  return {};
}

} // namespace

Result<void> measureDevice(const cuda::CudaContext &context, GpuFacts &gpu) {
  for (auto *measure : {measureStarts, measureMemory, measureCache})
    if (Result<void> measured = measure(context, gpu); !measured)
      return measured;
  return {};
}

} // namespace proa
