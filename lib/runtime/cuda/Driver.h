/// The CUDA driver API of one device, behind an interface: NVIDIA's driver, or a recording double for tests.
#pragma once

#include "proa/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace proa::cuda {

/// An address in device memory.
using DeviceAddress = uint64_t;

/// Handles of the driver; null: none. They are valid until destroyed, for the driver that created them.
struct StreamHandle {
  void *value = nullptr;
};
struct EventHandle {
  void *value = nullptr;
};
struct ModuleHandle {
  void *value = nullptr;
};
struct FunctionHandle {
  void *value = nullptr;
};
struct GraphHandle {
  void *value = nullptr;
};

struct DeviceProperties {
  std::string name;         ///< "NVIDIA H200"
  int major = 0, minor = 0; ///< compute capability: 9 and 0 for sm_90
  int64_t memoryBytes = 0;
  int multiprocessors = 0;
  int64_t sharedBytesPerBlock = 0; ///< the most that a kernel may request
};

struct MemoryInfo {
  int64_t freeBytes = 0, totalBytes = 0;
};

/// The shape of a launch, with one-dimensional grid and blocks.
struct LaunchShape {
  uint32_t blocks = 1;      ///< of the grid
  uint32_t threads = 1;     ///< of a block
  uint32_t sharedBytes = 0; ///< dynamic shared memory of a block
};

/// Operations on one device. All memory, streams and modules belong to its primary context.
///
/// Operations with a stream are asynchronous: they are ordered within the stream, and an error of one may be
/// reported by a later call. Host memory of an asynchronous copy must stay valid until the stream has reached
/// the copy; pageable memory that is copied to the device may be reused at once.
///
/// Errors name the function of the driver and its error: "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of
/// memory)". The methods may be called by several threads.
class Driver {
public:
  virtual ~Driver() = default;

  virtual const DeviceProperties &properties() const = 0;
  virtual Result<MemoryInfo> memoryInfo() = 0;
  /// Makes the context of this device that of the calling thread, for libraries.
  virtual Result<void> makeCurrent() = 0;

  /// Device memory at a multiple of 256. `bytes` is positive.
  virtual Result<DeviceAddress> allocate(size_t bytes) = 0;
  virtual Result<void> free(DeviceAddress memory) = 0;
  /// Host memory that copies access directly.
  virtual Result<void *> allocatePinned(size_t bytes) = 0;
  virtual Result<void> freePinned(void *memory) = 0;

  virtual Result<StreamHandle> createStream() = 0;
  virtual Result<void> destroyStream(StreamHandle stream) = 0;
  /// Waits until the stream has done everything that it was given.
  virtual Result<void> synchronize(StreamHandle stream) = 0;

  virtual Result<void> copyToDevice(DeviceAddress to, const void *from, size_t bytes,
                                    StreamHandle stream) = 0;
  virtual Result<void> copyToHost(void *to, DeviceAddress from, size_t bytes, StreamHandle stream) = 0;
  virtual Result<void> copyOnDevice(DeviceAddress to, DeviceAddress from, size_t bytes,
                                    StreamHandle stream) = 0;
  virtual Result<void> fill(DeviceAddress to, uint8_t byte, size_t bytes, StreamHandle stream) = 0;

  virtual Result<EventHandle> createEvent() = 0;
  virtual Result<void> destroyEvent(EventHandle event) = 0;
  virtual Result<void> record(EventHandle event, StreamHandle stream) = 0;
  /// Waits until the stream has reached the event.
  virtual Result<void> synchronize(EventHandle event) = 0;
  /// Milliseconds between two events that were reached.
  virtual Result<float> elapsed(EventHandle begin, EventHandle end) = 0;

  /// Loads a cubin, or PTX that ends with a null character.
  virtual Result<ModuleHandle> loadModule(const std::string &image) = 0;
  virtual Result<void> unloadModule(ModuleHandle module) = 0;
  virtual Result<FunctionHandle> function(ModuleHandle module, const std::string &name) = 0;
  /// Permits up to `bytes` of dynamic shared memory; more than 48 KiB need it.
  virtual Result<void> allowSharedBytes(FunctionHandle function, size_t bytes) = 0;
  /// Launches a kernel whose parameters are all addresses or 64-bit integers.
  virtual Result<void> launch(FunctionHandle function, const LaunchShape &shape,
                              std::span<const uint64_t> parameters, StreamHandle stream) = 0;

  /// Records what the stream is given, instead of running it, until endCapture. No call that waits or
  /// allocates may come in between.
  virtual Result<void> beginCapture(StreamHandle stream) = 0;
  virtual Result<GraphHandle> endCapture(StreamHandle stream) = 0;
  virtual Result<void> launch(GraphHandle graph, StreamHandle stream) = 0;
  virtual Result<void> destroyGraph(GraphHandle graph) = 0;
};

/// Opens device number `device` with NVIDIA's driver, which is loaded by the name `library`. Error: "no CUDA
/// device: REASON", where the library is not found, the driver does not start, or there are fewer devices.
Result<std::shared_ptr<Driver>> openDriver(int device = 0, const std::string &library = "libcuda.so.1");

/// The number of devices. Error: as openDriver.
Result<int> countDevices(const std::string &library = "libcuda.so.1");

} // namespace proa::cuda
