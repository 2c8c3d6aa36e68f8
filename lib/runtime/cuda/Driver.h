/// The CUDA driver API of one device, behind an interface: NVIDIA's driver, or a recording double for tests.
#pragma once

#include "proa/Result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

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
  int64_t sharedBytesPerBlock = 0;                      ///< the most that a kernel may request
  int driverVersion = 0;                                ///< of CUDA: 13000 for 13.0
  int64_t clockKilohertz = 0, memoryClockKilohertz = 0; ///< at most; 0: not known
  int memoryBusBits = 0;
  int64_t l2Bytes = 0; ///< of the cache that all multiprocessors share; 0: not known
};

struct MemoryInfo {
  int64_t freeBytes = 0, totalBytes = 0;
};

/// Rows of bytes in device memory, in two places.
struct RowCopy {
  DeviceAddress to = 0, from = 0;
  size_t toPitch = 0, fromPitch = 0; ///< bytes from row to row
  size_t rowBytes = 0, rows = 0;
};

/// The shape of a launch, with one-dimensional grid and blocks.
struct LaunchShape {
  uint32_t blocks = 1;      ///< of the grid
  uint32_t threads = 1;     ///< of a block
  uint32_t sharedBytes = 0; ///< dynamic shared memory of a block
};

/// A contiguous tensor in device memory, for the tensor memory accelerator.
struct TensorLayout {
  DeviceAddress address = 0; ///< a multiple of 16
  int32_t elementBytes = 1;  ///< 1, 2, 4 or 8
  std::vector<int64_t> dims; ///< outermost first, 1 to 5, each at least 1
  std::vector<int32_t> box;  ///< elements of one copy in each dim, 1 to 256
  int32_t swizzle = 0;       ///< bytes of the pattern in shared memory: 0, 32, 64 or 128
};

/// The descriptor of a tensor that a kernel gets as a parameter: a CUtensorMap.
struct alignas(64) TensorMap {
  std::array<std::byte, 128> bytes{};
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
  /// Makes the context of this device current in the calling thread, for libraries.
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
  /// Whether it has, without waiting. Error: its work failed.
  virtual Result<bool> isDone(StreamHandle stream) = 0;

  virtual Result<void> copyToDevice(DeviceAddress to, const void *from, size_t bytes,
                                    StreamHandle stream) = 0;
  virtual Result<void> copyToHost(void *to, DeviceAddress from, size_t bytes, StreamHandle stream) = 0;
  virtual Result<void> copyOnDevice(DeviceAddress to, DeviceAddress from, size_t bytes,
                                    StreamHandle stream) = 0;
  /// Copies `rows` rows of `rowBytes` bytes that are a pitch apart.
  virtual Result<void> copyRowsOnDevice(const RowCopy &copy, StreamHandle stream) = 0;
  virtual Result<void> fill(DeviceAddress to, uint8_t byte, size_t bytes, StreamHandle stream) = 0;

  virtual Result<EventHandle> createEvent() = 0;
  virtual Result<void> destroyEvent(EventHandle event) = 0;
  virtual Result<void> record(EventHandle event, StreamHandle stream) = 0;
  /// Waits until the stream has reached the event.
  virtual Result<void> synchronize(EventHandle event) = 0;
  /// Later work of the stream runs after the work before the last record() of the event, which
  /// may be destroyed at once.
  virtual Result<void> wait(StreamHandle stream, EventHandle event) = 0;
  /// Milliseconds between two events that were reached.
  virtual Result<float> elapsed(EventHandle begin, EventHandle end) = 0;

  /// Loads a cubin, or PTX that ends with a null character. Error: for PTX with the messages of its compiler.
  virtual Result<ModuleHandle> loadModule(const std::string &image) = 0;
  virtual Result<void> unloadModule(ModuleHandle module) = 0;
  virtual Result<FunctionHandle> function(ModuleHandle module, const std::string &name) = 0;
  /// Permits up to `bytes` of dynamic shared memory; more than 48 KiB need it.
  virtual Result<void> allowSharedBytes(FunctionHandle function, size_t bytes) = 0;
  /// Describes a tensor to the tensor memory accelerator. Touches no memory. Error: the device has none, or
  /// it does not support the tensor: each dim but the first must have a multiple of 16 bytes from one index
  /// to the next.
  virtual Result<TensorMap> encode(const TensorLayout &layout) = 0;
  /// Launches a kernel whose parameters are addresses or 64-bit integers, and then tensor maps.
  virtual Result<void> launch(FunctionHandle function, const LaunchShape &shape,
                              std::span<const uint64_t> parameters, StreamHandle stream,
                              std::span<const TensorMap> tensorMaps = {}) = 0;

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
