// Bulk copies between global and shared memory, of tensors and of bytes.
#include "lib/runtime/emulator/Functions.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace proa::emulator {
namespace {

constexpr int64_t tileAlignment = 128, bulkAlignment = 16;

/// A box of a tensor: where it starts, and its size in shared memory.
struct Tile {
  TensorMap map;
  std::array<int64_t, 5> start{};

  int64_t elements() const {
    int64_t count = 1;
    for (int32_t axis = 0; axis < map.rank; ++axis)
      count *= map.box[static_cast<size_t>(axis)];
    return count;
  }
  int64_t bytes() const { return elements() * map.elementBytes; }
};

Tile checkTile(Thread *thread, const TensorMap *map, const int32_t *coordinates, int32_t rank,
               const std::byte *shared, int32_t kind) {
  Tile tile{*map};
  if (map->rank != rank || rank < 1 || rank > 5)
    thread->block->fail(
        *thread, fmt::format("copies a box of a tensor of rank {} with {} coordinates", map->rank, rank));
  for (size_t axis = 0; axis < static_cast<size_t>(rank); ++axis)
    tile.start[axis] = coordinates[axis];
  int64_t width = int64_t(map->box[0]) * map->elementBytes;
  if (map->swizzle != Swizzle::None && width > static_cast<int64_t>(map->swizzle))
    thread->block->fail(*thread, fmt::format("copies a box that is {} bytes wide with a swizzle of {} bytes",
                                             width, static_cast<int32_t>(map->swizzle)));
  if (width % bulkAlignment != 0)
    thread->block->fail(*thread, fmt::format("copies a box that is {} bytes wide, expected a multiple of {}",
                                             width, bulkAlignment));
  checkSharedAddress(thread, shared, tile.bytes(), tileAlignment, kind);
  return tile;
}

/// Calls `visit(offset in the tile, address in global memory)` for each element; the address is null outside
/// of the tensor.
template <class Visit> void forEachElement(const Tile &tile, const Visit &visit) {
  for (int64_t i = 0; i < tile.elements(); ++i) {
    int64_t rest = i;
    std::byte *address = tile.map.base;
    bool isInside = true;
    for (size_t axis = 0; axis < static_cast<size_t>(tile.map.rank); ++axis) {
      int64_t index = tile.start[axis] + rest % tile.map.box[axis];
      rest /= tile.map.box[axis];
      isInside = isInside && index >= 0 && index < tile.map.dims[axis];
      if (isInside)
        address += index * (axis == 0 ? tile.map.elementBytes : tile.map.strides[axis - 1]);
    }
    visit(i * tile.map.elementBytes, isInside ? address : nullptr);
  }
}

std::byte *placeInShared(const std::byte *tile, int64_t offset, Swizzle swizzle) {
  return reinterpret_cast<std::byte *>(
      swizzled(reinterpret_cast<uintptr_t>(tile) + static_cast<uintptr_t>(offset), swizzle));
}

void checkMbarrier(Thread *thread, uint64_t *object) {
  // Arrival of no bytes: the object must be initialized.
  mbarrierExpect(thread, object, 0);
  checkAsyncMbarrier(thread, object);
}

} // namespace

void makeTensorMap(Thread *thread, TensorMap *map, std::byte *base, int32_t buffer, int32_t elementBytes,
                   int32_t rank, const int64_t *sizes, const int64_t *box, int32_t swizzle) {
  *map = {.base = base, .rank = rank, .elementBytes = elementBytes};
  map->swizzle = static_cast<Swizzle>(swizzle);
  int64_t bytes = elementBytes;
  bool isEmpty = false;
  for (int32_t axis = 0; axis < rank; ++axis) {
    auto inner = static_cast<size_t>(axis);
    int64_t size = sizes[rank - 1 - axis];
    isEmpty |= size == 0;
    map->dims[inner] = std::max<int64_t>(size, 1);
    map->box[inner] = static_cast<int32_t>(box[rank - 1 - axis]);
    if (axis > 0)
      map->strides[inner - 1] = bytes;
    if (axis > 0 && bytes % bulkAlignment != 0)
      thread->block->fail(*thread, fmt::format("describes a tensor with a stride of {} bytes to the tensor "
                                               "memory accelerator, expected a multiple of {}",
                                               bytes, bulkAlignment));
    bytes *= map->dims[inner];
  }
  if (!isEmpty)
    checkBuffer(thread, base, bytes, bulkAlignment, copyAccess, buffer);
}

void loadTensor(Thread *thread, std::byte *target, const TensorMap *map, uint64_t *object,
                const int32_t *coordinates, int32_t rank, int32_t predicate) {
  if (!predicate)
    return;
  Tile tile = checkTile(thread, map, coordinates, rank, target, copyAccess);
  checkAsyncAccess(thread, target, tile.bytes(), writeAccess);
  checkMbarrier(thread, object);
  thread->block->defer([=, block = thread->block] {
    auto size = static_cast<size_t>(tile.map.elementBytes);
    forEachElement(tile, [&](int64_t offset, const std::byte *source) {
      std::byte *position = placeInShared(target, offset, tile.map.swizzle);
      if (source)
        std::memcpy(position, source, size);
      else
        std::memset(position, 0, size);
    });
    completeBytes(*block, object, static_cast<uint32_t>(tile.bytes()));
  });
}

void storeTensor(Thread *thread, const TensorMap *map, const std::byte *source, const int32_t *coordinates,
                 int32_t rank, int32_t predicate) {
  if (!predicate)
    return;
  Tile tile = checkTile(thread, map, coordinates, rank, source, copyAccess);
  checkAsyncAccess(thread, source, tile.bytes(), readAccess);
  thread->bulkCopies.push_back([=] {
    forEachElement(tile, [&](int64_t offset, std::byte *position) {
      if (position)
        std::memcpy(position, placeInShared(source, offset, tile.map.swizzle),
                    static_cast<size_t>(tile.map.elementBytes));
    });
  });
}

void loadBulk(Thread *thread, std::byte *target, const std::byte *source, uint64_t *object, int32_t bytes) {
  checkSharedAddress(thread, target, bytes, bulkAlignment, copyAccess);
  checkAsyncAccess(thread, target, bytes, writeAccess);
  checkMbarrier(thread, object);
  thread->block->defer([=, block = thread->block] {
    std::memcpy(target, source, static_cast<size_t>(bytes));
    completeBytes(*block, object, static_cast<uint32_t>(bytes));
  });
}

void storeBulk(Thread *thread, std::byte *target, const std::byte *source, int32_t bytes) {
  checkSharedAddress(thread, source, bytes, bulkAlignment, copyAccess);
  checkAsyncAccess(thread, source, bytes, readAccess);
  thread->bulkCopies.push_back([=] { std::memcpy(target, source, static_cast<size_t>(bytes)); });
}

void commitBulkCopies(Thread *thread) { thread->bulkGroups.push_back(std::exchange(thread->bulkCopies, {})); }

void waitForBulkCopies(Thread *thread, int32_t pendingGroups) {
  if (thread->bulkGroups.size() <= static_cast<size_t>(pendingGroups))
    return;
  auto end = thread->bulkGroups.end() - pendingGroups;
  for (auto group = thread->bulkGroups.begin(); group != end; ++group)
    for (const auto &copy : *group)
      copy();
  thread->bulkGroups.erase(thread->bulkGroups.begin(), end);
}

} // namespace proa::emulator
