/// A double of the CUDA driver for tests: device memory is host memory, and kernels are host functions.
#pragma once

#include "lib/runtime/cuda/Driver.h"
#include "lib/runtime/run/Frame.h"

#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace proa::cuda {

/// Executes copies and launches late: when the host waits for their stream or for a later event. A missing
/// wait therefore shows as wrong results. Copies from pageable host memory to the device read it at once, as
/// NVIDIA's driver does; all other host memory is accessed late.
///
/// Kernels run as the host functions that are registered under their names; others are only recorded. Freshly
/// allocated memory is filled with the byte 0xCD. Bad use is an error of the call or, if it is found late, of
/// the wait: access of memory that was not allocated or was freed, or a launch of more threads than a block
/// has.
class RecordingDriver final : public Driver {
public:
  /// The blocks of one launch, on the parameters of the kernel. Addresses point to host memory.
  using Kernel = std::function<void(const LaunchShape &shape, std::span<const uint64_t> parameters)>;

  explicit RecordingDriver(int64_t memoryBytes = int64_t(1) << 32);
  ~RecordingDriver() override;

  /// Sets the function that runs for kernels of this name, in every module.
  void registerKernel(const std::string &name, Kernel kernel);

  /// Runs a kernel compiled for the CPU, or an emulated one, under this name. `parameters` are as in
  /// DeviceLaunch. An address outside of device memory is an error.
  void registerRowKernel(const std::string &name, runtime::KernelFunction function,
                         const std::string &parameters);

  /// Requests work of a library on a stream; `line` is the line of the log. `regions` are addresses and sizes
  /// in device memory that it accesses.
  Result<void> request(StreamHandle stream, const std::string &line,
                       std::vector<std::pair<DeviceAddress, size_t>> regions, std::function<void()> work);

  /// The requests in order, one line each: "copy to device 64", "launch exp 4x128+0", "wait". Memory,
  /// modules and handles are left out.
  std::vector<std::string> log() const;
  void clearLog();
  /// Device memory that was allocated and not freed.
  int64_t allocatedBytes() const;
  /// Makes the call with this name fail from now on, `times` times, after `passed` calls that do not, as in
  /// failCalls("cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY").
  void failCalls(const std::string &function, const std::string &error, int passed = 0,
                 int times = std::numeric_limits<int>::max());
  /// Milliseconds of a request, by its line of the log; the time between two events is the sum of those
  /// between them. At first a microsecond is between any two events.
  using Cost = std::function<double(const std::string &line)>;
  void setCost(Cost milliseconds);
  /// Properties of the device that the test sets before it is used.
  DeviceProperties &describe() { return described; }

  const DeviceProperties &properties() const override { return described; }
  Result<MemoryInfo> memoryInfo() override;
  Result<void> makeCurrent() override;
  Result<DeviceAddress> allocate(size_t bytes) override;
  Result<void> free(DeviceAddress memory) override;
  Result<void *> allocatePinned(size_t bytes) override;
  Result<void> freePinned(void *memory) override;
  Result<StreamHandle> createStream() override;
  Result<void> destroyStream(StreamHandle stream) override;
  Result<void> synchronize(StreamHandle stream) override;
  Result<bool> isDone(StreamHandle stream) override;
  Result<void> copyToDevice(DeviceAddress to, const void *from, size_t bytes, StreamHandle stream) override;
  Result<void> copyToHost(void *to, DeviceAddress from, size_t bytes, StreamHandle stream) override;
  Result<void> copyOnDevice(DeviceAddress to, DeviceAddress from, size_t bytes, StreamHandle stream) override;
  Result<void> copyRowsOnDevice(const RowCopy &copy, StreamHandle stream) override;
  Result<void> fill(DeviceAddress to, uint8_t byte, size_t bytes, StreamHandle stream) override;
  Result<EventHandle> createEvent() override;
  Result<void> destroyEvent(EventHandle event) override;
  Result<void> record(EventHandle event, StreamHandle stream) override;
  Result<void> synchronize(EventHandle event) override;
  Result<void> wait(StreamHandle stream, EventHandle event) override;
  Result<float> elapsed(EventHandle begin, EventHandle end) override;
  Result<ModuleHandle> loadModule(const std::string &image) override;
  Result<void> unloadModule(ModuleHandle module) override;
  Result<FunctionHandle> function(ModuleHandle module, const std::string &name) override;
  Result<void> allowSharedBytes(FunctionHandle function, size_t bytes) override;
  /// The log of a launch has " map 128x512*2 box 64x64 swizzle 128" for each map: dims, bytes of an element.
  /// The memory of the tensor is checked by the launch.
  Result<TensorMap> encode(const TensorLayout &layout) override;
  Result<void> launch(FunctionHandle function, const LaunchShape &shape, std::span<const uint64_t> parameters,
                      StreamHandle stream, std::span<const TensorMap> tensorMaps = {}) override;
  Result<void> beginCapture(StreamHandle stream) override;
  Result<GraphHandle> endCapture(StreamHandle stream) override;
  Result<void> launch(GraphHandle graph, StreamHandle stream) override;
  Result<void> destroyGraph(GraphHandle graph) override;

private:
  /// Something to do later; an error is the error's message.
  using Work = std::function<Result<void>()>;
  struct Stream;
  struct Mark;
  struct Event;
  struct Function;
  struct Graph;

  Result<void> entered(const char *function);
  Result<void> enqueue(StreamHandle stream, std::string line, Work work);
  Result<void> run(Stream &stream, const Mark *until);
  std::optional<std::string> checkKernel(const std::string &name, std::span<const uint64_t> values) const;
  Result<void> checkDevice(DeviceAddress memory, size_t bytes) const;
  bool isPinned(const void *memory) const;

  mutable std::recursive_mutex mutex;
  DeviceProperties described;
  std::map<std::string, Kernel> kernels;
  std::map<std::string, std::string> rowParameters; ///< of registerRowKernel
  struct Failure {
    std::string error;
    int passed = 0, times = 0;
  };
  std::map<std::string, Failure> failures; ///< by function
  std::vector<std::string> lines;
  size_t dropped = 0; ///< lines that clearLog removed
  Cost cost;
  std::map<DeviceAddress, size_t> memory; ///< allocated device memory
  std::map<const void *, size_t> pinned;
  std::deque<std::unique_ptr<Stream>> streams;
  std::deque<std::unique_ptr<Event>> events;
  std::deque<std::unique_ptr<Function>> functions;
  std::deque<std::unique_ptr<Graph>> graphs;
  std::set<const void *> modules;
  int64_t modulesLoaded = 0;
};

} // namespace proa::cuda
