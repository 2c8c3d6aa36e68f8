#include "lib/runtime/emulator/MemoryOrder.h"

#include <algorithm>

namespace proa::emulator {

void BlockEvents::start(size_t threads) {
  time = 1;
  lastBarrier = beforeFence = lastFence = firstAtomic = 0;
  isAcquiredByAll = false;
  ofThreads.assign(threads, {});
}

void BlockEvents::fenceMemory(uint32_t thread) {
  ofThreads[thread].memory = lastFence = ++time;
  beforeFence = lastBarrier;
}

void BlockEvents::completeBarrier() {
  lastBarrier = ++time;
  isAcquiredByAll = isAcquiredByAll || (firstAtomic != 0 && lastFence > firstAtomic);
}

void BlockEvents::accessAtomically() {
  if (firstAtomic == 0)
    firstAtomic = time;
}

bool BlockEvents::hasAcquired(uint32_t thread) const {
  return isAcquiredByAll || (firstAtomic != 0 && ofThreads[thread].memory > firstAtomic);
}

void SharedOrder::prepare(size_t bytes) {
  writes.assign((bytes + granuleBytes - 1) / granuleBytes, {});
  std::ranges::copy(issued, completed);
}

void SharedOrder::recordWrite(size_t offset, size_t bytes, uint32_t thread, EventTime time) {
  size_t end = std::min((offset + bytes + granuleBytes - 1) / granuleBytes, writes.size());
  for (size_t granule = offset / granuleBytes; granule < end; ++granule)
    writes[granule] = {time, thread};
}

std::optional<uint32_t> SharedOrder::unfencedWriter(size_t offset, size_t bytes,
                                                    std::span<const Fences> threads, uint32_t issuer,
                                                    bool isMbarrier) const {
  auto fenceOf = [&](uint32_t thread) {
    const Fences &fences = threads[thread];
    return isMbarrier ? std::max(fences.proxy, fences.mbarrier) : fences.proxy;
  };
  EventTime own = fenceOf(issuer);
  size_t end = std::min((offset + bytes + granuleBytes - 1) / granuleBytes, writes.size());
  for (size_t granule = offset / granuleBytes; granule < end; ++granule)
    if (const Write &write = writes[granule];
        write.time != 0 && own <= write.time && fenceOf(write.thread) <= write.time)
      return write.thread;
  return std::nullopt;
}

void SharedOrder::recordRead(size_t offset, size_t bytes, size_t warp) {
  std::vector<uint32_t> &granules = readers[warp];
  size_t end = (offset + bytes + granuleBytes - 1) / granuleBytes;
  if (granules.size() < end)
    granules.resize(std::max(end, writes.size()));
  std::fill(granules.begin() + static_cast<ptrdiff_t>(offset / granuleBytes),
            granules.begin() + static_cast<ptrdiff_t>(end), issued[warp]);
}

std::optional<size_t> SharedOrder::pendingReader(size_t offset, size_t bytes) const {
  size_t end = (offset + bytes + granuleBytes - 1) / granuleBytes;
  for (size_t warp = 0; warp < mostWarps; ++warp) {
    if (issued[warp] == completed[warp])
      continue;
    size_t last = std::min(end, readers[warp].size());
    for (size_t granule = offset / granuleBytes; granule < last; ++granule)
      if (readers[warp][granule] > completed[warp])
        return warp;
  }
  return std::nullopt;
}

GlobalOrder::GlobalOrder(std::span<void *const> pointers, std::span<const size_t> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i)
    buffers.push_back({static_cast<const std::byte *>(pointers[i]), bytes[i], {}});
}

const GlobalOrder::Buffer *GlobalOrder::find(const std::byte *address) const {
  for (const Buffer &buffer : buffers)
    if (address >= buffer.start && address < buffer.start + buffer.bytes)
      return &buffer;
  return nullptr;
}

void GlobalOrder::recordWrite(const std::byte *address, size_t bytes, uint32_t block, uint32_t thread,
                              EventTime time) {
  auto *buffer = const_cast<Buffer *>(find(address));
  if (!buffer)
    return;
  if (buffer->words.empty())
    buffer->words.resize((buffer->bytes + wordBytes - 1) / wordBytes);
  auto offset = static_cast<size_t>(address - buffer->start);
  size_t end = std::min((offset + bytes + wordBytes - 1) / wordBytes, buffer->words.size());
  for (size_t word = offset / wordBytes; word < end; ++word) {
    buffer->words[word] = block + 1;
    writes.push_back({&buffer->words[word], thread, time});
  }
}

void GlobalOrder::endBlock(std::span<const Fences> threads, EventTime fencedBarrier) {
  for (const Write &write : writes) {
    bool isReleased = threads[write.thread].memory > write.time || fencedBarrier > write.time;
    *write.word = (*write.word & ~releasedBit) | (isReleased ? releasedBit : 0);
  }
  writes.clear();
}

GlobalOrder::Visibility GlobalOrder::visibility(const std::byte *address, size_t bytes,
                                                uint32_t block) const {
  const Buffer *buffer = find(address);
  if (!buffer || buffer->words.empty())
    return Visibility::Own;
  auto offset = static_cast<size_t>(address - buffer->start);
  size_t end = std::min((offset + bytes + wordBytes - 1) / wordBytes, buffer->words.size());
  Visibility result = Visibility::Own;
  for (size_t word = offset / wordBytes; word < end; ++word) {
    uint32_t value = buffer->words[word];
    if (value == 0 || (value & ~releasedBit) == block + 1)
      continue;
    if (!(value & releasedBit))
      return Visibility::Unreleased;
    result = Visibility::Released;
  }
  return result;
}

} // namespace proa::emulator
