/// A device that runs the kernel steps of plans, seen from the runtime. lib/runtime/cuda/ implements it.
#pragma once

#include "lib/runtime/plan/Library.h"
#include "lib/runtime/plan/Plan.h"
#include "proa/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proa::runtime {

/// Work of a queue that was recorded, to be requested again as a whole.
class DeviceGraph {
public:
  virtual ~DeviceGraph() = default;
};

/// The memory and the work of one session on a device. Work runs in the order in which it was requested,
/// while the host continues. Not thread-safe.
class DeviceQueue {
public:
  virtual ~DeviceQueue() = default;

  /// The following work belongs to this step, whose place errors name. It must outlive the queue.
  virtual void enter(const Step &step) = 0;

  /// Device memory at a multiple of addressAlignment. The pointer is an address of the device: the host must
  /// not access it. `bytes` is positive. Memory is freed with the last copy of the pointer. Error: no memory.
  virtual Result<std::shared_ptr<void>> allocate(size_t bytes) = 0;

  /// `from` is host memory, and may be overwritten at once.
  virtual Result<void> copyToDevice(void *to, const void *from, size_t bytes) = 0;
  /// `to` is host memory, which is filled during the next wait().
  virtual Result<void> copyToHost(void *to, const void *from, size_t bytes) = 0;
  virtual Result<void> copyOnDevice(void *to, const void *from, size_t bytes) = 0;

  /// Runs `rows` rows, at least one, of a kernel that Device::bind returned. `parameters` are the parameters
  /// before the range of rows.
  virtual Result<void> launch(size_t kernel, int64_t rows, std::span<const uint64_t> parameters) = 0;

  /// Waits for all work, and completes copies to the host. Error: the first one of the work since the last
  /// wait.
  virtual Result<void> wait() = 0;
  /// As wait(), after an error: host memory of copies is left alone.
  virtual void abandon() = 0;

  /// Records launches and library calls instead of running them, until endGraph(). Nothing that allocates,
  /// copies to or from the host, or waits may come in between.
  virtual Result<void> beginGraph() = 0;
  virtual Result<std::shared_ptr<DeviceGraph>> endGraph() = 0;
  virtual Result<void> launch(const DeviceGraph &graph) = 0;

  /// Notes the time at which the work before it will be done; the number of the mark.
  virtual Result<size_t> mark() = 0;
  /// Nanoseconds between two marks that a wait() has passed.
  virtual Result<double> nanosecondsBetween(size_t first, size_t second) = 0;
  virtual void dropMarks() = 0;
};

class Communicator;

/// One call of a library kernel on a device. The bytes of views are in device memory; optional operands and
/// results that are absent have no data.
struct DeviceCall {
  DeviceQueue &queue; ///< of the device that created the kernel
  std::span<const View> inputs, outputs;
  Communicator *communicator = nullptr; ///< null where the run is not distributed
  /// Of a step with Step::isStart: gets the work, whose wait() orders later work of the queue after it.
  std::unique_ptr<StartedWork> *started = nullptr;
};

/// The Diagnostic::code of an operation that a library of the device does not support: the step runs on the
/// host instead.
inline constexpr const char *libraryRefusal = "library-refusal";
Diagnostics refusal(std::string message);
bool isRefusal(const Diagnostics &diagnostics);

/// A library step that a device computes. Thread-safe.
class DeviceLibraryKernel {
public:
  virtual ~DeviceLibraryKernel() = default;
  /// The dims of each result. Error: the inputs do not fit.
  virtual Result<std::vector<std::vector<int64_t>>> outputDims(std::span<const View> inputs,
                                                               Communicator *communicator) const = 0;
  /// Error: the work failed; or the library refuses the operation (isRefusal), and the results are undefined.
  virtual Result<void> run(const DeviceCall &call) const = 0;
  /// Whether a call may be recorded (DeviceQueue::beginGraph) after one that was not.
  virtual bool isRecordable() const { return true; }
  virtual std::optional<Agreement> agreement() const { return std::nullopt; }
};

/// The most that a device can do, for shares of the roofline.
struct DevicePeaks {
  double bytesPerSecond = 0;  ///< of its memory; 0: not known
  double flopsPerSecond = 0;  ///< of float32
  double tensorPerSecond = 0; ///< of 16-bit floats in tensor cores, without sparsity; 0: it has none
};

class Device {
public:
  virtual ~Device() = default;

  /// "NVIDIA H200, device 0".
  virtual const std::string &name() const = 0;
  /// Makes a kernel ready to be launched this way; the number that names it. Error: the code has no such
  /// kernel, or the device cannot run it.
  virtual Result<size_t> bind(const std::string &symbol, const DeviceLaunch &launch) = 0;
  /// Creates the kernel of a library step. Error: the device has no such kernel, or it refuses the operands.
  virtual Result<std::shared_ptr<DeviceLibraryKernel>> bindLibrary(const Step &step,
                                                                   const KernelRequest &request) = 0;
  virtual Result<std::unique_ptr<DeviceQueue>> createQueue() = 0;
  /// Whether sessions record graphs.
  virtual bool recordsGraphs() const = 0;
  virtual DevicePeaks peaks() const = 0;
  /// "12.0 GB of 80.0 GB free", for messages about memory.
  virtual std::string memoryText() = 0;
};

/// A message about device memory that is exhausted: how much `what` needs, and what uses the memory of the
/// device.
std::string deviceMemoryText(const Plan &plan, const std::string &what, Device &device);

} // namespace proa::runtime
