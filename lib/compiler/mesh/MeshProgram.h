/// A program that runs on the ranks of a mesh, and its distributed values.
#pragma once

#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/mesh/MeshInterface.h"
#include "lib/compiler/mesh/RankGroup.h"
#include "lib/runtime/run/Executable.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proa {

/// A tensor on a mesh: the local tensors of the ranks of this process, by index. A rank that is not a
/// device of the mesh has a tensor without elements.
struct ShardedTensor {
  std::shared_ptr<const spmd::Mesh> mesh;
  std::shared_ptr<const ShardedType> type;
  std::vector<Tensor> locals;
};

/// The whole of a tensor, on all ranks. All processes must call it. `name` is for messages.
Result<Tensor> gather(RankGroup &ranks, const ShardedTensor &tensor, const std::string &name);

/// Parameters and state variables. Each is whole, as it was read or set, until a program needs it
/// distributed; then each rank keeps its shard only, and the whole is dropped.
class MeshValues {
public:
  MeshValues(RankGroup &ranks, std::map<std::string, Tensor> &whole) : ranks(ranks), whole(whole) {}

  /// The local tensors of a variable in a placement; none if it has no value. Error: the value has other dims
  /// than `type`.
  Result<const ShardedTensor *> distribute(const std::string &name,
                                           const std::shared_ptr<const spmd::Mesh> &mesh,
                                           const std::shared_ptr<const ShardedType> &type);
  /// Replaces the value of a variable.
  void set(const std::string &name, ShardedTensor value);
  /// Drops the distributed value, because the variable is elsewhere: whole, or in a store.
  void forget(const std::string &name) { sharded.erase(name); }
  /// The distributed value; null if the variable is whole or has no value.
  const ShardedTensor *find(const std::string &name) const;
  /// All distributed values.
  const std::map<std::string, ShardedTensor> &distributedValues() const { return sharded; }
  /// Makes all values whole. All processes must call it.
  Result<void> gatherAll();

private:
  RankGroup &ranks;
  std::map<std::string, Tensor> &whole;
  std::map<std::string, ShardedTensor> sharded;
};

/// The executables and sessions of the ranks of this process.
class MeshProgram {
public:
  /// Of the random numbers of the ranks, by index.
  using Generators = std::vector<std::shared_ptr<runtime::RandomGenerator>>;

  /// Executables of loaded programs; `programOf` has the number of the program of each rank of this process.
  /// bind() must follow. `name` begins the messages.
  static Result<std::unique_ptr<MeshProgram>>
  create(std::span<const std::shared_ptr<const LoadedProgram>> programs, std::span<const size_t> programOf,
         MeshInterface interface, RankGroup &ranks, const std::string &name);

  /// Gives each rank its shards of the parameters. The first call creates the sessions.
  Result<void> bind(MeshValues &values, bool checksFinite, const Generators &generators);
  /// The distributed value of a state variable; null if it has none.
  Result<const ShardedTensor *> distributed(const std::string &name, MeshValues &values);
  /// The state variables outside of the programs.
  void setOffload(const std::function<std::shared_ptr<runtime::OffloadQueue>(int64_t rank)> &queueOf);
  /// The ranks of this process, by index.
  std::vector<int64_t> ranksOfProcess() const;
  /// Gives each rank its shards of changed parameters.
  Result<void> rebind(MeshValues &values);

  /// Runs the program once with whole feeds and updates the state in `values`. Returns the fetches, whole.
  Result<std::vector<Tensor>> run(const runtime::NamedTensors &feeds, MeshValues &values);
  /// Runs the program once to measure it: Session::runSilently.
  Result<void> runSilently(const runtime::NamedTensors &feeds, MeshValues &values);

  /// The names of what run() returns.
  const std::vector<std::string> &fetchNames() const { return interface.fetchNames; }
  /// Of the first rank of this process.
  const std::shared_ptr<runtime::Executable> &executable() const { return executables.front(); }
  runtime::Session &session() const { return *sessions.front(); }
  /// Of the ranks of this process, by index.
  std::span<const std::unique_ptr<runtime::Session>> rankSessions() const { return sessions; }
  const runtime::Plan &planOf(size_t index) const { return executables[index]->plan(); }
  /// The largest arena of the ranks of this process.
  int64_t arenaBytes() const;
  /// See runtime::Session::setLimits. The error of one rank ends all.
  void setLimits(const runtime::RunLimits *limits) {
    for (const std::unique_ptr<runtime::Session> &session : sessions)
      session->setLimits(limits);
  }

private:
  MeshProgram(MeshInterface interface, RankGroup &ranks)
      : shared(std::make_shared<const MeshInterface>(std::move(interface))), interface(*shared),
        ranks(ranks) {}
  std::shared_ptr<const spmd::Mesh> meshOf(const ShardedType &type) const {
    return {shared, &interface.meshes[type.mesh]};
  }
  /// Whether a rank of this process is a device of the mesh of a value.
  bool has(const ShardedType &type, size_t index) const;
  std::shared_ptr<const ShardedType> sharing(const ShardedType &type) const { return {shared, &type}; }
  /// A feed of a plan: a feed of the model, or a state variable.
  struct Input {
    std::string name;
    std::shared_ptr<const ShardedType> type;
    bool isReplicated = false; ///< and the rank has all of it
  };
  static constexpr size_t none = SIZE_MAX;
  void describePlan(size_t index, const runtime::Plan &plan);
  /// The feeds of the plan of each rank, by index.
  Result<std::vector<std::vector<Tensor>>> inputsOf(const runtime::NamedTensors &feeds, MeshValues &values);
  Result<std::vector<runtime::NamedTensors>> parametersOf(MeshValues &values);
  /// Gives a session the communicator of its rank, which is another one after a failure.
  void connect(size_t index);
  Result<void> runRank(size_t index, const std::vector<Tensor> &inputs, std::vector<Tensor> &results);
  Result<void> gatherFetches(size_t index, std::vector<Tensor> &results);

  std::shared_ptr<const MeshInterface> shared; ///< distributed values refer to it
  const MeshInterface &interface;
  RankGroup &ranks;
  std::vector<std::vector<Input>> inputs; ///< by index and feed of the plan
  /// By index and state of the interface: where its new value is among the results after gatherFetches().
  /// none: the rank has none, or its program stores it itself.
  std::vector<std::vector<size_t>> stateResults;
  std::vector<bool> isOnAllRanks;                                ///< by fetch: each rank has the whole value
  std::vector<std::shared_ptr<runtime::Executable>> executables; ///< by index
  std::vector<std::unique_ptr<runtime::Session>> sessions;       ///< by index, after bind
  std::vector<std::shared_ptr<runtime::Communicator>> connected; ///< by index, used by the sessions
};

} // namespace proa
