/// One block of threads: fibers, their schedule, barriers and waits.
#pragma once

#include "lib/runtime/emulator/Codes.h"
#include "lib/runtime/emulator/Emulator.h"
#include "lib/runtime/emulator/MemoryOrder.h"

#include <boost/context/detail/fcontext.hpp>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace proa::emulator {

struct Thread;

inline constexpr unsigned warpSize = 32;
/// The mask of all lanes of a warp.
inline constexpr uint32_t allLanes = ~0u;
inline constexpr unsigned barrierCount = 16;
/// A shared-memory address has 18 bits in matrix descriptors.
inline constexpr size_t sharedArenaBytes = size_t(1) << 18;

/// The code of one thread, which proa-emulate-gpu generates.
using ThreadFunction = void (*)(Thread *thread, std::byte *shared, void *const *buffers, const int64_t *dims,
                                int64_t begin, int64_t end);

/// A launch of one kernel by one thread of the CPU.
struct Launch {
  const char *kernel = "";
  ThreadFunction function = nullptr;
  std::array<uint32_t, 3> blockDims{1, 1, 1};
  uint32_t blocks = 1; ///< in x
  size_t sharedBytes = 0;
  bool synchronizes = false;     ///< whether threads wait for each other
  bool usesAsyncProxy = false;   ///< whether accesses of shared memory are recorded
  GlobalOrder *global = nullptr; ///< of kernels whose blocks exchange values
  void *const *buffers = nullptr;
  std::span<const size_t> bufferBytes; ///< empty: accesses of buffers are not checked
  const int64_t *dims = nullptr;
  int64_t begin = 0, end = 0;

  uint32_t threads() const { return blockDims[0] * blockDims[1] * blockDims[2]; }
};

/// The operations of a warp that all lanes of a member mask carry out together.
enum class WarpOperation : uint8_t {
  Shuffle,
  Vote,
  Reduce,
  Match,
  Elect,
  Sync,
  LoadMatrix,
  StoreMatrix,
  Mma,
  WarpgroupMma,
  SetRegisters
};

/// The condition that a thread waits for.
struct Wait {
  enum class Kind : uint8_t { Nothing, Barrier, Warp, Mbarrier, Products };
  Kind kind = Kind::Nothing;
  WarpOperation operation{};    ///< Warp
  uint32_t qualifiers = 0;      ///< Warp: the form of the operation, equal for all lanes
  uint32_t mask = 0;            ///< Warp
  uint32_t barrier = 0;         ///< Barrier: its index
  uint32_t count = 0;           ///< Barrier: number of threads it waits for
  int32_t site = 0;             ///< Barrier: index of the op in the kernel
  const void *object = nullptr; ///< Mbarrier: its address
  uint32_t parity = 0;          ///< Mbarrier: of the phase that must complete

  bool isSameWarpOperation(const Wait &other) const {
    return kind == Kind::Warp && other.kind == Kind::Warp && operation == other.operation &&
           qualifiers == other.qualifiers && mask == other.mask;
  }
  std::string describe() const;
};

class Block;

/// A cp.async that was issued; it is carried out when a thread waits for its group.
struct PendingCopy {
  std::byte *target = nullptr;
  const std::byte *source = nullptr;
  uint32_t bytes = 0;       ///< of the target
  uint32_t sourceBytes = 0; ///< the rest of the target becomes 0
};

struct Thread {
  Block *block = nullptr;
  uint32_t index = 0; ///< linear, in the block
  std::array<uint32_t, 3> position{};
  boost::context::detail::fcontext_t context = nullptr;
  Wait wait;
  void *operands = nullptr; ///< of the warp operation that it waits for
  int32_t reduction = 0;    ///< result of the reduction of its last barrier
  bool hasEnded = false;
  Products products;                                          ///< of wgmma
  std::vector<PendingCopy> copies;                            ///< not in a group yet
  std::vector<std::vector<PendingCopy>> groups;               ///< committed, oldest first
  std::vector<std::function<void()>> bulkCopies;              ///< to global memory, not in a group yet
  std::vector<std::vector<std::function<void()>>> bulkGroups; ///< committed, oldest first

  uint32_t lane() const { return index % warpSize; }
};

/// The operands of each lane of a warp, in order; null for lanes that are not members.
using LaneOperands = std::array<void *, warpSize>;

class Block {
public:
  Block();
  ~Block();
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  /// Runs all threads of block `index`. The result is an error, or empty.
  std::string run(const Launch &launch, uint32_t index, Schedule schedule, uint64_t seed);

  const Launch &launch() const { return *current; }
  uint32_t index() const { return blockIndex; }
  std::byte *shared() const { return arena; }
  BlockEvents &events() { return ordering; }
  SharedOrder &sharedOrder() { return sharedAccesses; }
  std::span<Thread> warpOf(const Thread &thread);
  /// Whether the bytes are on a stack of the block's threads.
  bool isOnStack(const std::byte *address, int64_t bytes) const;

  /// Ends the block with an error of `thread`. Locals of callers are not destroyed.
  [[noreturn]] void fail(const Thread &thread, std::string &&message);

  /// Waits until `count` threads are at barrier `id`; 0: all threads of the block. Returns the reduction of
  /// `predicate` over them (see BarrierReduction).
  int32_t synchronize(Thread &thread, uint32_t id, uint32_t count, int32_t reduction, int32_t predicate,
                      int32_t site);
  /// Counts `thread` at barrier `id` without waiting.
  void arrive(Thread &thread, uint32_t id, uint32_t count);

  /// Waits until all lanes of `mask` are at the same operation. The last one calls `perform`.
  void collect(Thread &thread, uint32_t mask, WarpOperation operation, uint32_t qualifiers, void *operands,
               void (*perform)(Block &block, Thread &thread, const LaneOperands &lanes, uint32_t members));

  /// Waits until `wake` makes the thread ready.
  void suspend(Thread &thread, const Wait &wait);
  /// Carries out the effect of an asynchronous operation: at once, or when no thread can run. Both are
  /// possible on a device; the first shows reads that are too late, the second ones that are too early.
  void defer(std::function<void()> effect);
  /// Waits for an operation of the thread that is complete at once, or when no thread can run.
  void delay(Thread &thread, Wait::Kind kind);
  /// Counts a wgmma of a warp. The four warps of a warpgroup must execute as many.
  void countWarpgroupOperation(const Thread &thread) { ++warpgroupOperations[thread.index / warpSize]; }
  /// Changes the registers of the threads of a warp. The four warps of a warpgroup must execute as many.
  void setRegisters(const Thread &thread, uint32_t registers, bool isIncrease);
  /// Lets other threads run first.
  void yield(Thread &thread);
  /// Makes the threads ready whose wait fulfills `isOver`.
  template <class Predicate> void wake(const Predicate &isOver) {
    for (Thread &thread : threads)
      if (thread.wait.kind != Wait::Kind::Nothing && isOver(thread))
        thread.wait = {};
  }

private:
  struct Barrier {
    uint32_t expected = 0, arrived = 0;
    int32_t popCount = 0;
    bool all = true, any = false;
  };

  static void startThread(boost::context::detail::transfer_t transfer);
  static void startLoop(boost::context::detail::transfer_t transfer);
  void prepare(const Launch &launch, uint32_t index);
  void switchToScheduler();
  void enter(boost::context::detail::fcontext_t &context, void *argument);
  bool resume(Thread &thread);
  bool runRound(std::vector<uint32_t> &order);
  bool isEager();
  bool endDelays();
  bool carryOutEffects();
  void compareWarpgroups();
  void compareRegisters();
  bool runWarp(uint32_t warp);
  void runFibers();
  void runLoop();
  std::string describeWaits() const;
  Barrier &countAt(Thread &thread, uint32_t id, uint32_t count);
  bool completes(Barrier &barrier, uint32_t id);
  void checkSites(Thread &thread, uint32_t id);

  const Launch *current = nullptr;
  uint32_t blockIndex = 0;
  std::byte *arena = nullptr;
  std::byte *stacks = nullptr;
  std::vector<Thread> threads;
  std::array<Barrier, barrierCount> barriers;
  boost::context::detail::fcontext_t scheduler = nullptr;
  std::vector<uint32_t> loopOrder;
  BlockEvents ordering;
  SharedOrder sharedAccesses;
  std::vector<std::function<void()>> effects; ///< of asynchronous operations
  bool hasDelays = false;
  std::array<uint32_t, 32> warpgroupOperations{}; ///< by warp
  struct RegisterUse {
    uint32_t registers = 0, requests = 0; ///< of a thread; by setmaxnreg
  };
  std::array<RegisterUse, 32> registerUse{}; ///< by warp
  std::mt19937_64 random;
  Schedule schedule = Schedule::Forward;
  uint32_t ended = 0;
  bool hasFailed = false;
  std::string error;
};

} // namespace proa::emulator
