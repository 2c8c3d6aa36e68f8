#include "lib/compiler/mesh/SessionMesh.h"

#include "lib/compiler/mesh/EqualValues.h"
#include "lib/compiler/mesh/MeshCompile.h"
#include "lib/runtime/host/ThreadPool.h"

#include <algorithm>
#include <utility>

namespace proa {

Result<std::unique_ptr<MeshProgram>>
SessionMesh::load(std::span<const std::shared_ptr<const LoadedProgram>> programs,
                  std::span<const size_t> programOf, MeshInterface interface, const std::string &name,
                  const ModelOptions &options, uint64_t seed, int threads) {
  if (mesh.hasProcesses() && interface.rankCount() != mesh.rankCount())
    return wrongMeshSize(interface.rankCount(), mesh.rankCount());
  if (!ranks)
    ranks = mesh.ranksOfSession(interface.rankCount());
  if (!distributed)
    distributed = std::make_unique<MeshValues>(*ranks, whole);
  while (generators.size() < ranks->count())
    generators.push_back(
        std::make_shared<runtime::RandomGenerator>(restoredRandom.value_or(runtime::RandomGenerator(seed))));
  ranks->setThreads(threadsOfRank(threads));
  runtime::ThreadScope threadsHere(threadsOfRank(threads)); // as in runs
  auto program = MeshProgram::create(programs, programOf, interface, *ranks, name);
  if (!program)
    return program;
  if (Result<void> bound = bind(**program, interface, name, options.checkFinite, seed); !bound)
    return bound.diagnostics();
  return program;
}

Result<void> SessionMesh::bind(MeshProgram &program, const MeshInterface &interface, const std::string &name,
                               bool checksFinite, uint64_t seed) {
  bool compares = mesh.hasProcesses() && ranks->size() > 1;
  ValueHashes hashes;
  std::vector<std::string> parameters;
  if (compares)
    for (const auto &[variable, type] : interface.arguments)
      if (auto found = whole.find(variable); found != whole.end()) {
        hashes.addWhole("parameter '" + variable + "'", found->second);
        parameters.push_back(variable);
      }
  if (Result<void> bound = program.bind(*distributed, checksFinite, generators); !bound || !compares)
    return bound;
  hashes.add("the seed", seed);
  for (const std::string &variable : parameters)
    if (const ShardedTensor *shard = distributed->find(variable))
      hashes.addShard("parameter '" + variable + "'", *shard, ranks->rankOf(0));
  return hashes.compare(*ranks, name);
}

Result<void> SessionMesh::compareFeeds(const std::map<std::string, Tensor> &feeds, const std::string &name) {
  if (!mesh.hasProcesses() || ranks->size() == 1 || std::exchange(hasComparedFeeds, true))
    return {};
  ValueHashes hashes;
  for (const auto &[feed, tensor] : feeds)
    hashes.addWhole("feed '" + feed + "'", tensor);
  return hashes.compare(*ranks, name);
}

int SessionMesh::threadsOfRank(int threads) const {
  size_t count = ranks ? ranks->count() : 1;
  return std::max(1, threads / static_cast<int>(count));
}

const ShardedTensor *SessionMesh::find(const std::string &name) const {
  return distributed ? distributed->find(name) : nullptr;
}

Result<Tensor> SessionMesh::gather(const ShardedTensor &value, const std::string &name) const {
  return proa::gather(*ranks, value, name);
}

RankGroup *SessionMesh::ranksOfSession() {
  if (!ranks && mesh.hasProcesses())
    ranks = mesh.ranksOfSession(mesh.rankCount());
  return ranks.get();
}

void SessionMesh::restoreRandom(uint64_t seed, uint64_t calls) {
  restoredRandom.emplace().restore(seed, calls);
  for (const auto &generator : generators)
    *generator = *restoredRandom;
}

Result<void> SessionMesh::gatherAll() { return distributed ? distributed->gatherAll() : Result<void>(); }

void SessionMesh::forget(const std::string &name) {
  if (distributed)
    distributed->forget(name);
}

} // namespace proa
