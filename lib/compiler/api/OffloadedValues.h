/// State variables of a model that are in a store between their uses.
#pragma once

#include "lib/compiler/mesh/MeshProgram.h"
#include "lib/runtime/plan/Plan.h"
#include "lib/runtime/ranks/Offload.h"

#include <map>
#include <mutex>
#include <set>

namespace proa {

/// The names of the variables that a program fetches and stores itself.
std::set<std::string> offloadedVariables(const runtime::Plan &plan);

/// The variables in the store, on a mesh the shards of the ranks of this process.
class OffloadedValues {
public:
  /// Error: no store can be opened.
  static Result<std::unique_ptr<OffloadedValues>> open(const OffloadOptions &options);

  /// The store as the program of a rank uses it.
  std::shared_ptr<runtime::OffloadQueue> queueOf(int64_t rank) const;

  bool contains(const std::string &name) const { return entries.contains(name); }
  /// Stores a value: without a mesh one local tensor, of rank 0. `ranks` are the ranks of the local tensors.
  Result<void> put(const std::string &name, const ShardedTensor &value, std::vector<int64_t> ranks);
  /// The value; its variable stays in the store.
  Result<ShardedTensor> get(const std::string &name) const;
  /// Forgets a variable, whose value is in memory again.
  void drop(const std::string &name) { entries.erase(name); }
  std::vector<std::string> names() const;

private:
  struct Entry {
    ShardedTensor type; ///< without the local tensors
    std::vector<OffloadedVariable> shards;
  };
  std::shared_ptr<OffloadStore> store;
  std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>();
  std::map<std::string, Entry> entries;
};

} // namespace proa
