/// Memory that a running kernel allocates, and its exhaustion.
#pragma once

#include <csetjmp>
#include <cstddef>

namespace proa {

/// The replacement of aligned_alloc in compiled kernels. Without memory the kernel ends and callKernel
/// returns false; outside of callKernel the result is null.
void *allocateKernelScratch(size_t alignment, size_t bytes);

/// The jump target of this thread's kernel for exhausted memory; null outside of kernels.
extern thread_local std::jmp_buf *outOfScratch;

/// Runs `kernel`, which must be compiled code only, because a jump over C++ frames skips their destructors.
/// False if it ran out of memory; memory that it allocated is then leaked.
template <class Kernel> bool callKernel(const Kernel &kernel) {
  std::jmp_buf here;
  outOfScratch = &here;
  bool isDone = setjmp(here) == 0;
  if (isDone)
    kernel();
  outOfScratch = nullptr;
  return isDone;
}

} // namespace proa
