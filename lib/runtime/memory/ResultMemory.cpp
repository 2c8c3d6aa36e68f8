#include "lib/runtime/memory/ResultMemory.h"

#include <atomic>
#include <new>

namespace proa::runtime {
namespace {

bool isFree(const BufferPool::Buffer &buffer) {
  if (buffer.memory.use_count() > 1)
    return false;
  // Another thread may have dropped the last result: what it read comes before what a run writes.
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

} // namespace

std::shared_ptr<void> ResultMemory::acquire(size_t bytes) {
  for (const BufferPool::Buffer &buffer : buffers)
    if (buffer.memory && buffer.bytes >= bytes && buffer.bytes <= 2 * bytes && isFree(buffer))
      return buffer.memory;
  // One of another size goes, else the older one, which is the first.
  if (!isFree(buffers[0]) && isFree(buffers[1]))
    std::swap(buffers[0], buffers[1]);
  buffers[0] = {allocate(bytes), bytes};
  if (!buffers[0].memory)
    throw std::bad_alloc();
  std::swap(buffers[0], buffers[1]);
  return buffers[1].memory;
}

} // namespace proa::runtime
