/// Execution of GPU kernels on the CPU, for tests. The pass proa-emulate-gpu makes host code of a kernel; its
/// entry point has the calling convention of CPU kernels and calls the functions of `symbols`.
#pragma once

#include "lib/runtime/plan/KernelCall.h"

#include <cstdint>
#include <optional>
#include <span>

namespace proa::emulator {

/// The order in which the threads of a block run between two points where they wait.
enum class Schedule : uint8_t {
  Forward,   ///< by thread index
  Reverse,   ///< by descending thread index
  WarpsUp,   ///< each warp as far as it gets, by warp index
  WarpsDown, ///< each warp as far as it gets, by descending warp index
  Random,    ///< a new random order each time that all threads had a turn
};
inline constexpr unsigned scheduleCount = 5;

/// How blocks are assigned to schedules. The result depends on these values, the name of the kernel and the
/// index of the block only, not on the number of CPU threads.
struct Scheduling {
  /// The schedule of all blocks. Without it, block b of kernel k has the schedule
  /// (rotation + hash(k) + b) mod 5, so that five runs with the rotations 0 to 4 run each block in all of
  /// them.
  std::optional<Schedule> fixed;
  uint32_t rotation = 0;
  uint64_t seed = 0; ///< of Schedule::Random
};

/// Sets the scheduling of the process; calls that run keep theirs.
void setScheduling(const Scheduling &scheduling);
Scheduling scheduling();

/// Calls an emulated kernel: one block for each row, or fewer blocks that loop over rows, as a launch on a
/// device may choose. Error: what a thread did wrong, with its block and thread: an access outside of its
/// buffers or of shared memory, a misaligned access, a barrier or warp operation that some threads never
/// reach, a wrong member mask.
Result<void> invoke(const runtime::KernelCall &call);

/// A function that emulated kernels call.
struct Symbol {
  const char *name;
  void *address;
};
std::span<const Symbol> symbols();

} // namespace proa::emulator
