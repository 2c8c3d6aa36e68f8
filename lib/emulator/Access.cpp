// Checks of memory accesses.
#include "lib/emulator/Functions.h"

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

void checkAlignment(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment,
                    int32_t kind) {
  if (alignment > 1 && reinterpret_cast<uintptr_t>(address) % static_cast<uintptr_t>(alignment) != 0)
    thread->block->fail(*thread, fmt::format("{} {} bytes at an address that is not a multiple of {}",
                                             verbOf(kind), bytes, alignment));
}

} // namespace

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
}

void checkShared(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment, int32_t kind,
                 int64_t offset, int64_t size) {
  const std::byte *variable = thread->block->shared() + offset;
  if (!isInside(address, bytes, variable, static_cast<size_t>(size)))
    thread->block->fail(*thread,
                        fmt::format("{} {} bytes at offset {} of a shared variable, which has {} bytes",
                                    verbOf(kind), bytes, offsetFrom(address, variable), size));
  checkAlignment(thread, address, bytes, alignment, kind);
}

void checkSharedAddress(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment,
                        int32_t kind) {
  checkShared(thread, address, bytes, alignment, kind, 0,
              static_cast<int64_t>(thread->block->launch().sharedBytes));
}

void checkAnywhere(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment, int32_t kind) {
  const Launch &launch = thread->block->launch();
  bool isKnown = launch.bufferBytes.empty() ||
                 isInside(address, bytes, thread->block->shared(), launch.sharedBytes) ||
                 thread->block->isOnStack(address, bytes);
  for (size_t i = 0; i < launch.bufferBytes.size() && !isKnown; ++i)
    isKnown = isInside(address, bytes, launch.buffers[i], launch.bufferBytes[i]);
  if (!isKnown)
    thread->block->fail(*thread,
                        fmt::format("{} {} bytes outside of all buffers of the kernel, shared memory "
                                    "and the stack",
                                    verbOf(kind), bytes));
  checkAlignment(thread, address, bytes, alignment, kind);
}

void checkMasked(Thread *thread, const std::byte *address, int64_t elementBytes, int64_t mask,
                 int64_t alignment, int32_t kind) {
  if (mask != 0)
    checkAlignment(thread, address, elementBytes, alignment, kind);
  for (auto rest = static_cast<uint64_t>(mask); rest != 0; rest &= rest - 1)
    checkAnywhere(thread, address + std::countr_zero(rest) * elementBytes, elementBytes, 1, kind);
}

} // namespace proa::emulator
