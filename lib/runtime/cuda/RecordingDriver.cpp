#include "lib/runtime/cuda/RecordingDriver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace proa::cuda {

namespace {

constexpr size_t alignment = 256;
constexpr int freshByte = 0xCD;

void *pointerOf(DeviceAddress address) { return reinterpret_cast<void *>(address); }

/// The content of a tensor map of the double.
struct EncodedMap {
  DeviceAddress address = 0;
  uint64_t bytes = 0; ///< of the tensor
  char text[112] = {};
};
static_assert(sizeof(EncodedMap) == sizeof(TensorMap));

void *allocateFilled(size_t bytes) {
  void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory)
    std::memset(memory, freshByte, bytes);
  return memory;
}

} // namespace

struct RecordingDriver::Stream {
  struct Item {
    Work work;
    std::shared_ptr<const Mark> mark = nullptr;
  };
  std::deque<Item> items;
  Graph *capture = nullptr; ///< of a capture that is under way
};

/// One record of an event.
struct RecordingDriver::Mark {
  Stream *stream = nullptr; ///< null: it was reached
  size_t line = 0;          ///< the number of lines before it
};

struct RecordingDriver::Event {
  std::shared_ptr<Mark> mark = std::make_shared<Mark>(); ///< the last one
};

struct RecordingDriver::Function {
  std::string name;
  size_t allowedSharedBytes = size_t(48) << 10;
};

struct RecordingDriver::Graph {
  std::vector<std::pair<std::string, Work>> items;
};

RecordingDriver::RecordingDriver(int64_t memoryBytes) {
  described = {.name = "recording driver",
               .major = 9,
               .minor = 0,
               .memoryBytes = memoryBytes,
               .multiprocessors = 4,
               .sharedBytesPerBlock = 232448,
               .driverVersion = 13000,
               .clockKilohertz = 1000000,
               .memoryClockKilohertz = 1000000,
               .memoryBusBits = 1024,
               .l2Bytes = int64_t(1) << 20};
}

RecordingDriver::~RecordingDriver() {
  for (auto [address, bytes] : memory)
    std::free(pointerOf(address));
  for (auto [address, bytes] : pinned)
    std::free(const_cast<void *>(address));
}

void RecordingDriver::registerKernel(const std::string &name, Kernel kernel) {
  std::lock_guard lock(mutex);
  kernels[name] = std::move(kernel);
}

void RecordingDriver::registerRowKernel(const std::string &name, runtime::KernelFunction function,
                                        const std::string &parameters) {
  rowParameters[name] = parameters;
  registerKernel(name, [function, parameters](const LaunchShape &, std::span<const uint64_t> values) {
    std::vector<void *> buffers;
    std::vector<int64_t> dims;
    for (size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i] == 'p')
        buffers.push_back(pointerOf(values[i]));
      else
        dims.push_back(static_cast<int64_t>(values[i]));
    std::span<const uint64_t> rows = values.last(2);
    function(buffers.data(), dims.data(), static_cast<int64_t>(rows[0]), static_cast<int64_t>(rows[1]));
  });
}

/// The error of the parameters of a row kernel.
std::optional<std::string> RecordingDriver::checkKernel(const std::string &name,
                                                        std::span<const uint64_t> values) const {
  auto parameters = rowParameters.find(name);
  if (parameters == rowParameters.end())
    return std::nullopt;
  if (values.size() != parameters->second.size() + 2)
    return fmt::format("kernel {} gets {} parameters, expected {}", name, values.size(),
                       parameters->second.size() + 2);
  for (size_t i = 0; i + 2 < values.size(); ++i)
    if (parameters->second[i] == 'p' && !checkDevice(values[i], 1))
      return fmt::format("parameter {} of kernel {} is not in device memory", i, name);
  return std::nullopt;
}

std::vector<std::string> RecordingDriver::log() const {
  std::lock_guard lock(mutex);
  return lines;
}

void RecordingDriver::setCost(Cost milliseconds) {
  std::lock_guard lock(mutex);
  cost = std::move(milliseconds);
}

void RecordingDriver::clearLog() {
  std::lock_guard lock(mutex);
  dropped += lines.size();
  lines.clear();
}

int64_t RecordingDriver::allocatedBytes() const {
  std::lock_guard lock(mutex);
  int64_t total = 0;
  for (auto [address, bytes] : memory)
    total += static_cast<int64_t>(bytes);
  return total;
}

void RecordingDriver::failCalls(const std::string &function, const std::string &error, int passed,
                                int times) {
  std::lock_guard lock(mutex);
  failures[function] = {error, passed, times};
}

/// Called first in each method, for failCalls.
Result<void> RecordingDriver::entered(const char *function) {
  auto failure = failures.find(function);
  if (failure == failures.end() || failure->second.passed-- > 0)
    return {};
  failure->second.passed = 0;
  if (failure->second.times-- <= 0) {
    failures.erase(failure);
    return {};
  }
  return errorAt("", std::string(function) + ": " + failure->second.error);
}

Result<void> RecordingDriver::makeCurrent() {
  std::lock_guard lock(mutex);
  return entered("cuCtxSetCurrent");
}

Result<MemoryInfo> RecordingDriver::memoryInfo() {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuMemGetInfo"); !done)
    return done.diagnostics();
  return MemoryInfo{described.memoryBytes - allocatedBytes(), described.memoryBytes};
}

Result<DeviceAddress> RecordingDriver::allocate(size_t bytes) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuMemAlloc"); !done)
    return done.diagnostics();
  if (bytes == 0)
    return errorAt("", "cuMemAlloc: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  if (std::ranges::any_of(streams, [](const auto &stream) { return stream->capture != nullptr; }))
    return errorAt("", "cuMemAlloc: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (operation not permitted when "
                       "stream is capturing)");
  void *address = allocatedBytes() + static_cast<int64_t>(bytes) <= described.memoryBytes
                      ? allocateFilled(bytes)
                      : nullptr;
  if (!address)
    return errorAt("", "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  memory[reinterpret_cast<DeviceAddress>(address)] = bytes;
  return reinterpret_cast<DeviceAddress>(address);
}

/// As on a device, memory is freed after everything that was requested before.
Result<void> RecordingDriver::free(DeviceAddress address) {
  std::lock_guard lock(mutex);
  Diagnostics diagnostics;
  for (auto &stream : streams)
    diagnostics.append(run(*stream, nullptr).diagnostics());
  if (memory.erase(address) == 0)
    diagnostics.add("", "cuMemFree: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  else
    std::free(pointerOf(address));
  return diagnostics;
}

Result<void *> RecordingDriver::allocatePinned(size_t bytes) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuMemHostAlloc"); !done)
    return done.diagnostics();
  void *address = allocateFilled(bytes);
  if (!address)
    return errorAt("", "cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  pinned[address] = bytes;
  return address;
}

Result<void> RecordingDriver::freePinned(void *address) {
  std::lock_guard lock(mutex);
  if (pinned.erase(address) == 0)
    return errorAt("", "cuMemFreeHost: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  std::free(address);
  return {};
}

bool RecordingDriver::isPinned(const void *address) const {
  auto after = pinned.upper_bound(address);
  if (after == pinned.begin())
    return false;
  auto [begin, bytes] = *std::prev(after);
  return static_cast<const std::byte *>(address) < static_cast<const std::byte *>(begin) + bytes;
}

Result<void> RecordingDriver::checkDevice(DeviceAddress address, size_t bytes) const {
  auto after = memory.upper_bound(address);
  if (after != memory.begin())
    if (auto [begin, size] = *std::prev(after); address - begin <= size && bytes <= size - (address - begin))
      return {};
  return errorAt("", fmt::format("access of {} bytes outside of device memory", bytes));
}

Result<StreamHandle> RecordingDriver::createStream() {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuStreamCreate"); !done)
    return done.diagnostics();
  return StreamHandle{streams.emplace_back(std::make_unique<Stream>()).get()};
}

Result<void> RecordingDriver::destroyStream(StreamHandle stream) {
  std::lock_guard lock(mutex);
  Result<void> done = run(*static_cast<Stream *>(stream.value), nullptr);
  std::erase_if(streams, [&](const auto &owned) { return owned.get() == stream.value; });
  return done;
}

/// Runs the stream up to an event, or to its end.
Result<void> RecordingDriver::run(Stream &stream, const Mark *until) {
  Diagnostics diagnostics;
  while (!stream.items.empty()) {
    Stream::Item item = std::move(stream.items.front());
    stream.items.pop_front();
    if (item.work)
      diagnostics.append(item.work().diagnostics());
    if (item.mark && item.mark.get() == until)
      break;
  }
  return diagnostics;
}

Result<void> RecordingDriver::synchronize(StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuStreamSynchronize"); !done)
    return done;
  auto *found = static_cast<Stream *>(stream.value);
  if (found->capture)
    return errorAt("", "cuStreamSynchronize: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (operation not permitted "
                       "when stream is capturing)");
  lines.emplace_back("wait");
  return run(*found, nullptr);
}

Result<bool> RecordingDriver::isDone(StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuStreamQuery"); !done)
    return done.diagnostics();
  Result<void> done = run(*static_cast<Stream *>(stream.value), nullptr);
  return done ? Result<bool>(true) : Result<bool>(done.diagnostics());
}

Result<void> RecordingDriver::enqueue(StreamHandle stream, std::string line, Work work) {
  auto *found = static_cast<Stream *>(stream.value);
  if (found->capture) {
    found->capture->items.emplace_back(std::move(line), std::move(work));
    return {};
  }
  lines.push_back(std::move(line));
  found->items.push_back({std::move(work)});
  return {};
}

Result<void> RecordingDriver::copyToDevice(DeviceAddress to, const void *from, size_t bytes,
                                           StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuMemcpyHtoDAsync"); !done)
    return done;
  std::string line = fmt::format("copy to device {}", bytes);
  if (isPinned(from))
    return enqueue(stream, line, [=, this] {
      Result<void> valid = checkDevice(to, bytes);
      if (valid)
        std::memcpy(pointerOf(to), from, bytes);
      return valid;
    });
  auto *begin = static_cast<const std::byte *>(from);
  return enqueue(stream, line, [=, this, copy = std::vector<std::byte>(begin, begin + bytes)] {
    Result<void> valid = checkDevice(to, bytes);
    if (valid && bytes > 0)
      std::memcpy(pointerOf(to), copy.data(), bytes);
    return valid;
  });
}

Result<void> RecordingDriver::copyToHost(void *to, DeviceAddress from, size_t bytes, StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuMemcpyDtoHAsync"); !done)
    return done;
  return enqueue(stream, fmt::format("copy to host {}", bytes), [=, this] {
    Result<void> valid = checkDevice(from, bytes);
    if (valid)
      std::memcpy(to, pointerOf(from), bytes);
    return valid;
  });
}

Result<void> RecordingDriver::copyOnDevice(DeviceAddress to, DeviceAddress from, size_t bytes,
                                           StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuMemcpyDtoDAsync"); !done)
    return done;
  return enqueue(stream, fmt::format("copy on device {}", bytes), [=, this] {
    Diagnostics diagnostics = checkDevice(from, bytes).diagnostics();
    diagnostics.append(checkDevice(to, bytes).diagnostics());
    if (diagnostics.empty())
      std::memmove(pointerOf(to), pointerOf(from), bytes);
    return Result<void>(diagnostics);
  });
}

Result<void> RecordingDriver::copyRowsOnDevice(const RowCopy &copy, StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuMemcpy2DAsync"); !done)
    return done;
  if (copy.rowBytes > copy.fromPitch || copy.rowBytes > copy.toPitch)
    return errorAt("", "cuMemcpy2DAsync: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  return enqueue(stream, fmt::format("copy on device {}x{}", copy.rows, copy.rowBytes), [=, this] {
    Diagnostics diagnostics;
    for (size_t row = 0; row < copy.rows && diagnostics.empty(); ++row) {
      DeviceAddress to = copy.to + row * copy.toPitch, from = copy.from + row * copy.fromPitch;
      diagnostics.append(checkDevice(from, copy.rowBytes).diagnostics());
      diagnostics.append(checkDevice(to, copy.rowBytes).diagnostics());
      if (diagnostics.empty())
        std::memmove(pointerOf(to), pointerOf(from), copy.rowBytes);
    }
    return Result<void>(diagnostics);
  });
}

Result<void> RecordingDriver::fill(DeviceAddress to, uint8_t byte, size_t bytes, StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuMemsetD8Async"); !done)
    return done;
  return enqueue(stream, fmt::format("fill {}", bytes), [=, this] {
    Result<void> valid = checkDevice(to, bytes);
    if (valid)
      std::memset(pointerOf(to), byte, bytes);
    return valid;
  });
}

Result<EventHandle> RecordingDriver::createEvent() {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuEventCreate"); !done)
    return done.diagnostics();
  return EventHandle{events.emplace_back(std::make_unique<Event>()).get()};
}

Result<void> RecordingDriver::destroyEvent(EventHandle event) {
  std::lock_guard lock(mutex);
  std::erase_if(events, [&](const auto &owned) { return owned.get() == event.value; });
  return {};
}

Result<void> RecordingDriver::record(EventHandle event, StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuEventRecord"); !done)
    return done;
  auto *found = static_cast<Stream *>(stream.value);
  auto mark = std::make_shared<Mark>(Mark{found, dropped + lines.size()});
  static_cast<Event *>(event.value)->mark = mark;
  found->items.push_back({[mark] {
                            mark->stream = nullptr;
                            return Result<void>();
                          },
                          mark});
  return {};
}

Result<void> RecordingDriver::synchronize(EventHandle event) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuEventSynchronize"); !done)
    return done;
  const Mark &mark = *static_cast<Event *>(event.value)->mark;
  return mark.stream ? run(*mark.stream, &mark) : Result<void>();
}

Result<void> RecordingDriver::wait(StreamHandle stream, EventHandle event) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuStreamWaitEvent"); !done)
    return done;
  return enqueue(stream, "wait for event", [this, mark = static_cast<Event *>(event.value)->mark] {
    return mark->stream ? run(*mark->stream, mark.get()) : Result<void>();
  });
}

Result<float> RecordingDriver::elapsed(EventHandle begin, EventHandle end) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuEventElapsedTime"); !done)
    return done.diagnostics();
  for (EventHandle event : {begin, end})
    if (static_cast<Event *>(event.value)->mark->stream)
      return errorAt("", "cuEventElapsedTime: CUDA_ERROR_NOT_READY (device not ready)");
  if (!cost)
    return 0.001F;
  double sum = 0;
  size_t first = static_cast<Event *>(begin.value)->mark->line,
         last = static_cast<Event *>(end.value)->mark->line;
  for (size_t i = std::max(first, dropped); i < last; ++i)
    sum += cost(lines[i - dropped]);
  return static_cast<float>(sum);
}

Result<ModuleHandle> RecordingDriver::loadModule(const std::string &image) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuModuleLoadDataEx"); !done)
    return done.diagnostics();
  auto *module = reinterpret_cast<const void *>(++modulesLoaded);
  modules.insert(module);
  return ModuleHandle{const_cast<void *>(module)};
}

Result<void> RecordingDriver::unloadModule(ModuleHandle module) {
  std::lock_guard lock(mutex);
  return modules.erase(module.value) ? Result<void>()
                                     : Result<void>(errorAt("", "cuModuleUnload: CUDA_ERROR_INVALID_HANDLE"));
}

Result<FunctionHandle> RecordingDriver::function(ModuleHandle module, const std::string &name) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuModuleGetFunction"); !done)
    return done.diagnostics();
  functions.push_back(std::make_unique<Function>());
  functions.back()->name = name;
  return FunctionHandle{functions.back().get()};
}

Result<void> RecordingDriver::allowSharedBytes(FunctionHandle function, size_t bytes) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuFuncSetAttribute"); !done)
    return done;
  if (bytes > static_cast<size_t>(described.sharedBytesPerBlock))
    return errorAt("", "cuFuncSetAttribute: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  static_cast<Function *>(function.value)->allowedSharedBytes = bytes;
  return {};
}

Result<TensorMap> RecordingDriver::encode(const TensorLayout &layout) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuTensorMapEncodeTiled"); !done)
    return done.diagnostics();
  auto bytes = static_cast<uint64_t>(layout.elementBytes);
  bool isValid = layout.address % 16 == 0 && !layout.dims.empty() && layout.dims.size() <= 5 &&
                 layout.dims.size() == layout.box.size();
  for (size_t i = layout.dims.size(); i-- > 0;) {
    isValid &= layout.dims[i] >= 1 && layout.box[i] >= 1 && layout.box[i] <= 256;
    bytes *= static_cast<uint64_t>(layout.dims[i]);
    isValid &= i == 0 || bytes % 16 == 0;
  }
  if (!isValid)
    return errorAt("", "cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  TensorMap map;
  EncodedMap fields{layout.address, bytes, {}};
  fmt::format_to_n(fields.text, sizeof(fields.text) - 1, "{}*{} box {} swizzle {}",
                   fmt::join(layout.dims, "x"), layout.elementBytes, fmt::join(layout.box, "x"),
                   layout.swizzle);
  std::memcpy(map.bytes.data(), &fields, sizeof(fields));
  return map;
}

Result<void> RecordingDriver::launch(FunctionHandle function, const LaunchShape &shape,
                                     std::span<const uint64_t> parameters, StreamHandle stream,
                                     std::span<const TensorMap> tensorMaps) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuLaunchKernel"); !done)
    return done;
  const auto &launched = *static_cast<Function *>(function.value);
  if (shape.blocks == 0 || shape.threads == 0 || shape.threads > 1024 ||
      shape.sharedBytes > launched.allowedSharedBytes)
    return errorAt("", "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  std::string line =
      fmt::format("launch {} {}x{}+{}", launched.name, shape.blocks, shape.threads, shape.sharedBytes);
  std::vector<std::pair<DeviceAddress, size_t>> regions;
  for (const TensorMap &map : tensorMaps) {
    EncodedMap fields;
    std::memcpy(&fields, map.bytes.data(), sizeof(fields));
    line += fmt::format(" map {}", fields.text);
    regions.emplace_back(fields.address, fields.bytes);
  }
  auto kernel = kernels.find(launched.name);
  if (kernel == kernels.end())
    return request(stream, line, std::move(regions), [] {});
  return enqueue(stream, line,
                 [this, name = launched.name, kernel = kernel->second, shape, regions = std::move(regions),
                  values = std::vector<uint64_t>(parameters.begin(), parameters.end())]() -> Result<void> {
                   if (std::optional<std::string> wrong = checkKernel(name, values))
                     return errorAt("", *wrong);
                   for (auto [address, bytes] : regions)
                     if (Result<void> found = checkDevice(address, bytes); !found)
                       return found;
                   kernel(shape, values);
                   return {};
                 });
}

Result<void> RecordingDriver::request(StreamHandle stream, const std::string &line,
                                      std::vector<std::pair<DeviceAddress, size_t>> regions,
                                      std::function<void()> work) {
  std::lock_guard lock(mutex);
  return enqueue(stream, line, [this, regions = std::move(regions), work = std::move(work)] {
    Diagnostics diagnostics;
    for (auto [address, bytes] : regions)
      diagnostics.append(checkDevice(address, bytes).diagnostics());
    if (diagnostics.empty())
      work();
    return Result<void>(diagnostics);
  });
}

Result<void> RecordingDriver::beginCapture(StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuStreamBeginCapture"); !done)
    return done;
  static_cast<Stream *>(stream.value)->capture = graphs.emplace_back(std::make_unique<Graph>()).get();
  return {};
}

Result<GraphHandle> RecordingDriver::endCapture(StreamHandle stream) {
  std::lock_guard lock(mutex);
  Graph *captured = std::exchange(static_cast<Stream *>(stream.value)->capture, nullptr);
  for (const char *function : {"cuStreamEndCapture", "cuGraphInstantiate"})
    if (Result<void> done = entered(function); !done)
      return done.diagnostics();
  return captured ? Result<GraphHandle>(GraphHandle{captured})
                  : Result<GraphHandle>(errorAt("", "cuStreamEndCapture: CUDA_ERROR_ILLEGAL_STATE"));
}

Result<void> RecordingDriver::launch(GraphHandle graph, StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> done = entered("cuGraphLaunch"); !done)
    return done;
  lines.emplace_back("launch graph");
  for (const auto &[line, work] : static_cast<Graph *>(graph.value)->items)
    static_cast<Stream *>(stream.value)->items.push_back({work});
  return {};
}

Result<void> RecordingDriver::destroyGraph(GraphHandle graph) {
  std::lock_guard lock(mutex);
  std::erase_if(graphs, [&](const auto &owned) { return owned.get() == graph.value; });
  return {};
}

} // namespace proa::cuda
