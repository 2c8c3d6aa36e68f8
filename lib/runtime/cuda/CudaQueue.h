/// The streams of a session.
#pragma once

#include "lib/runtime/cuda/CudaDevice.h"
#include "lib/runtime/memory/BufferPool.h"
#include "lib/runtime/run/Device.h"

#include <deque>
#include <functional>
#include <set>
#include <vector>

namespace proa::cuda {

/// Requests work of one session on one stream of a device, and started collectives on a second one. Copies
/// use pinned memory of the queue.
class CudaQueue final : public runtime::DeviceQueue {
public:
  CudaQueue(CudaDevice &device, StreamHandle stream);
  CudaQueue(const CudaQueue &) = delete;
  CudaQueue &operator=(const CudaQueue &) = delete;
  ~CudaQueue() override;

  void enter(const runtime::Step &step) override;
  Result<std::shared_ptr<void>> allocate(size_t bytes) override;
  Result<void> copyToDevice(void *to, const void *from, size_t bytes) override;
  Result<void> copyToHost(void *to, const void *from, size_t bytes) override;
  Result<void> copyOnDevice(void *to, const void *from, size_t bytes) override;
  Result<void> launch(size_t kernel, int64_t rows, std::span<const uint64_t> given) override;
  Result<void> wait() override;
  void abandon() override;
  Result<void> beginGraph() override;
  Result<std::shared_ptr<runtime::DeviceGraph>> endGraph() override;
  Result<void> launch(const runtime::DeviceGraph &graph) override;
  Result<size_t> mark() override;
  Result<double> nanosecondsBetween(size_t first, size_t second) override;
  void dropMarks() override;

  // For kernels of libraries.
  Driver &api() { return *driver; }
  /// The stream, for a request of a library; `what` is for errors where no step was entered.
  StreamHandle use(const char *what) {
    remember(what);
    return lane->stream;
  }
  Libraries &libraries() const { return *device.settings().libraries; }
  /// Memory for the work of one call, in the order of the stream. A later call may get the same memory.
  Result<DeviceAddress> workspace(size_t bytes);
  Result<void> fillZero(void *to, size_t bytes);
  Result<void> multiply(const LibraryMatmul &matmul, const MatrixAddresses &addresses);
  Result<void> convolve(const Convolution &convolution, const ConvolutionAddresses &addresses);
  /// Makes wait() fail with `describe(i, code)` for the first of `count` int32 at `codes` that is not 0.
  Result<void> expectZeros(DeviceAddress codes, size_t count,
                           std::function<std::string(size_t i, int32_t code)> describe);
  /// To be called before requests of a group, whose members may fail: wait() checks it while it waits. The
  /// communicator belongs to the group. The requests run after all that were started, so that collectives run
  /// in the same order on all ranks.
  Result<void> enterGroup(std::shared_ptr<CollectiveGroup> group, runtime::Communicator *communicator);
  /// Until endStarted(), library calls, copies on the device and workspaces belong to a second stream.
  /// They run after all work requested before, and beside work requested later.
  Result<void> beginStarted();
  /// The work, whose wait() makes later work run after it; the host does not wait. Error: also the end of the
  /// second stream's turn.
  Result<std::unique_ptr<runtime::StartedWork>> endStarted();
  /// To be called after the request of a kernel or a library call.
  Result<void> requested(Result<void> done);

private:
  /// A copy to the host under way, or memory of one to the device.
  struct Staged {
    void *target; ///< on the host; null: none
    size_t bytes;
    runtime::BufferPool::Buffer memory;
    std::function<Result<void>(const void *data)> check = nullptr; ///< called when the copy has ended
    bool isPinned = true;
  };
  /// A request, for errors: its step, or the kernel where no step was entered.
  struct Request {
    const runtime::Step *step;
    std::string name;
  };

  /// A stream with the workspace of library calls on it.
  struct Lane {
    StreamHandle stream;
    std::shared_ptr<void> work;
    size_t workBytes = 0;
  };
  class Started;

  Result<void> growWorkspace(size_t bytes);
  runtime::BufferPool::Buffer acquireStaging(size_t bytes);
  Result<void> release(bool completes);
  Diagnostics failed(const Diagnostics &diagnostics) const;
  void remember(const std::string &name);
  Result<void> waitWithOthers();
  Result<std::vector<TensorMap>> encodeMaps(const CudaDevice::Kernel &kernel,
                                            std::span<const uint64_t> given);

  CudaDevice &device;
  std::shared_ptr<Driver> driver;
  StreamHandle stream;
  Lane main{stream, nullptr}, second; ///< `second` is created by the first beginStarted()
  Lane *lane = &main;
  std::vector<EventHandle> underWay; ///< ends of started work that was not awaited, in order
  runtime::BufferPool pinned;
  bool isIdle = true; ///< nothing was requested since the last wait
  bool isRecording = false;
  std::vector<std::shared_ptr<void>> recordedWork; ///< workspaces of the graph that is recorded
  const runtime::Step *step = nullptr;             ///< entered last
  std::vector<Staged> staged;
  std::deque<Request> launched; ///< the last requests since the last wait
  std::vector<uint64_t> parameters;
  std::vector<EventHandle> marks;
  size_t markCount = 0; ///< of `marks`; the others are kept for later
  std::set<std::shared_ptr<CollectiveGroup>> watched;
  runtime::Communicator *watchedBy = nullptr;
};

} // namespace proa::cuda
