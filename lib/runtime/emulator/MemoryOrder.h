/// The rules that order accesses of memory on a device: fences, the async proxy, and waits for wgmma. The
/// emulator carries out most accesses at once, so it records who accessed what, and reports accesses that
/// nothing orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace proa::emulator {

/// The time of an event of a block: a number that fences and barriers increase. 0: never.
using EventTime = uint32_t;

/// The last fences that a thread executed.
struct Fences {
  EventTime memory = 0;   ///< membar or fence of the device's scope
  EventTime proxy = 0;    ///< fence.proxy.async
  EventTime mbarrier = 0; ///< fence.mbarrier_init
};

/// The events of a block that order accesses of global memory. A barrier passes on what a fence of one of its
/// threads orders.
class BlockEvents {
public:
  void start(size_t threads);

  EventTime now() const { return time; }
  std::span<const Fences> fences() const { return ofThreads; }
  void fenceMemory(uint32_t thread);
  void fenceProxy(uint32_t thread) { ofThreads[thread].proxy = ++time; }
  void fenceMbarriers(uint32_t thread) { ofThreads[thread].mbarrier = ++time; }
  void completeBarrier();
  /// By which a block learns what others have done. It orders nothing by itself.
  void accessAtomically();
  /// The last barrier before the last fence.
  EventTime fencedBarrier() const { return beforeFence; }
  /// Whether a fence orders an atomic access of the block before what `thread` reads now.
  bool hasAcquired(uint32_t thread) const;

private:
  EventTime time = 0, lastBarrier = 0, beforeFence = 0, lastFence = 0, firstAtomic = 0;
  bool isAcquiredByAll = false;
  std::vector<Fences> ofThreads;
};

/// The wgmma instructions of a thread, by their numbers in its warp, from 1.
struct Products {
  uint32_t issued = 0, committed = 0, completed = 0; ///< the last one
  std::vector<uint32_t> groups;                      ///< the last one of each committed group, oldest first
  bool isFenced = false;                             ///< a wgmma.fence follows the last commit
};

/// The accesses of the shared memory of a block that a fence or a wait must order.
class SharedOrder {
public:
  static constexpr size_t mostWarps = 32;

  /// Forgets the accesses of another block.
  void prepare(size_t bytes);

  /// Records a write of the generic proxy.
  void recordWrite(size_t offset, size_t bytes, uint32_t thread, EventTime time);
  /// The thread whose generic write of these bytes neither its own fence follows nor one of `issuer`, which
  /// accesses them by the async proxy. A fence of initializations is enough for mbarriers.
  std::optional<uint32_t> unfencedWriter(size_t offset, size_t bytes, std::span<const Fences> threads,
                                         uint32_t issuer, bool isMbarrier) const;

  /// Numbers the next wgmma of a warp.
  uint32_t issue(size_t warp) { return ++issued[warp]; }
  uint32_t lastIssued(size_t warp) const { return issued[warp]; }
  /// Records that the last wgmma of `warp` reads these bytes until its wait.
  void recordRead(size_t offset, size_t bytes, size_t warp);
  /// Records that the warp waited for its wgmma up to `number`.
  void complete(size_t warp, uint32_t index) { completed[warp] = index; }
  /// A warp with a wgmma that reads these bytes and that it has not waited for.
  std::optional<size_t> pendingReader(size_t offset, size_t bytes) const;

private:
  static constexpr size_t granuleBytes = 8; ///< size of an mbarrier

  struct Write {
    EventTime time = 0;
    uint32_t thread = 0;
  };

  std::vector<Write> writes;                ///< the last one of each granule
  std::vector<uint32_t> readers[mostWarps]; ///< by warp and granule: the number of the last wgmma that reads
  uint32_t issued[mostWarps] = {}, completed[mostWarps] = {};
};

/// Writes of global memory that other blocks of the launch may read.
class GlobalOrder {
public:
  GlobalOrder(std::span<void *const> buffers, std::span<const size_t> bytes);

  void recordWrite(const std::byte *address, size_t bytes, uint32_t block, uint32_t thread, EventTime time);
  /// Ends a block: its writes before the last barrier of the block that a fence of any thread follows, and
  /// those that a fence of their own thread follows, are visible to other blocks.
  void endBlock(std::span<const Fences> threads, EventTime fencedBarrier);

  enum class Visibility : uint8_t { Own, Released, Unreleased };
  /// Of writes by other blocks; `Own` without one.
  Visibility visibility(const std::byte *address, size_t bytes, uint32_t block) const;

private:
  static constexpr size_t wordBytes = 4;
  static constexpr uint32_t releasedBit = 1u << 31;

  struct Buffer {
    const std::byte *start = nullptr;
    size_t bytes = 0;
    std::vector<uint32_t> words; ///< index of the writing block + 1, and whether it is released; empty: none
  };
  struct Write {
    uint32_t *word;
    uint32_t thread;
    EventTime time;
  };

  const Buffer *find(const std::byte *address) const;

  std::vector<Buffer> buffers;
  std::vector<Write> writes; ///< of the current block
};

} // namespace proa::emulator
