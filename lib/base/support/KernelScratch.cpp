#include "lib/base/support/KernelScratch.h"

#include <cstdlib>

namespace proa {

thread_local std::jmp_buf *outOfScratch = nullptr;

void *allocateKernelScratch(size_t alignment, size_t bytes) {
  void *memory = std::aligned_alloc(alignment, bytes);
  if (!memory && bytes != 0 && outOfScratch)
    std::longjmp(*outOfScratch, 1);
  return memory;
}

} // namespace proa
