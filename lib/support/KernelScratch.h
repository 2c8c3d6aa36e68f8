/// Memory that a compiled kernel takes for itself while it runs, and what happens when there is none.
#pragma once

#include <csetjmp>
#include <cstddef>

namespace proa {

/// What compiled kernels call in the place of aligned_alloc. Where no memory is left, the kernel ends there
/// and callKernel says so; outside of callKernel, null.
void *allocateKernelScratch(size_t alignment, size_t bytes);

/// Where a kernel of this thread goes when it gets no memory; null outside of kernels.
extern thread_local std::jmp_buf *outOfScratch;

/// Runs `kernel`, which consists of compiled code alone: a jump over frames of C++ would skip their
/// destructors. False when it was ended for lack of memory; what it had allocated before is lost then.
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
