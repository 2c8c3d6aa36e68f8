// mbarrier objects: their state is in the 8 bytes in shared memory that a kernel provides.
#include "lib/runtime/emulator/Functions.h"

#include <bit>
#include <cstring>
#include <utility>

namespace proa::emulator {
namespace {

constexpr uint64_t validTag = 1;
constexpr int32_t maximalCount = (1 << 20) - 1;

struct State {
  uint64_t tag : 2;
  uint64_t phase : 1;    ///< parity of the current phase
  uint64_t pending : 20; ///< arrivals that the phase waits for
  uint64_t expected : 20;
  int64_t bytes : 21; ///< of copies that the phase waits for
};
static_assert(sizeof(State) == sizeof(uint64_t));

State stateOf(const uint64_t *object) {
  State state;
  std::memcpy(&state, object, sizeof state);
  return state;
}

/// Stores the state; a phase that is complete ends.
void update(Block &block, uint64_t *object, State state) {
  bool isComplete = state.pending == 0 && state.bytes == 0;
  uint32_t parity = state.phase;
  if (isComplete) {
    state.phase ^= 1;
    state.pending = state.expected;
  }
  std::memcpy(object, &state, sizeof state);
  if (!isComplete)
    return;
  block.events().completeBarrier();
  block.wake([&](const Thread &thread) {
    return thread.wait.kind == Wait::Kind::Mbarrier && thread.wait.object == object &&
           thread.wait.parity == parity;
  });
}

State load(Thread *thread, uint64_t *object) {
  checkSharedAddress(thread, reinterpret_cast<std::byte *>(object), sizeof(State), sizeof(State),
                     atomicAccess);
  State state = stateOf(object);
  if (state.tag != validTag)
    thread->block->fail(*thread, "uses an mbarrier that is not initialized");
  return state;
}

void expect(Thread *thread, State &state, int32_t bytes) {
  if (bytes < 0 || state.bytes + bytes > maximalCount)
    thread->block->fail(*thread,
                        fmt::format("expects {} more bytes at an mbarrier that waits for {}, at most {} are "
                                    "possible",
                                    bytes, static_cast<int64_t>(state.bytes), maximalCount));
  state.bytes += bytes;
}

} // namespace

void mbarrierInit(Thread *thread, uint64_t *object, int32_t count, int32_t predicate) {
  if (!predicate)
    return;
  checkSharedAddress(thread, reinterpret_cast<std::byte *>(object), sizeof(State), sizeof(State),
                     writeAccess);
  if (count < 1 || count > maximalCount)
    thread->block->fail(*thread, fmt::format("initializes an mbarrier with the count {}, expected 1 to {}",
                                             count, maximalCount));
  auto arrivals = static_cast<uint64_t>(count);
  State state{.tag = validTag, .phase = 0, .pending = arrivals, .expected = arrivals, .bytes = 0};
  std::memcpy(object, &state, sizeof state);
}

void mbarrierInvalidate(Thread *thread, uint64_t *object) {
  load(thread, object);
  *object = ~uint64_t(0);
}

void mbarrierExpect(Thread *thread, uint64_t *object, int32_t bytes) {
  State state = load(thread, object);
  expect(thread, state, bytes);
  std::memcpy(object, &state, sizeof state);
}

void mbarrierComplete(Thread *thread, uint64_t *object, int32_t bytes) {
  load(thread, object);
  completeBytes(*thread->block, object, static_cast<uint32_t>(bytes));
}

void completeBytes(Block &block, uint64_t *object, uint32_t bytes) {
  State state = stateOf(object);
  state.bytes -= bytes;
  update(block, object, state);
}

int64_t mbarrierArrive(Thread *thread, uint64_t *object, int32_t count, int32_t drops, int32_t expectedBytes,
                       int32_t predicate) {
  if (!predicate)
    return 0;
  State state = load(thread, object);
  auto before = std::bit_cast<int64_t>(state);
  if (expectedBytes)
    expect(thread, state, expectedBytes);
  auto arrivals = static_cast<uint64_t>(count);
  if (count < 1 || arrivals > state.pending)
    thread->block->fail(*thread, fmt::format("arrives {} times at an mbarrier that waits for {} arrivals",
                                             count, static_cast<uint64_t>(state.pending)));
  if (drops)
    state.expected -= arrivals;
  state.pending -= arrivals;
  update(*thread->block, object, state);
  return before;
}

int32_t mbarrierWait(Thread *thread, uint64_t *object, int64_t stateOrParity, int32_t isParity) {
  State current = load(thread, object);
  uint32_t parity = isParity ? static_cast<uint32_t>(stateOrParity & 1)
                             : static_cast<uint32_t>(std::bit_cast<State>(stateOrParity).phase);
  if (current.phase == parity)
    thread->block->suspend(*thread, {.kind = Wait::Kind::Mbarrier, .object = object, .parity = parity});
  return 1;
}

void mbarrierArriveByCopies(Thread *thread, uint64_t *object, int32_t keepsCount) {
  commitCopies(thread);
  waitForCopies(thread, 0);
  State state = load(thread, object);
  if (!keepsCount) {
    state.pending += 1;
    std::memcpy(object, &state, sizeof state);
  }
  mbarrierArrive(thread, object, 1, 0, 0, 1);
}

} // namespace proa::emulator
