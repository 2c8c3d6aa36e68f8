/// Registers, memory and spills of kernels, as the assembler reports them, and checks of them.
#pragma once

#include "lib/base/target/TargetFacts.h"
#include "proa/Result.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proa::cuda {

/// Figures of one kernel.
struct KernelResources {
  std::string symbol;
  std::string chip;                                ///< "sm_90a"
  int64_t registers = 0;                           ///< per thread
  int64_t barriers = 0;                            ///< named barriers of a block
  int64_t sharedBytes = 0;                         ///< static shared memory of a block
  int64_t constantBytes = 0;                       ///< parameters and other constants
  int64_t stackBytes = 0;                          ///< stack frame of a thread
  int64_t spillStoreBytes = 0, spillLoadBytes = 0; ///< of registers to local memory
  std::vector<std::string> notes; ///< performance notes: "(C7510) Potential Performance Loss: ..."
};

/// Reads the report of `ptxas -v`, or nvJitLink's with -verbose: one entry for each kernel, in its order.
std::vector<KernelResources> parseResources(std::string_view report);

/// Upper limits of a kernel.
struct ResourceBudget {
  int64_t registers = 255;
  int64_t sharedBytes = std::numeric_limits<int64_t>::max(); ///< static shared memory
};

/// Error, naming the kernel: a spill, a stack frame, a note C75xx, or an exceeded budget. C7519 is accepted:
/// LLVM moves the zeros of an accumulator below wgmma.fence, which costs nothing.
Result<void> checkResources(std::span<const KernelResources> kernels, const ResourceBudget &budget = {});

/// The block that a kernel's launch asks for.
struct BlockSize {
  int64_t threads = 1;
  int64_t sharedBytes = 0; ///< dynamic shared memory
};

/// Error, naming the kernel: no block of the kernel fits a multiprocessor, so that a launch would fail: its
/// static and dynamic shared memory are more than a block of `gpu` may have, or its threads have
/// more registers than the 65536 of a block, which each warp takes in units of 256.
Result<void> checkBlock(const KernelResources &kernel, const BlockSize &block, const GpuFacts &gpu);

/// Blocks of the kernel that a multiprocessor of `gpu` executes at once: its registers, which each warp takes
/// in units of 256 and groups of four warps share equally, its shared memory and its warps limit them.
int64_t residentBlocksOf(const KernelResources &kernel, const BlockSize &block, const GpuFacts &gpu);

/// A line for each kernel: "softmax sm_90a: 18 registers, 1 barrier, 128 bytes shared, 0 bytes stack, 0
/// bytes spilled", then its notes.
std::string resourcesText(std::span<const KernelResources> kernels);

} // namespace proa::cuda
