/// The memory of a session's runs on the host.
#pragma once

#include "lib/runtime/memory/BufferPool.h"
#include "lib/runtime/memory/ResultMemory.h"

#include <cstddef>
#include <map>
#include <memory>
#include <set>

namespace proa::runtime {

/// An arena, free buffers, scratch memory and results. Programs of one session share them, because they run
/// one at a time. Not thread-safe.
///
/// - The arena has the size of the largest program that uses it. It shrinks when that program is gone.
/// - Buffers and scratch memory that the last keptRuns runs have not used are freed.
class RunMemory {
public:
  static constexpr uint64_t keptRuns = 64;

  explicit RunMemory(BufferPool::Allocate allocate = allocateShared);

  /// A program with an arena of `bytes` bytes begins or ends its use of the memory.
  void addProgram(size_t bytes) { arenaSizes.insert(bytes); }
  void removeProgram(size_t bytes) { arenaSizes.erase(arenaSizes.find(bytes)); }
  /// The arena. Its address may be another one after programs were added or removed, and its bytes are lost
  /// then: call it before each run. Null: no memory.
  void *arena();
  /// The size of the arena now.
  size_t arenaBytes() const { return arenaSize; }

  BufferPool &buffers() { return pool; }
  /// At least `bytes` bytes until the next call. Throws std::bad_alloc.
  void *scratch(size_t bytes);
  /// The memory of the result `fetch` of all programs.
  ResultMemory &result(size_t fetch) { return results.try_emplace(fetch, allocate).first->second; }
  /// Counts runs. No buffer is in use.
  void endRun();

private:
  BufferPool::Allocate allocate;
  std::multiset<size_t> arenaSizes;
  std::shared_ptr<void> arenaMemory;
  size_t arenaSize = 0;
  BufferPool pool;
  BufferPool::Buffer scratchBuffer;
  uint64_t scratchUse = 0; ///< the last run that used it
  uint64_t runs = 0;
  std::map<size_t, ResultMemory> results;
};

} // namespace proa::runtime
