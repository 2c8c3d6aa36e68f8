/// Registers that warpgroups of a block exchange by `setmaxnreg` (PTX ISA). The emulator and generated code
/// read it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace proa {

/// A block gets as many registers for each thread; a warpgroup then gives up some, and another one takes
/// them.
struct WarpgroupRegisters {
  static constexpr int64_t threads = 128;               ///< of a warpgroup
  static constexpr int64_t unit = 8;                    ///< requests are multiples of it,
  static constexpr int64_t least = 24, most = 256;      ///< in this range
  static constexpr int64_t ofMultiprocessor = 64 << 10; ///< of each chip that has the instruction

  static constexpr bool isRequest(int64_t registers) {
    return registers >= least && registers <= most && registers % unit == 0;
  }
  /// The registers of a thread at the start of a block, if a multiprocessor runs no other.
  static constexpr int64_t atStart(int64_t blockThreads) {
    return std::min(most, ofMultiprocessor / blockThreads / unit * unit);
  }
  /// The registers of all threads of a block at its start, which they may exchange.
  static constexpr int64_t ofBlock(int64_t blockThreads) { return atStart(blockThreads) * blockThreads; }
  /// The registers of a thread if others have `ofOthers` each.
  static constexpr int64_t beside(int64_t ownThreads, int64_t otherThreads, int64_t ofOthers) {
    int64_t rest = ofBlock(ownThreads + otherThreads) - otherThreads * ofOthers;
    return std::min(most, rest / ownThreads / unit * unit);
  }
};

} // namespace proa
