/// The memory of one result over many runs.
#pragma once

#include "lib/runtime/memory/BufferPool.h"

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace proa::runtime {

/// Two buffers that take turns, as a caller often still has the last run's result while the next one runs.
/// The pages of new memory cost as much as an elementwise op does.
class ResultMemory {
public:
  explicit ResultMemory(BufferPool::Allocate allocate = allocateShared) : allocate(std::move(allocate)) {}

  /// At least `bytes` uninitialized bytes that nobody else has: a buffer that the caller has let go of, else
  /// a new one. Throws std::bad_alloc.
  std::shared_ptr<void> acquire(size_t bytes);

private:
  BufferPool::Allocate allocate;
  std::array<BufferPool::Buffer, 2> buffers;
};

} // namespace proa::runtime
