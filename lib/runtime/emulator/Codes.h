/// The integers that emulated code passes to the functions of Functions.h. passes/emulate-gpu writes them.
#pragma once

#include <cstdint>

namespace proa::emulator {

/// Traits of a kernel: bits.
enum KernelTrait : int32_t {
  synchronizesThreads = 1, ///< threads wait for each other
  usesAsyncProxy = 2,      ///< bulk copies or wgmma
  exchangesValues = 4,     ///< atomic accesses of global memory
};

/// Special registers.
enum class Register : int32_t {
  ThreadX,
  ThreadY,
  ThreadZ,
  BlockDimX,
  BlockDimY,
  BlockDimZ,
  BlockX,
  BlockY,
  BlockZ,
  GridDimX,
  GridDimY,
  GridDimZ,
  Lane,
  Warp,
  WarpCount,
  WarpSize,
  LaneMaskEqual,
  LaneMaskLessEqual,
  LaneMaskLess,
  LaneMaskGreaterEqual,
  LaneMaskGreater,
};

/// Kinds of accesses of memory.
enum AccessKind : int32_t { readAccess, writeAccess, atomicAccess, copyAccess };

/// Kinds of fences: of memory, between the generic and the async proxy, after the init of an mbarrier.
enum class FenceKind : int32_t { Memory, Proxy, MbarrierInit };

/// Reductions of a barrier, the values of mlir::NVVM::BarrierReduction; -1: none.
enum BarrierReduction : int32_t {
  noReduction = -1,
  popCountReduction = 0,
  andReduction = 1,
  orReduction = 2
};

/// The form of a wgmma: bits.
enum WgmmaFlag : int32_t {
  addsAccumulator = 1,
  negatesA = 2,
  negatesB = 4,
  isATransposed = 8,
  isBTransposed = 16,
  saturatesSums = 32
};

} // namespace proa::emulator
