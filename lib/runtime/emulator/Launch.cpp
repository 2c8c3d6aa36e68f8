#include "lib/base/support/KernelScratch.h"
#include "lib/runtime/emulator/Functions.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>

namespace proa::emulator {
namespace {

std::mutex schedulingMutex;
Scheduling processScheduling;

/// The call that this thread of the CPU makes.
struct RunningCall {
  const runtime::KernelCall *call = nullptr;
  Scheduling scheduling;
  std::string error;
};
thread_local RunningCall *running = nullptr;

Schedule scheduleOf(const Scheduling &scheduling, size_t hash, int64_t row) {
  if (scheduling.fixed)
    return *scheduling.fixed;
  return static_cast<Schedule>((scheduling.rotation + hash + static_cast<size_t>(row)) % scheduleCount);
}

/// A launch on a device may have fewer blocks than rows; so have some of the emulated ones.
uint32_t chooseBlocks(Schedule variant, int64_t rows, uint64_t seed) {
  auto most = static_cast<uint32_t>(std::min<int64_t>(rows, UINT32_MAX));
  switch (variant) {
  case Schedule::Forward:
    return most;
  case Schedule::WarpsDown:
    return (most + 2) / 3;
  case Schedule::Reverse:
    return (most + 1) / 2;
  case Schedule::WarpsUp:
    return 1;
  case Schedule::Random:
    return static_cast<uint32_t>(1 + std::mt19937_64(seed)() % most);
  }
  return most;
}

const char *nameOf(Schedule schedule) {
  constexpr const char *names[] = {"forward", "reverse", "warps up", "warps down", "random"};
  return names[static_cast<size_t>(schedule)];
}

std::string runBlocks(const Launch &launch, const Scheduling &scheduling, size_t hash) {
  thread_local Block block;
  // Descending for some: no block may depend on an earlier one.
  bool isReversed = scheduleOf(scheduling, hash, launch.begin) == Schedule::Reverse;
  for (uint32_t i = 0; i < launch.blocks; ++i) {
    uint32_t index = isReversed ? launch.blocks - 1 - i : i;
    int64_t row = launch.begin + index;
    Schedule schedule = scheduleOf(scheduling, hash, row);
    std::string error = block.run(launch, index, schedule, scheduling.seed + hash + static_cast<size_t>(row));
    if (!error.empty())
      return fmt::format("emulation of '{}' ({} blocks for the rows {} to {}, schedule '{}'): {}",
                         launch.kernel, launch.blocks, launch.begin, launch.end - 1, nameOf(schedule), error);
  }
  return {};
}

} // namespace

void setScheduling(const Scheduling &scheduling) {
  std::lock_guard lock(schedulingMutex);
  processScheduling = scheduling;
}

Scheduling scheduling() {
  std::lock_guard lock(schedulingMutex);
  return processScheduling;
}

Result<void> invoke(const runtime::KernelCall &call) {
  RunningCall state{&call, scheduling(), {}};
  running = &state;
  // The kernel may be an ordinary one, which allocates scratch memory.
  bool hasMemory = callKernel([&] { call.function(call.buffers.data(), call.dims, call.begin, call.end); });
  running = nullptr;
  if (!hasMemory)
    return errorAt("", "no memory for what the kernel computes in between");
  if (!state.error.empty())
    return errorAt("", std::move(state.error));
  return {};
}

void launch(const char *kernel, ThreadFunction function, int32_t blockX, int32_t blockY, int32_t blockZ,
            int64_t sharedBytes, int32_t traits, void *const *buffers, const int64_t *dims, int64_t begin,
            int64_t end) {
  if (begin >= end)
    return;
  if (!running) {
    fmt::print(stderr, "error: {}: an emulated kernel was called without proa::emulator::invoke\n", kernel);
    std::_Exit(1);
  }
  size_t hash = std::hash<std::string_view>()(kernel);
  const Scheduling &scheduling = running->scheduling;
  Launch launch{.kernel = kernel,
                .function = function,
                .blockDims = {static_cast<uint32_t>(blockX), static_cast<uint32_t>(blockY),
                              static_cast<uint32_t>(blockZ)},
                .blocks = chooseBlocks(scheduleOf(scheduling, hash, 0), end - begin,
                                       scheduling.seed + hash + static_cast<size_t>(begin)),
                .sharedBytes = static_cast<size_t>(sharedBytes),
                .synchronizes = (traits & synchronizesThreads) != 0,
                .usesAsyncProxy = (traits & usesAsyncProxy) != 0,
                .buffers = buffers,
                .bufferBytes = running->call->bytes,
                .dims = dims,
                .begin = begin,
                .end = end};
  std::optional<GlobalOrder> global;
  if (traits & exchangesValues)
    launch.global = &global.emplace(std::span(buffers, launch.bufferBytes.size()), launch.bufferBytes);
  running->error = runBlocks(launch, scheduling, hash);
}

int32_t readRegister(const Thread *thread, int32_t index) {
  const Launch &launch = thread->block->launch();
  uint32_t lane = thread->lane();
  auto valueOf = [&]() -> uint32_t {
    switch (static_cast<Register>(index)) {
    case Register::ThreadX:
    case Register::ThreadY:
    case Register::ThreadZ:
      return thread->position[static_cast<size_t>(index)];
    case Register::BlockDimX:
    case Register::BlockDimY:
    case Register::BlockDimZ:
      return launch.blockDims[static_cast<size_t>(index) - 3];
    case Register::BlockX:
      return thread->block->index();
    case Register::GridDimX:
      return launch.blocks;
    case Register::BlockY:
    case Register::BlockZ:
      return 0;
    case Register::GridDimY:
    case Register::GridDimZ:
      return 1;
    case Register::Lane:
      return lane;
    case Register::Warp:
      return thread->index / warpSize;
    case Register::WarpCount:
      return (launch.threads() + warpSize - 1) / warpSize;
    case Register::WarpSize:
      return warpSize;
    case Register::LaneMaskEqual:
      return 1u << lane;
    case Register::LaneMaskLessEqual:
      return ~0u >> (warpSize - 1 - lane);
    case Register::LaneMaskLess:
      return (1u << lane) - 1;
    case Register::LaneMaskGreaterEqual:
      return ~0u << lane;
    case Register::LaneMaskGreater:
      return ~0u << lane << 1;
    }
    return 0;
  };
  return static_cast<int32_t>(valueOf());
}

} // namespace proa::emulator
