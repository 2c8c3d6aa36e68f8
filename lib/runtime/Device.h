/// A device that runs the kernel steps of plans, seen from the runtime. lib/runtime/cuda/ implements it.
#pragma once

#include "lib/runtime/Library.h"
#include "lib/runtime/Plan.h"
#include "proa/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proa::runtime {

/// The memory and the work of one session on a device. Work runs in the order in which it was requested,
/// while the host continues. Not thread-safe.
class DeviceQueue {
public:
  virtual ~DeviceQueue() = default;

  /// Device memory at a multiple of addressAlignment. The pointer is an address of the device: the host must
  /// not access it. `bytes` is positive. Memory is freed with the last copy of the pointer. Error: no memory.
  virtual Result<std::shared_ptr<void>> allocate(size_t bytes) = 0;

  /// `from` is host memory, and may be overwritten at once.
  virtual Result<void> copyToDevice(void *to, const void *from, size_t bytes) = 0;
  /// `to` is host memory, which is filled during the next wait().
  virtual Result<void> copyToHost(void *to, const void *from, size_t bytes) = 0;
  virtual Result<void> copyOnDevice(void *to, const void *from, size_t bytes) = 0;

  /// Runs `rows` rows, at least one, of a kernel that Device::bind returned. `parameters` are those before
  /// the range of rows.
  virtual Result<void> launch(size_t kernel, int64_t rows, std::span<const uint64_t> parameters) = 0;

  /// Waits for all work, and completes copies to the host. Error: the first one of the work since the last
  /// wait.
  virtual Result<void> wait() = 0;
  /// As wait(), after an error: host memory of copies is left alone.
  virtual void abandon() = 0;
};

/// A library step with one output that a device computes. The bytes of views are in device memory.
/// Thread-safe.
class DeviceLibraryKernel {
public:
  virtual ~DeviceLibraryKernel() = default;
  /// Error: the inputs do not fit.
  virtual Result<std::vector<int64_t>> outputDims(std::span<const View> inputs) const = 0;
  /// `queue` is one of the device that created the kernel. Error: the device does not support these dims.
  virtual Result<void> run(DeviceQueue &queue, std::span<const View> inputs, const View &output) const = 0;
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
  /// "12.0 GB of 80.0 GB free", for messages about memory.
  virtual std::string memoryText() = 0;
};

/// A message about device memory that is exhausted: how much `what` needs, and what uses the memory of the
/// device.
std::string deviceMemoryText(const Plan &plan, const std::string &what, Device &device);

} // namespace proa::runtime
