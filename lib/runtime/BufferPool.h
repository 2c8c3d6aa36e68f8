/// Memory for values whose size is known only during a run: freed buffers are kept and used again by later
/// steps and runs.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

namespace proa::runtime {

/// Uninitialized memory at a multiple of 64 (of 2 MiB with huge pages, where it is large); null where there
/// is none.
void *allocateAligned(size_t bytes);

/// Owns memory of allocateAligned.
struct FreeDeleter {
  void operator()(void *memory) const;
};
using AlignedMemory = std::unique_ptr<void, FreeDeleter>;

/// Not for use by several threads at once.
class BufferPool {
public:
  /// Copies of it share the memory.
  struct Buffer {
    std::shared_ptr<void> memory;
    size_t bytes = 0;
  };
  /// At least `bytes` bytes; memory is null where the system has no more.
  Buffer acquire(size_t bytes);
  /// Nothing happens as long as another copy of the buffer is there.
  void release(Buffer buffer);
  /// What it keeps for later, in bytes.
  size_t freeBytes() const;

private:
  std::multimap<size_t, std::shared_ptr<void>> freeBySize;
};

} // namespace proa::runtime
