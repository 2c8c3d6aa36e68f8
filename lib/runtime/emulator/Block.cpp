#include "lib/runtime/emulator/Block.h"

#include "lib/base/target/WarpgroupRegisters.h"

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <new>
#include <numeric>
#include <utility>

namespace proa::emulator {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace {

constexpr size_t stackBytes = 256 << 10;
constexpr size_t maximalThreads = 1024;
/// Bytes of shared memory that no thread has written: NaN in each floating-point type.
constexpr int poison = 0xff;

std::byte *mapMemory(size_t bytes) {
  void *memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  return static_cast<std::byte *>(memory);
}

/// "threads 0-31, 64".
std::string describeRanges(const std::vector<uint32_t> &threads) {
  std::string text = threads.size() == 1 ? "thread " : "threads ";
  for (size_t i = 0; i < threads.size();) {
    size_t last = i;
    while (last + 1 < threads.size() && threads[last + 1] == threads[last] + 1)
      ++last;
    text += fmt::format("{}{}", i ? ", " : "", threads[i]);
    if (last != i)
      text += fmt::format("-{}", threads[last]);
    i = last + 1;
  }
  return text;
}

const char *nameOf(WarpOperation operation) {
  constexpr const char *names[] = {"shfl.sync",  "vote.sync",     "redux.sync", "match.sync",
                                   "elect.sync", "bar.warp.sync", "ldmatrix",   "stmatrix",
                                   "mma.sync",   "wgmma",         "setmaxnreg"};
  return names[static_cast<size_t>(operation)];
}

} // namespace

std::string Wait::describe() const {
  switch (kind) {
  case Kind::Nothing:
    return "can run";
  case Kind::Barrier:
    return fmt::format("at barrier {} for {} threads (barrier op {} of the kernel)", barrier, count, site);
  case Kind::Warp:
    return fmt::format("at {} with the member mask {:#010x}", nameOf(operation), mask);
  case Kind::Mbarrier:
    return fmt::format("at an mbarrier for the phase of parity {}", parity);
  case Kind::Products:
    return "at wgmma.wait_group";
  }
  return "";
}

Block::Block() {
  stacks = mapMemory(maximalThreads * stackBytes);
  // Matrix descriptors hold the low bits of addresses.
  std::byte *region = mapMemory(2 * sharedArenaBytes);
  auto offset = reinterpret_cast<uintptr_t>(region) % sharedArenaBytes;
  arena = region + (offset ? sharedArenaBytes - offset : 0);
  munmap(region, static_cast<size_t>(arena - region));
  munmap(arena + sharedArenaBytes, static_cast<size_t>(region + sharedArenaBytes - arena));
}

Block::~Block() {
  munmap(stacks, maximalThreads * stackBytes);
  munmap(arena, sharedArenaBytes);
}

std::span<Thread> Block::warpOf(const Thread &thread) {
  uint32_t first = thread.index / warpSize * warpSize;
  return std::span(threads).subspan(first, std::min<size_t>(warpSize, threads.size() - first));
}

bool Block::isOnStack(const std::byte *address, int64_t bytes) const {
  return address >= stacks && address + bytes <= stacks + maximalThreads * stackBytes;
}

void Block::prepare(const Launch &launch, uint32_t index) {
  current = &launch;
  blockIndex = index;
  threads.resize(launch.threads());
  for (uint32_t i = 0; i < threads.size(); ++i) {
    Thread &thread = threads[i];
    thread.block = this;
    thread.index = i;
    thread.position = {i % launch.blockDims[0], i / launch.blockDims[0] % launch.blockDims[1],
                       i / launch.blockDims[0] / launch.blockDims[1]};
    thread.wait = {};
    thread.hasEnded = false;
    uint32_t products = sharedAccesses.lastIssued(i / warpSize);
    thread.products = {.issued = products, .committed = products, .completed = products, .groups = {}};
    thread.copies.clear();
    thread.groups.clear();
    thread.bulkCopies.clear();
    thread.bulkGroups.clear();
  }
  barriers.fill({});
  effects.clear();
  hasDelays = false;
  ordering.start(threads.size());
  if (launch.usesAsyncProxy)
    sharedAccesses.prepare(launch.sharedBytes);
  warpgroupOperations.fill(0);
  registerUse.fill({static_cast<uint32_t>(WarpgroupRegisters::atStart(launch.threads())), 0});
  ended = 0;
  hasFailed = false;
  error.clear();
  std::memset(arena, poison, launch.sharedBytes);
}

std::string Block::run(const Launch &launch, uint32_t index, Schedule order, uint64_t seed) {
  prepare(launch, index);
  schedule = order;
  random.seed(seed);
  // Threads that failed have left frames behind.
  ASAN_UNPOISON_MEMORY_REGION(stacks, maximalThreads * stackBytes);
  if (launch.synchronizes)
    runFibers();
  else
    runLoop();
  if (launch.global)
    launch.global->endBlock(ordering.fences(), ordering.fencedBarrier());
  return std::move(error);
}

void Block::fail(const Thread &thread, std::string &&message) {
  hasFailed = true;
  error = fmt::format("block {}, thread {}: {}", blockIndex, thread.index, message);
  std::string().swap(message);
  for (;;)
    switchToScheduler();
}

void Block::switchToScheduler() { scheduler = jump_fcontext(scheduler, nullptr).fctx; }

void Block::enter(fcontext_t &context, void *argument) { context = jump_fcontext(context, argument).fctx; }

void Block::startThread(transfer_t transfer) {
  Thread &thread = *static_cast<Thread *>(transfer.data);
  Block &block = *thread.block;
  block.scheduler = transfer.fctx;
  const Launch &launch = block.launch();
  launch.function(&thread, block.arena, launch.buffers, launch.dims, launch.begin, launch.end);
  thread.hasEnded = true;
  ++block.ended;
  for (;;)
    block.switchToScheduler();
}

/// One fiber for all threads, so that a thread that fails can leave compiled code.
void Block::startLoop(transfer_t transfer) {
  Block &block = *static_cast<Block *>(transfer.data);
  block.scheduler = transfer.fctx;
  const Launch &launch = block.launch();
  for (uint32_t i : block.loopOrder)
    launch.function(&block.threads[i], block.arena, launch.buffers, launch.dims, launch.begin, launch.end);
  for (;;)
    block.switchToScheduler();
}

void Block::runLoop() {
  loopOrder.resize(threads.size());
  std::iota(loopOrder.begin(), loopOrder.end(), 0);
  if (schedule == Schedule::Reverse || schedule == Schedule::WarpsDown)
    std::ranges::reverse(loopOrder);
  if (schedule == Schedule::Random)
    std::ranges::shuffle(loopOrder, random);
  fcontext_t context = make_fcontext(stacks + stackBytes, stackBytes, startLoop);
  enter(context, this);
}

/// Whether the thread ran.
bool Block::resume(Thread &thread) {
  if (hasFailed || thread.hasEnded || thread.wait.kind != Wait::Kind::Nothing)
    return false;
  enter(thread.context, &thread);
  return true;
}

/// Runs a warp as far as it gets.
bool Block::runWarp(uint32_t warp) {
  std::span<Thread> lanes = warpOf(threads[warp * warpSize]);
  bool hasMoved = false;
  for (bool moves = true; moves; hasMoved |= moves) {
    moves = false;
    for (Thread &thread : lanes)
      moves |= resume(thread);
  }
  return hasMoved;
}

/// Gives each thread a turn, or each warp several. Whether any thread ran.
bool Block::runRound(std::vector<uint32_t> &order) {
  bool hasMoved = false;
  auto warps = static_cast<uint32_t>((threads.size() + warpSize - 1) / warpSize);
  switch (schedule) {
  case Schedule::WarpsUp:
    for (uint32_t warp = 0; warp < warps; ++warp)
      hasMoved |= runWarp(warp);
    return hasMoved;
  case Schedule::WarpsDown:
    for (uint32_t warp = warps; warp-- > 0;)
      hasMoved |= runWarp(warp);
    return hasMoved;
  case Schedule::Random:
    std::ranges::shuffle(order, random);
    break;
  case Schedule::Forward:
  case Schedule::Reverse:
    break;
  }
  for (uint32_t i : order)
    hasMoved |= resume(threads[i]);
  return hasMoved;
}

void Block::runFibers() {
  for (Thread &thread : threads)
    thread.context = make_fcontext(stacks + (thread.index + 1) * stackBytes, stackBytes, startThread);
  std::vector<uint32_t> order(threads.size());
  std::iota(order.begin(), order.end(), 0);
  if (schedule == Schedule::Reverse)
    std::ranges::reverse(order);
  while (!hasFailed && ended != threads.size())
    if (!runRound(order) && !hasFailed && !endDelays() && !carryOutEffects()) {
      hasFailed = true;
      error = fmt::format("block {}: threads wait for each other forever: {}", blockIndex, describeWaits());
    }
  compareWarpgroups();
  compareRegisters();
}

/// All four warps of a warpgroup execute a wgmma together.
void Block::compareWarpgroups() {
  constexpr size_t groupWarps = 4;
  for (size_t warp = 0; warp < warpgroupOperations.size() && !hasFailed; ++warp) {
    size_t first = warp / groupWarps * groupWarps;
    if (warpgroupOperations[warp] == warpgroupOperations[first])
      continue;
    hasFailed = true;
    error = fmt::format("block {}: warp {} executed {} wgmma and warp {} of the same warpgroup {}",
                        blockIndex, first, warpgroupOperations[first], warp, warpgroupOperations[warp]);
  }
}

void Block::setRegisters(const Thread &thread, uint32_t registers, bool isIncrease) {
  RegisterUse &use = registerUse[thread.index / warpSize];
  if (isIncrease ? registers < use.registers : registers > use.registers)
    fail(thread,
         fmt::format("executes setmaxnreg.{} {} with {} registers, expected {}", isIncrease ? "inc" : "dec",
                     registers, use.registers, isIncrease ? "at most as many" : "at least as many"));
  use.registers = registers;
  ++use.requests;
}

/// All four warps of a warpgroup execute setmaxnreg together. Requests for more registers than the
/// block has wait forever.
void Block::compareRegisters() {
  constexpr size_t groupWarps = 4;
  size_t warps = current->threads() / warpSize;
  int64_t all = 0;
  bool hasRequests = false;
  for (size_t warp = 0; warp < warps && !hasFailed; ++warp) {
    const RegisterUse &own = registerUse[warp], &first = registerUse[warp / groupWarps * groupWarps];
    hasRequests |= own.requests > 0;
    all += static_cast<int64_t>(own.registers) * warpSize;
    if (own.requests == first.requests && own.registers == first.registers)
      continue;
    hasFailed = true;
    error = fmt::format(
        "block {}: warp {} has {} registers after {} setmaxnreg, and warp {} of the same warpgroup {} "
        "after {}",
        blockIndex, warp / groupWarps * groupWarps, first.registers, first.requests, warp, own.registers,
        own.requests);
  }
  int64_t most = WarpgroupRegisters::ofBlock(current->threads());
  if (hasFailed || !hasRequests || all <= most)
    return;
  hasFailed = true;
  error = fmt::format("block {}: its warps request {} registers by setmaxnreg, expected at most {}",
                      blockIndex, all, most);
}

/// Whether the next asynchronous operation is carried out at once.
bool Block::isEager() {
  return schedule == Schedule::Random ? random() % 2 == 0
                                      : schedule == Schedule::Reverse || schedule == Schedule::WarpsDown;
}

void Block::delay(Thread &thread, Wait::Kind kind) {
  if (isEager())
    return;
  hasDelays = true;
  suspend(thread, {.kind = kind});
}

/// Whether there was any.
bool Block::endDelays() {
  wake([](const Thread &thread) { return thread.wait.kind == Wait::Kind::Products; });
  return std::exchange(hasDelays, false);
}

void Block::defer(std::function<void()> effect) {
  if (isEager())
    effect();
  else
    effects.push_back(std::move(effect));
}

/// Whether there was any.
bool Block::carryOutEffects() {
  for (const auto &effect : effects)
    effect();
  return !std::exchange(effects, {}).empty();
}

std::string Block::describeWaits() const {
  std::map<std::string, std::vector<uint32_t>> groups;
  for (const Thread &thread : threads)
    groups[thread.hasEnded ? "have ended" : "wait " + thread.wait.describe()].push_back(thread.index);
  std::string text;
  for (const auto &[state, members] : groups) {
    bool isOne = members.size() == 1;
    std::string verb = !isOne ? state : state.starts_with("have") ? "has ended" : "waits" + state.substr(4);
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", describeRanges(members), verb);
  }
  return text;
}

void Block::suspend(Thread &thread, const Wait &wait) {
  thread.wait = wait;
  switchToScheduler();
}

void Block::yield(Thread &thread) {
  thread.wait = {};
  switchToScheduler();
}

Block::Barrier &Block::countAt(Thread &thread, uint32_t id, uint32_t count) {
  if (id >= barrierCount)
    fail(thread, fmt::format("uses barrier {}, expected an index below {}", id, barrierCount));
  if (count % warpSize != 0 || count > (threads.size() + warpSize - 1) / warpSize * warpSize)
    fail(thread,
         fmt::format("waits at barrier {} for {} threads, expected a multiple of {} up to the {} threads of "
                     "the block",
                     id, count, warpSize, threads.size()));
  uint32_t expected = count ? std::min<uint32_t>(count, static_cast<uint32_t>(threads.size()))
                            : static_cast<uint32_t>(threads.size());
  Barrier &barrier = barriers[id];
  if (barrier.arrived == 0)
    barrier = {.expected = expected};
  else if (barrier.expected != expected)
    fail(thread, fmt::format("waits at barrier {} for {} threads, while others wait there for {}", id,
                             expected, barrier.expected));
  ++barrier.arrived;
  return barrier;
}

/// nvvm.barrier is aligned: the lanes of a warp execute the same instruction.
void Block::checkSites(Thread &thread, uint32_t id) {
  for (uint32_t first = 0; first < threads.size(); first += warpSize) {
    const Thread *seen = nullptr;
    for (Thread &lane : warpOf(threads[first])) {
      if (lane.wait.kind != Wait::Kind::Barrier || lane.wait.barrier != id)
        continue;
      if (seen && seen->wait.site != lane.wait.site)
        fail(thread,
             fmt::format("barrier {} is divergent: thread {} waits at barrier op {} of the kernel and thread "
                         "{} of the same warp at op {}",
                         id, seen->index, seen->wait.site, lane.index, lane.wait.site));
      seen = &lane;
    }
  }
}

/// Releases the waiting threads if all have arrived.
bool Block::completes(Barrier &barrier, uint32_t id) {
  if (barrier.arrived != barrier.expected)
    return false;
  ordering.completeBarrier();
  Barrier done = std::exchange(barrier, {});
  for (Thread &thread : threads)
    if (thread.wait.kind == Wait::Kind::Barrier && thread.wait.barrier == id) {
      thread.reduction = thread.reduction == andReduction  ? done.all
                         : thread.reduction == orReduction ? done.any
                                                           : done.popCount;
      thread.wait = {};
    }
  return true;
}

int32_t Block::synchronize(Thread &thread, uint32_t id, uint32_t count, int32_t reduction, int32_t predicate,
                           int32_t site) {
  Barrier &barrier = countAt(thread, id, count);
  barrier.popCount += predicate != 0;
  barrier.all = barrier.all && predicate != 0;
  barrier.any = barrier.any || predicate != 0;
  thread.reduction = reduction;
  thread.wait = {.kind = Wait::Kind::Barrier, .barrier = id, .count = barrier.expected, .site = site};
  if (barrier.arrived == barrier.expected)
    checkSites(thread, id);
  completes(barrier, id);
  switchToScheduler();
  return thread.reduction;
}

void Block::arrive(Thread &thread, uint32_t id, uint32_t count) {
  Barrier &barrier = countAt(thread, id, count);
  if (completes(barrier, id))
    yield(thread);
}

void Block::collect(Thread &thread, uint32_t mask, WarpOperation operation, uint32_t qualifiers,
                    void *operands, void (*perform)(Block &, Thread &, const LaneOperands &, uint32_t)) {
  std::span<Thread> lanes = warpOf(thread);
  if (!(mask >> thread.lane() & 1))
    fail(thread, fmt::format("executes {} with the member mask {:#010x}, which lacks its own lane {}",
                             nameOf(operation), mask, thread.lane()));
  // Lanes beyond the end of the block do not exist, so nothing waits for them.
  uint32_t members = lanes.size() < warpSize ? mask & ((1u << lanes.size()) - 1) : mask;
  thread.wait = {.kind = Wait::Kind::Warp, .operation = operation, .qualifiers = qualifiers, .mask = mask};
  thread.operands = operands;
  LaneOperands all{};
  for (Thread &lane : lanes) {
    if (!(members >> lane.lane() & 1))
      continue;
    if (lane.hasEnded)
      fail(thread, fmt::format("executes {} with the member mask {:#010x}, but thread {} (lane {}) has ended",
                               nameOf(operation), mask, lane.index, lane.lane()));
    if (!lane.wait.isSameWarpOperation(thread.wait))
      return switchToScheduler();
    all[lane.lane()] = lane.operands;
  }
  perform(*this, thread, all, members);
  if (operation == WarpOperation::Sync)
    ordering.completeBarrier();
  for (Thread &lane : lanes)
    if (members >> lane.lane() & 1)
      lane.wait = {};
  switchToScheduler();
}

} // namespace proa::emulator
