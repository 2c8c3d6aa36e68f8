// cp.async. A copy is carried out when its thread waits for its group, so that a missing wait shows.
#include "lib/runtime/emulator/Functions.h"

#include <cstring>

namespace proa::emulator {

void copyAsync(Thread *thread, std::byte *target, const std::byte *source, int32_t bytes,
               int32_t sourceBytes) {
  checkSharedAddress(thread, target, bytes, bytes, copyAccess);
  if (sourceBytes < 0 || sourceBytes > bytes)
    thread->block->fail(
        *thread, fmt::format("executes cp.async of {} bytes with {} source bytes", bytes, sourceBytes));
  thread->copies.push_back(
      {target, source, static_cast<uint32_t>(bytes), static_cast<uint32_t>(sourceBytes)});
}

void commitCopies(Thread *thread) { thread->groups.push_back(std::exchange(thread->copies, {})); }

void waitForCopies(Thread *thread, int32_t pendingGroups) {
  auto kept = static_cast<size_t>(pendingGroups);
  if (thread->groups.size() <= kept)
    return;
  auto end = thread->groups.end() - pendingGroups;
  for (auto group = thread->groups.begin(); group != end; ++group)
    for (const PendingCopy &copy : *group) {
      recordSharedWrite(thread, copy.target, copy.bytes);
      std::memcpy(copy.target, copy.source, copy.sourceBytes);
      std::memset(copy.target + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
    }
  thread->groups.erase(thread->groups.begin(), end);
}

} // namespace proa::emulator
