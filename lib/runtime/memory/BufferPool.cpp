#include "lib/runtime/memory/BufferPool.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <sys/mman.h>

namespace proa::runtime {
namespace {

constexpr size_t lineBytes = 64;
constexpr size_t hugePageBytes = size_t(2) << 20;

size_t roundUp(size_t bytes, size_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

/// Up to a quarter more, so that a tensor that grows a little in each iteration mostly finds the memory of an
/// earlier one.
size_t sizeClass(size_t bytes) { return roundUp(bytes, std::max(lineBytes, std::bit_floor(bytes) / 4)); }

} // namespace

void *allocateAligned(size_t bytes) {
  if (bytes < 2 * hugePageBytes)
    return std::aligned_alloc(lineBytes, roundUp(bytes == 0 ? 1 : bytes, lineBytes));
  if (bytes > SIZE_MAX - hugePageBytes)
    return nullptr;
  size_t rounded = roundUp(bytes, hugePageBytes);
  void *memory = std::aligned_alloc(hugePageBytes, rounded);
  if (memory)
    ::madvise(memory, rounded, MADV_HUGEPAGE); // only a wish: fewer TLB misses
  return memory;
}

void FreeDeleter::operator()(void *memory) const { std::free(memory); }

std::shared_ptr<void> allocateShared(size_t bytes) {
  void *memory = allocateAligned(bytes);
  return memory ? std::shared_ptr<void>(memory, FreeDeleter()) : nullptr;
}

BufferPool::Buffer BufferPool::acquire(size_t bytes) {
  auto found = freeBySize.lower_bound(bytes);
  // A buffer more than twice as large may be needed whole later.
  if (found != freeBySize.end() && found->first <= 2 * bytes + lineBytes) {
    Buffer buffer{std::move(found->second.memory), found->first};
    freeBySize.erase(found);
    return buffer;
  }
  // Free the next smaller buffer: a loop whose tensors grow would keep one of each size. If it is still
  // needed, it is allocated again; after a few runs the pool holds all buffers of a run.
  if (found != freeBySize.begin())
    freeBySize.erase(std::prev(found));
  size_t rounded = sizeClass(bytes == 0 ? 1 : bytes);
  std::shared_ptr<void> memory = allocate(rounded);
  if (!memory && !freeBySize.empty()) { // give the unused ones back and try again
    freeBySize.clear();
    memory = allocate(rounded);
  }
  return {std::move(memory), rounded};
}

void BufferPool::release(Buffer buffer) {
  if (buffer.memory && buffer.memory.use_count() == 1)
    freeBySize.emplace(buffer.bytes, Free{std::move(buffer.memory), runs});
}

void BufferPool::endRun(uint64_t keptRuns) {
  if (++runs % keptRuns == 0)
    std::erase_if(freeBySize, [&](const auto &entry) { return runs - entry.second.run > keptRuns; });
}

size_t BufferPool::freeBytes() const {
  size_t bytes = 0;
  for (const auto &[size, free] : freeBySize)
    bytes += size;
  return bytes;
}

} // namespace proa::runtime
