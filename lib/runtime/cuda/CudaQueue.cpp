#include "lib/runtime/cuda/CudaQueue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace proa::cuda {
namespace {

using runtime::BufferPool;

constexpr size_t maximalStagedBytes = size_t(256) << 20;
constexpr size_t namedKernels = 8; ///< in the error of a wait

DeviceAddress addressOf(const void *memory) { return reinterpret_cast<DeviceAddress>(memory); }

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
  (void)bool(driver->destroyStream(stream));
}

Result<std::shared_ptr<void>> CudaQueue::allocate(size_t bytes) {
  Result<DeviceAddress> memory = driver->allocate(bytes);
  if (!memory)
    return memory.diagnostics();
  return std::shared_ptr<void>(reinterpret_cast<void *>(*memory), [driver = driver](void *address) {
    (void)bool(driver->free(addressOf(address)));
  });
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
  return driver->copyOnDevice(addressOf(to), addressOf(from), bytes, stream);
}

void CudaQueue::remember(std::string symbol) {
  isIdle = false;
  launched.push_back(std::move(symbol));
  if (launched.size() > namedKernels)
    launched.pop_front();
}

Result<void> CudaQueue::launch(size_t number, int64_t rows, std::span<const uint64_t> given) {
  CudaDevice::Kernel kernel = device.kernel(number);
  remember(kernel.symbol);
  parameters.assign(given.begin(), given.end());
  parameters.push_back(0);
  parameters.push_back(static_cast<uint64_t>(rows));
  auto blocks = static_cast<uint32_t>(std::min<int64_t>(rows, std::numeric_limits<int32_t>::max()));
  Result<void> done =
      driver->launch(kernel.function, {blocks, kernel.threads, kernel.sharedBytes}, parameters, stream);
  return done && device.settings().waitsAfterLaunch ? wait() : done;
}

Result<void> CudaQueue::multiply(const MatrixProduct &product, const MatrixAddresses &addresses) {
  Blas &blas = *device.settings().blas;
  if (!workspace) {
    Result<std::shared_ptr<void>> memory = allocate(blas.workspaceBytes());
    if (!memory)
      return memory.diagnostics();
    workspace = std::move(*memory);
  }
  remember("matmul");
  Result<void> done = blas.multiply(product, addresses, addressOf(workspace.get()), stream);
  return done && device.settings().waitsAfterLaunch ? wait() : done;
}

Result<void> CudaQueue::wait() {
  isIdle = true;
  Result<void> done = driver->synchronize(stream);
  Diagnostics diagnostics = done ? Diagnostics() : failed(done.diagnostics());
  release(/*completes=*/diagnostics.empty());
  return diagnostics;
}

void CudaQueue::abandon() {
  if (!isIdle)
    (void)bool(driver->synchronize(stream));
  isIdle = true;
  release(/*completes=*/false);
}

void CudaQueue::release(bool completes) {
  for (Staged &copy : staged) {
    if (copy.target && completes)
      std::memcpy(copy.target, copy.memory.memory.get(), copy.bytes);
    pinned.release(std::move(copy.memory));
  }
  staged.clear();
  launched.clear();
}

/// The error of asynchronous work, with the kernels that may have caused it.
Diagnostics CudaQueue::failed(const Diagnostics &diagnostics) const {
  std::string where = launched.empty() ? device.name()
                                       : fmt::format("{}, in one of the kernels {}", device.name(),
                                                     fmt::join(launched, ", "));
  Diagnostics named;
  for (const Diagnostic &p : diagnostics)
    named.add(p.location, where + ": " + p.message);
  return named;
}

} // namespace proa::cuda
