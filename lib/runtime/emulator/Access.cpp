// Checks of memory accesses.
#include "lib/runtime/emulator/Functions.h"

#include <bit>

namespace proa::emulator {
namespace {

const char *verbOf(int32_t kind) {
  constexpr const char *verbs[] = {"reads", "writes", "updates", "copies"};
  return verbs[kind];
}

bool isInside(const std::byte *address, int64_t bytes, const void *base, size_t size) {
  auto offset = reinterpret_cast<intptr_t>(address) - reinterpret_cast<intptr_t>(base);
  return offset >= 0 && bytes <= static_cast<int64_t>(size) && offset <= static_cast<int64_t>(size) - bytes;
}

int64_t offsetFrom(const std::byte *address, const void *base) {
  return reinterpret_cast<intptr_t>(address) - reinterpret_cast<intptr_t>(base);
}

[[noreturn]] void failOverwritten(Thread *thread, size_t offset, size_t warp) {
  thread->block->fail(*thread,
                      fmt::format("writes offset {} of shared memory, which a wgmma of warp {} reads "
                                  "until its wgmma.wait_group",
                                  offset, warp));
}

void checkAlignment(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment,
                    int32_t kind) {
  if (alignment > 1 && reinterpret_cast<uintptr_t>(address) % static_cast<uintptr_t>(alignment) != 0)
    thread->block->fail(*thread, fmt::format("{} {} bytes at an address that is not a multiple of {}",
                                             verbOf(kind), bytes, alignment));
}

/// An access of global memory in a kernel whose blocks exchange values.
void orderGlobal(Thread *thread, const std::byte *address, int64_t bytes, int32_t kind) {
  Block &block = *thread->block;
  GlobalOrder *global = block.launch().global;
  if (!global)
    return;
  auto count = static_cast<size_t>(bytes);
  if (kind == atomicAccess)
    return block.events().accessAtomically();
  if (kind == writeAccess)
    return global->recordWrite(address, count, block.index(), thread->index, block.events().now());
  GlobalOrder::Visibility visibility = global->visibility(address, count, block.index());
  if (visibility == GlobalOrder::Visibility::Unreleased)
    block.fail(*thread, "reads global memory that another block wrote, with no membar after the write");
  if (visibility == GlobalOrder::Visibility::Released && !block.events().hasAcquired(thread->index))
    block.fail(*thread, "reads global memory that another block wrote, with no membar between its own atomic "
                        "access and the read");
}

} // namespace

void recordSharedWrite(Thread *thread, const std::byte *address, int64_t bytes) {
  Block &block = *thread->block;
  if (!block.launch().usesAsyncProxy)
    return;
  auto offset = static_cast<size_t>(address - block.shared());
  if (auto warp = block.sharedOrder().pendingReader(offset, static_cast<size_t>(bytes)))
    failOverwritten(thread, offset, *warp);
  block.sharedOrder().recordWrite(offset, static_cast<size_t>(bytes), thread->index, block.events().now());
}

void fence(Thread *thread, FenceKind kind) {
  BlockEvents &events = thread->block->events();
  switch (kind) {
  case FenceKind::Memory:
    return events.fenceMemory(thread->index);
  case FenceKind::Proxy:
    return events.fenceProxy(thread->index);
  case FenceKind::MbarrierInit:
    return events.fenceMbarriers(thread->index);
  }
}

void checkAsyncAccess(Thread *thread, const std::byte *address, int64_t bytes, AccessKind kind) {
  Block &block = *thread->block;
  auto offset = static_cast<size_t>(address - block.shared()), count = static_cast<size_t>(bytes);
  if (auto writer = block.sharedOrder().unfencedWriter(offset, count, block.events().fences(), thread->index,
                                                       /*isMbarrier=*/false))
    block.fail(*thread, fmt::format("{} offset {} of shared memory by the async proxy, where thread {} wrote "
                                    "before, with no fence.proxy.async in between",
                                    verbOf(kind), offset, *writer));
  if (kind != writeAccess)
    return;
  if (auto warp = block.sharedOrder().pendingReader(offset, count))
    failOverwritten(thread, offset, *warp);
}

void checkAsyncMbarrier(Thread *thread, const uint64_t *object) {
  Block &block = *thread->block;
  auto offset = static_cast<size_t>(reinterpret_cast<const std::byte *>(object) - block.shared());
  if (auto writer = block.sharedOrder().unfencedWriter(offset, sizeof *object, block.events().fences(),
                                                       thread->index, /*isMbarrier=*/true))
    block.fail(*thread,
               fmt::format("passes an mbarrier to the async proxy that thread {} initialized, with no "
                           "fence.mbarrier_init or fence.proxy.async in between",
                           *writer));
}

void checkBuffer(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment, int32_t kind,
                 int32_t buffer) {
  const Launch &launch = thread->block->launch();
  auto index = static_cast<size_t>(buffer);
  if (index < launch.bufferBytes.size() &&
      !isInside(address, bytes, launch.buffers[index], launch.bufferBytes[index]))
    thread->block->fail(*thread, fmt::format("{} {} bytes at offset {} of buffer {}, which has {} bytes",
                                             verbOf(kind), bytes, offsetFrom(address, launch.buffers[index]),
                                             buffer, launch.bufferBytes[index]));
  checkAlignment(thread, address, bytes, alignment, kind);
  orderGlobal(thread, address, bytes, kind);
}

void checkShared(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment, int32_t kind,
                 int64_t offset, int64_t size) {
  const std::byte *variable = thread->block->shared() + offset;
  if (!isInside(address, bytes, variable, static_cast<size_t>(size)))
    thread->block->fail(*thread,
                        fmt::format("{} {} bytes at offset {} of a shared variable, which has {} bytes",
                                    verbOf(kind), bytes, offsetFrom(address, variable), size));
  checkAlignment(thread, address, bytes, alignment, kind);
  if (kind == writeAccess)
    recordSharedWrite(thread, address, bytes);
}

void checkSharedAddress(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment,
                        int32_t kind) {
  checkShared(thread, address, bytes, alignment, kind, 0,
              static_cast<int64_t>(thread->block->launch().sharedBytes));
}

void checkAnywhere(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment, int32_t kind) {
  const Launch &launch = thread->block->launch();
  bool isShared = isInside(address, bytes, thread->block->shared(), launch.sharedBytes),
       isOnStack = thread->block->isOnStack(address, bytes);
  bool isKnown = launch.bufferBytes.empty() || isShared || isOnStack;
  for (size_t i = 0; i < launch.bufferBytes.size() && !isKnown; ++i)
    isKnown = isInside(address, bytes, launch.buffers[i], launch.bufferBytes[i]);
  if (!isKnown)
    thread->block->fail(*thread,
                        fmt::format("{} {} bytes outside of all buffers of the kernel, shared memory "
                                    "and the stack",
                                    verbOf(kind), bytes));
  checkAlignment(thread, address, bytes, alignment, kind);
  if (isShared && kind == writeAccess)
    recordSharedWrite(thread, address, bytes);
  else if (!isShared && !isOnStack)
    orderGlobal(thread, address, bytes, kind);
}

void checkMasked(Thread *thread, const std::byte *address, int64_t elementBytes, int64_t mask,
                 int64_t alignment, int32_t kind) {
  if (mask != 0)
    checkAlignment(thread, address, elementBytes, alignment, kind);
  for (auto rest = static_cast<uint64_t>(mask); rest != 0; rest &= rest - 1)
    checkAnywhere(thread, address + std::countr_zero(rest) * elementBytes, elementBytes, 1, kind);
}

} // namespace proa::emulator
