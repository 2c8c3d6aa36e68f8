/// The check that ranks in several processes have equal weights, feeds and seeds.
#pragma once

#include "lib/compiler/mesh/MeshProgram.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace proa {

/// The hashes of what this rank has. Ranks may have other names: shards of weights, or weights of other
/// meshes.
class ValueHashes {
public:
  void add(const std::string &name, uint64_t hash) { hashes[name] = hash; }
  /// Adds a tensor that all ranks were given whole: all of it, or samples that are spread over a large one.
  void addWhole(const std::string &name, const Tensor &whole);
  /// Adds the shard of a distributed tensor that this rank holds, all of it. Other ranks may hold the same.
  void addShard(const std::string &name, const ShardedTensor &tensor, int64_t rank);

  /// Compares values of one name, on all ranks: a call of all processes. Error, the same on all of them: the
  /// names of values that differ, and on which ranks. `where` begins it.
  Result<void> compare(RankGroup &ranks, const std::string &where) const;

private:
  std::map<std::string, uint64_t> hashes;
};

} // namespace proa
