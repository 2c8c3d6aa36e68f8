/// The stream of a session.
#pragma once

#include "lib/runtime/BufferPool.h"
#include "lib/runtime/Device.h"
#include "lib/runtime/cuda/CudaDevice.h"

#include <deque>
#include <vector>

namespace proa::cuda {

/// Requests work of one session on one stream of a device. Copies use pinned memory of the queue.
class CudaQueue final : public runtime::DeviceQueue {
public:
  CudaQueue(CudaDevice &device, StreamHandle stream);
  CudaQueue(const CudaQueue &) = delete;
  CudaQueue &operator=(const CudaQueue &) = delete;
  ~CudaQueue() override;

  Result<std::shared_ptr<void>> allocate(size_t bytes) override;
  Result<void> copyToDevice(void *to, const void *from, size_t bytes) override;
  Result<void> copyToHost(void *to, const void *from, size_t bytes) override;
  Result<void> copyOnDevice(void *to, const void *from, size_t bytes) override;
  Result<void> launch(size_t kernel, int64_t rows, std::span<const uint64_t> given) override;
  Result<void> wait() override;
  void abandon() override;

  /// A matrix product by the library of the device.
  Result<void> multiply(const MatrixProduct &product, const MatrixAddresses &addresses);

private:
  /// Pinned memory of a copy under way.
  struct Staged {
    void *target; ///< on the host; null: a copy to the device
    size_t bytes;
    runtime::BufferPool::Buffer memory;
  };

  runtime::BufferPool::Buffer acquireStaging(size_t bytes);
  void release(bool completes);
  Diagnostics failed(const Diagnostics &diagnostics) const;
  void remember(std::string symbol);

  CudaDevice &device;
  std::shared_ptr<Driver> driver;
  StreamHandle stream;
  runtime::BufferPool pinned;
  std::shared_ptr<void> workspace; ///< of the matrix library
  bool isIdle = true;              ///< nothing was requested since the last wait
  std::vector<Staged> staged;
  std::deque<std::string> launched; ///< the last kernels since the last wait
  std::vector<uint64_t> parameters;
};

} // namespace proa::cuda
