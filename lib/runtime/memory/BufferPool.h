/// Memory for values whose size is known only during a run: freed buffers are kept and used again by later
/// steps and runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace proa::runtime {

/// Uninitialized memory at a multiple of 64 (of 2 MiB with huge pages, if it is large); null if the system
/// has no memory.
void *allocateAligned(size_t bytes);

/// Owns memory of allocateAligned.
struct FreeDeleter {
  void operator()(void *memory) const;
};
using AlignedMemory = std::unique_ptr<void, FreeDeleter>;

/// Memory of allocateAligned; null if the system has none.
std::shared_ptr<void> allocateShared(size_t bytes);

/// Free buffers of a session by size, in one kind of memory. Not thread-safe.
class BufferPool {
public:
  /// New memory, or null.
  using Allocate = std::function<std::shared_ptr<void>(size_t bytes)>;

  explicit BufferPool(Allocate allocate = allocateShared) : allocate(std::move(allocate)) {}

  /// Copies of it share the memory.
  struct Buffer {
    std::shared_ptr<void> memory;
    size_t bytes = 0;
  };
  /// At least `bytes` bytes; memory is null if the system has none.
  Buffer acquire(size_t bytes);
  /// Does nothing while another copy of the buffer exists.
  void release(Buffer buffer);
  /// Counts runs; now and then frees the buffers that the last `keptRuns` runs have not used.
  void endRun(uint64_t keptRuns);
  /// Bytes of the free buffers.
  size_t freeBytes() const;

private:
  struct Free {
    std::shared_ptr<void> memory;
    uint64_t run; ///< that used it last
  };
  Allocate allocate;
  std::multimap<size_t, Free> freeBySize;
  uint64_t runs = 0;
};

} // namespace proa::runtime
