#include "lib/runtime/memory/RunMemory.h"

#include <new>
#include <utility>

namespace proa::runtime {

RunMemory::RunMemory(BufferPool::Allocate given) : allocate(std::move(given)), pool(allocate) {}

void *RunMemory::arena() {
  size_t largest = arenaSizes.empty() ? 0 : *arenaSizes.rbegin();
  if (!arenaMemory || arenaSize != largest) {
    arenaMemory = nullptr; // before the new one is allocated
    arenaMemory = allocate(largest);
    arenaSize = arenaMemory ? largest : 0;
  }
  return arenaMemory.get();
}

void *RunMemory::scratch(size_t bytes) {
  if (scratchBuffer.bytes < bytes) {
    pool.release(std::exchange(scratchBuffer, {}));
    scratchBuffer = pool.acquire(bytes);
    if (!scratchBuffer.memory) {
      scratchBuffer = {};
      throw std::bad_alloc();
    }
  }
  scratchUse = runs;
  return scratchBuffer.memory.get();
}

void RunMemory::endRun() {
  if (++runs - scratchUse > keptRuns)
    scratchBuffer = {};
  pool.endRun(keptRuns);
}

} // namespace proa::runtime
