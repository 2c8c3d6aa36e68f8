#include "lib/runtime/cuda/CudaQueue.h"

#include "lib/runtime/ranks/Communicator.h"
#include "lib/runtime/run/Frame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

namespace proa::cuda {
namespace {

using runtime::BufferPool;

constexpr size_t maximalStagedBytes = size_t(256) << 20;
constexpr size_t namedRequests = 8; ///< in the error of a wait

DeviceAddress addressOf(const void *memory) { return reinterpret_cast<DeviceAddress>(memory); }

class CudaGraph final : public runtime::DeviceGraph {
public:
  /// `memory` holds the workspaces whose addresses are in the graph.
  CudaGraph(std::shared_ptr<Driver> driver, GraphHandle graph, std::vector<std::shared_ptr<void>> memory)
      : driver(std::move(driver)), graph(graph), memory(std::move(memory)) {}
  ~CudaGraph() override { (void)bool(driver->destroyGraph(graph)); }
  GraphHandle handle() const { return graph; }

private:
  std::shared_ptr<Driver> driver;
  GraphHandle graph;
  std::vector<std::shared_ptr<void>> memory;
};

} // namespace

CudaQueue::CudaQueue(CudaDevice &device, StreamHandle stream)
    : device(device), driver(device.sharedDriver()), stream(stream),
      pinned([driver = driver](size_t bytes) -> std::shared_ptr<void> {
        Result<void *> memory = driver->allocatePinned(bytes);
        if (!memory)
          return nullptr;
        return {*memory, [driver](void *address) { (void)bool(driver->freePinned(address)); }};
      }) {}

CudaQueue::~CudaQueue() {
  abandon();
  for (EventHandle event : marks)
    (void)bool(driver->destroyEvent(event));
  (void)bool(driver->destroyStream(stream));
  if (second.stream.value)
    (void)bool(driver->destroyStream(second.stream));
}

void CudaQueue::enter(const runtime::Step &entered) { step = &entered; }

Result<std::shared_ptr<void>> CudaQueue::allocate(size_t bytes) {
  Result<DeviceAddress> memory = driver->allocate(bytes);
  if (!memory)
    return memory.diagnostics();
  return std::shared_ptr<void>(reinterpret_cast<void *>(*memory), [driver = driver](void *address) {
    (void)bool(driver->free(addressOf(address)));
  });
}

Result<DeviceAddress> CudaQueue::workspace(size_t bytes) {
  Result<void> grown = bytes <= lane->workBytes ? Result<void>() : growWorkspace(bytes);
  if (!grown)
    return grown.diagnostics();
  if (isRecording && (recordedWork.empty() || recordedWork.back() != lane->work))
    recordedWork.push_back(lane->work);
  return addressOf(lane->work.get());
}

Result<void> CudaQueue::growWorkspace(size_t bytes) {
  // Memory is freed after the work that uses it.
  lane->work = nullptr;
  lane->workBytes = 0;
  Result<std::shared_ptr<void>> memory = allocate(bytes);
  if (!memory)
    return errorAt("", fmt::format("no memory on {} for a workspace of {} bytes ({}): {}", device.name(),
                                   bytes, device.memoryText(), memory.diagnostics()[0].message));
  lane->work = std::move(*memory);
  lane->workBytes = bytes;
  return {};
}

/// Without memory for a copy that is left to the driver.
BufferPool::Buffer CudaQueue::acquireStaging(size_t bytes) {
  if (bytes > device.settings().stagingBytes)
    return {};
  size_t used = 0;
  for (const Staged &copy : staged)
    used += copy.bytes;
  return used + bytes <= maximalStagedBytes ? pinned.acquire(bytes) : BufferPool::Buffer();
}

Result<void> CudaQueue::copyToDevice(void *to, const void *from, size_t bytes) {
  isIdle = false;
  BufferPool::Buffer staging = acquireStaging(bytes);
  if (!staging.memory)
    return driver->copyToDevice(addressOf(to), from, bytes, stream);
  std::memcpy(staging.memory.get(), from, bytes);
  Result<void> done = driver->copyToDevice(addressOf(to), staging.memory.get(), bytes, stream);
  staged.push_back({nullptr, bytes, std::move(staging)});
  return done;
}

Result<void> CudaQueue::copyToHost(void *to, const void *from, size_t bytes) {
  isIdle = false;
  BufferPool::Buffer staging = acquireStaging(bytes);
  if (!staging.memory)
    return driver->copyToHost(to, addressOf(from), bytes, stream);
  Result<void> done = driver->copyToHost(staging.memory.get(), addressOf(from), bytes, stream);
  if (done)
    staged.push_back({to, bytes, std::move(staging)});
  return done;
}

Result<void> CudaQueue::copyOnDevice(void *to, const void *from, size_t bytes) {
  isIdle = false;
  return driver->copyOnDevice(addressOf(to), addressOf(from), bytes, lane->stream);
}

Result<void> CudaQueue::fillZero(void *to, size_t bytes) {
  isIdle = false;
  return bytes == 0 ? Result<void>() : driver->fill(addressOf(to), 0, bytes, lane->stream);
}

void CudaQueue::remember(const std::string &name) {
  isIdle = false;
  if (step && !launched.empty() && launched.back().step == step)
    return;
  launched.push_back({step, step ? "" : name});
  if (launched.size() > namedRequests)
    launched.pop_front();
}

/// The tensor maps of a launch with these parameters.
Result<std::vector<TensorMap>> CudaQueue::encodeMaps(const CudaDevice::Kernel &kernel,
                                                     std::span<const uint64_t> given) {
  std::vector<TensorMap> maps;
  if (kernel.tensorMaps.empty())
    return maps;
  std::vector<uint64_t> buffers, dims;
  for (size_t i = 0; i < given.size(); ++i)
    (kernel.parameters[i] == 'p' ? buffers : dims).push_back(given[i]);
  for (const runtime::TensorMapParameter &parameter : kernel.tensorMaps) {
    TensorLayout layout{buffers[static_cast<size_t>(parameter.buffer)],
                        parameter.elementBytes,
                        {},
                        parameter.box,
                        parameter.swizzle};
    for (const runtime::TensorMapParameter::Size &size : parameter.sizes) {
      int64_t product = size.constant;
      for (int32_t dim : size.dims)
        product *= static_cast<int64_t>(dims[static_cast<size_t>(dim)]);
      layout.dims.push_back(std::max<int64_t>(product, 1)); // of an empty tensor nothing is read
    }
    Result<TensorMap> map = driver->encode(layout);
    if (!map)
      return map.diagnostics();
    maps.push_back(*map);
  }
  return maps;
}

Result<void> CudaQueue::requested(Result<void> done) {
  bool waits = done && device.settings().waitsAfterLaunch && !isRecording;
  return waits ? wait() : done;
}

Result<void> CudaQueue::launch(size_t index, int64_t rows, std::span<const uint64_t> given) {
  CudaDevice::Kernel kernel = device.kernel(index);
  remember(kernel.symbol);
  parameters.assign(given.begin(), given.end());
  parameters.push_back(0);
  parameters.push_back(static_cast<uint64_t>(rows));
  int64_t most = std::numeric_limits<int32_t>::max();
  if (kernel.residentBlocks > 0)
    most = int64_t(kernel.residentBlocks) * std::max(1, driver->properties().multiprocessors);
  auto blocks = static_cast<uint32_t>(std::min(rows, most));
  Result<std::vector<TensorMap>> maps = encodeMaps(kernel, given);
  if (!maps)
    return maps.diagnostics();
  return requested(driver->launch(kernel.function, {blocks, kernel.threads, kernel.sharedBytes}, parameters,
                                  stream, *maps));
}

Result<void> CudaQueue::multiply(const LibraryMatmul &matmul, const MatrixAddresses &addresses) {
  Result<std::shared_ptr<Blas>> blas = libraries().blas.get();
  if (!blas)
    return blas.diagnostics();
  Result<DeviceAddress> memory = workspace((*blas)->workspaceBytes());
  if (!memory)
    return memory.diagnostics();
  remember("matmul");
  return requested((*blas)->multiply(matmul, addresses, *memory, stream));
}

Result<void> CudaQueue::convolve(const Convolution &convolution, const ConvolutionAddresses &addresses) {
  Result<std::shared_ptr<Dnn>> dnn = libraries().dnn.get();
  if (!dnn)
    return dnn.diagnostics();
  Result<size_t> bytes = (*dnn)->workspaceBytes(convolution);
  if (!bytes)
    return bytes.diagnostics();
  Result<DeviceAddress> memory = workspace(std::max<size_t>(*bytes, 1));
  if (!memory)
    return memory.diagnostics();
  remember("convolution");
  return requested((*dnn)->convolve(convolution, addresses, *memory, stream));
}

Result<void> CudaQueue::expectZeros(DeviceAddress codes, size_t count,
                                    std::function<std::string(size_t i, int32_t code)> describe) {
  size_t bytes = count * sizeof(int32_t);
  BufferPool::Buffer memory = acquireStaging(bytes);
  bool isPinned = memory.memory != nullptr;
  if (!isPinned) {
    auto values = std::make_shared<std::vector<int32_t>>(count);
    memory = {std::shared_ptr<void>(values, values->data()), bytes};
  }
  isIdle = false;
  if (Result<void> done = driver->copyToHost(memory.memory.get(), codes, bytes, stream); !done)
    return done;
  auto check = [count, describe = std::move(describe), step = step](const void *data) -> Result<void> {
    auto *values = static_cast<const int32_t *>(data);
    for (size_t i = 0; i < count; ++i)
      if (values[i] != 0)
        return errorAt(step ? runtime::locationOf(*step) : "", describe(i, values[i]));
    return {};
  };
  staged.push_back({nullptr, bytes, std::move(memory), std::move(check), isPinned});
  return {};
}

Result<void> CudaQueue::enterGroup(std::shared_ptr<CollectiveGroup> group,
                                   runtime::Communicator *communicator) {
  remember("collective");
  watched.insert(std::move(group));
  watchedBy = communicator;
  return lane == &main && !underWay.empty() ? driver->wait(stream, underWay.back()) : Result<void>();
}

/// Work on the second stream, up to an event.
class CudaQueue::Started final : public runtime::StartedWork {
public:
  Started(CudaQueue &queue, EventHandle end) : queue(queue), end(end) {}

  Result<void> wait() override {
    Result<void> done = queue.driver->wait(queue.stream, end);
    std::erase_if(queue.underWay, [&](EventHandle event) { return event.value == end.value; });
    Result<void> destroyed = queue.driver->destroyEvent(end);
    return done ? destroyed : done;
  }

private:
  CudaQueue &queue;
  EventHandle end;
};

Result<void> CudaQueue::beginStarted() {
  if (!second.stream.value) {
    Result<StreamHandle> created = driver->createStream();
    if (!created)
      return created.diagnostics();
    second.stream = *created;
  }
  Result<EventHandle> begin = driver->createEvent();
  if (!begin)
    return begin.diagnostics();
  Result<void> done = driver->record(*begin, stream);
  if (done)
    done = driver->wait(second.stream, *begin);
  Result<void> destroyed = driver->destroyEvent(*begin);
  if (!done || !destroyed)
    return done ? destroyed : done;
  isIdle = false;
  lane = &second;
  return {};
}

Result<std::unique_ptr<runtime::StartedWork>> CudaQueue::endStarted() {
  lane = &main;
  Result<EventHandle> end = driver->createEvent();
  if (!end)
    return end.diagnostics();
  underWay.push_back(*end);
  if (Result<void> done = driver->record(*end, second.stream); !done)
    return done.diagnostics();
  return std::unique_ptr<runtime::StartedWork>(std::make_unique<Started>(*this, *end));
}

/// Waits for work that other devices must take part in. The host would wait for ever if one of them failed.
Result<void> CudaQueue::waitWithOthers() {
  constexpr auto pause = std::chrono::microseconds(50);
  Result<void> state;
  while (state) {
    Result<bool> done = driver->isDone(stream);
    if (!done)
      return done.diagnostics();
    for (const auto &group : watched)
      if (state)
        state = group->check();
    if (*done || !state)
      break;
    if (watchedBy)
      state = watchedBy->checkOthers("collectives of " + device.name());
    std::this_thread::sleep_for(pause);
  }
  if (!state)
    for (const auto &group : watched)
      group->abort();
  return state;
}

Result<void> CudaQueue::wait() {
  isIdle = true;
  Result<void> done = watched.empty() ? Result<void>() : waitWithOthers();
  if (done)
    done = driver->synchronize(stream);
  Diagnostics diagnostics = done ? Diagnostics() : failed(done.diagnostics());
  if (Result<void> checked = release(/*completes=*/diagnostics.empty()); !checked)
    diagnostics.append(checked.diagnostics());
  return diagnostics;
}

void CudaQueue::abandon() {
  if (isRecording)
    (void)bool(endGraph());
  if (!isIdle || !underWay.empty()) {
    for (const auto &group : watched)
      group->abort();
    (void)bool(driver->synchronize(stream));
  }
  if (!underWay.empty())
    (void)bool(driver->synchronize(second.stream));
  for (EventHandle event : std::exchange(underWay, {}))
    (void)bool(driver->destroyEvent(event));
  isIdle = true;
  (void)bool(release(/*completes=*/false));
}

Result<void> CudaQueue::release(bool completes) {
  Result<void> checked;
  for (Staged &copy : staged) {
    if (copy.target && completes)
      std::memcpy(copy.target, copy.memory.memory.get(), copy.bytes);
    if (copy.check && completes && checked)
      checked = copy.check(copy.memory.memory.get());
    if (copy.isPinned)
      pinned.release(std::move(copy.memory));
  }
  staged.clear();
  launched.clear();
  if (underWay.empty())
    watched.clear();
  return checked;
}

/// The error of asynchronous work, with the steps that may have caused it.
Diagnostics CudaQueue::failed(const Diagnostics &diagnostics) const {
  std::vector<std::string> locations;
  for (const Request &request : launched)
    locations.push_back(request.step ? runtime::locationOf(*request.step) : request.name);
  std::string where = device.name();
  if (locations.size() == 1)
    where += ", in " + locations.front();
  else if (!locations.empty())
    where += fmt::format(", in one of the steps '{}'", fmt::join(locations, "', '"));
  Diagnostics named;
  for (const Diagnostic &p : diagnostics)
    named.add(p.location, where + ": " + p.message);
  return named;
}

Result<void> CudaQueue::beginGraph() {
  Result<void> done = driver->beginCapture(stream);
  isRecording = static_cast<bool>(done);
  recordedWork.clear();
  return done;
}

Result<std::shared_ptr<runtime::DeviceGraph>> CudaQueue::endGraph() {
  isRecording = false;
  Result<GraphHandle> graph = driver->endCapture(stream);
  if (!graph)
    return graph.diagnostics();
  return std::shared_ptr<runtime::DeviceGraph>(
      std::make_shared<CudaGraph>(driver, *graph, std::move(recordedWork)));
}

Result<void> CudaQueue::launch(const runtime::DeviceGraph &graph) {
  remember("graph");
  return requested(driver->launch(static_cast<const CudaGraph &>(graph).handle(), stream));
}

Result<size_t> CudaQueue::mark() {
  if (markCount == marks.size()) {
    Result<EventHandle> event = driver->createEvent();
    if (!event)
      return event.diagnostics();
    marks.push_back(*event);
  }
  isIdle = false;
  if (Result<void> done = driver->record(marks[markCount], stream); !done)
    return done.diagnostics();
  return markCount++;
}

Result<double> CudaQueue::nanosecondsBetween(size_t first, size_t second) {
  Result<float> milliseconds = driver->elapsed(marks[first], marks[second]);
  return milliseconds ? Result<double>(1e6 * static_cast<double>(*milliseconds))
                      : Result<double>(milliseconds.diagnostics());
}

void CudaQueue::dropMarks() { markCount = 0; }

} // namespace proa::cuda
