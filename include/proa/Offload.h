/// Keeping states of a training program outside of memory between their uses: ModelOptions::offload.
#pragma once

#include "proa/Result.h"
#include "proa/Tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proa {

/// A state variable in a store; on a mesh the shard of one rank.
struct OffloadedVariable {
  std::string name;
  int64_t rank = 0;
  DType dtype = DType::Float32;
  std::vector<int64_t> dims; ///< of the shard
};

/// Where states are between their uses: files, other devices, servers. A model calls one function at a time,
/// from any thread. On a mesh of simulated ranks it holds the shards of all ranks.
class OffloadStore {
public:
  virtual ~OffloadStore() = default;

  /// Copies the value that was stored last to `data`, which has the bytes of the variable. Called before the
  /// first op that uses the value, often while other ops run.
  virtual Result<void> fetch(const OffloadedVariable &variable, std::span<std::byte> data) = 0;
  /// Keeps a value. Called for the initial value, after the update in each run, and by Session::setParameter.
  virtual Result<void> store(const OffloadedVariable &variable, std::span<const std::byte> data) = 0;
  /// Called after each run of a rank. If the run has failed, the store should drop the values that the run
  /// stored and keep the values before it, so that the run has changed nothing.
  virtual Result<void> endRun(int64_t rank, bool hasSucceeded) { return {}; }
};

struct OffloadOptions {
  /// Whether states that no fetched result depends on are stored: states of optimizers.
  bool optimizer = true;
  /// Whether the other states are stored: parameters. They are fetched again for the backward pass.
  bool parameters = false;
  /// States with fewer bytes stay in memory.
  int64_t leastBytes = 4096;
  /// The store. Null: files without names in `folder`.
  std::shared_ptr<OffloadStore> store;
  /// An existing folder; empty: the folder of temporary files.
  std::string folder;
};

/// A store in files of a folder, which have no names and vanish with the process. It keeps two values of a
/// variable, so that a failed run changes nothing. Error: a file cannot be created.
Result<std::shared_ptr<OffloadStore>> openOffloadFolder(const std::string &folder);

} // namespace proa
