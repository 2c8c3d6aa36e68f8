/// The members of a session that exist only on a mesh.
#pragma once

#include "lib/compiler/mesh/MeshProgram.h"
#include "lib/compiler/mesh/ModelMesh.h"
#include "lib/runtime/host/Random.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace proa {

/// The ranks of a session and its distributed parameters and state variables.
class SessionMesh {
public:
  /// `whole` are the values of the session, see MeshValues. Both arguments outlive this.
  SessionMesh(const ModelMesh &mesh, std::map<std::string, Tensor> &whole) : mesh(mesh), whole(whole) {}

  /// Executables of a loaded program with the parameters. `threads` is the number of threads of this process,
  /// `seed` is the seed of random numbers.
  Result<std::unique_ptr<MeshProgram>> load(std::span<const std::shared_ptr<const LoadedProgram>> programs,
                                            std::span<const size_t> programOf, MeshInterface interface,
                                            const std::string &name, const ModelOptions &options,
                                            uint64_t seed, int threads);

  /// Compares the feeds of the first call with the feeds of the other processes.
  Result<void> compareFeeds(const std::map<std::string, Tensor> &feeds, const std::string &name);

  /// The number of threads of each rank.
  int threadsOfRank(int threads) const;
  /// Agrees on the outcome of some work with the other processes.
  Result<void> agree(const std::string &what, const Result<void> &outcome) const {
    return mesh.agree(what, outcome);
  }

  bool hasProcesses() const { return mesh.hasProcesses(); }
  /// The ranks; null before the first program is loaded, if they are simulated.
  RankGroup *ranksOfSession();
  /// The random numbers of a rank, equal on all ranks; `other` before the first program is loaded.
  const runtime::RandomGenerator &generatorOr(const runtime::RandomGenerator &other) const {
    return generators.empty() ? other : *generators.front();
  }
  /// Sets the state of the random numbers of all ranks.
  void restoreRandom(uint64_t seed, uint64_t calls);

  /// The distributed values; null before the first program is loaded.
  MeshValues *values() { return distributed.get(); }
  /// The distributed value of a variable; null if it is whole or has no value.
  const ShardedTensor *find(const std::string &name) const;
  /// The whole of a distributed value. All processes must call it.
  Result<Tensor> gather(const ShardedTensor &value, const std::string &name) const;
  /// Makes all values whole. All processes must call it.
  Result<void> gatherAll();
  /// Drops the distributed value of a variable, because it was set to a whole one.
  void forget(const std::string &name);

private:
  /// Gives a program the parameters, which must be equal on all processes, and the seed.
  Result<void> bind(MeshProgram &program, const MeshInterface &interface, const std::string &name,
                    bool checksFinite, uint64_t seed);

  const ModelMesh &mesh;
  std::map<std::string, Tensor> &whole;
  std::shared_ptr<RankGroup> ranks; ///< from the first load on
  std::unique_ptr<MeshValues> distributed;
  MeshProgram::Generators generators;
  std::optional<runtime::RandomGenerator> restoredRandom; ///< of generators that do not exist yet
  bool hasComparedFeeds = false;
};

} // namespace proa
