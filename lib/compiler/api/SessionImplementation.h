/// The members of a session.
#pragma once

#include "lib/compiler/api/SessionCheckpoint.h"
#include "lib/compiler/api/SessionValues.h"
#include "lib/compiler/api/Variants.h"
#include "lib/runtime/run/Executable.h"
#include "proa/Session.h"

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace proa {

/// A variant in a session: its memory.
struct SessionVariant {
  std::shared_ptr<const Variant> variant;
  /// Of the first rank of this process on a mesh.
  std::shared_ptr<runtime::Executable> executable;
  /// The executable is used by this session only, because it has parameters of the session.
  bool hasOwnParameters = false;
  std::unique_ptr<runtime::Session> session; ///< null on a mesh
  std::unique_ptr<MeshProgram> onMesh;       ///< null without a mesh
  /// Of the first rank of this process, and of the others on a mesh.
  std::unique_ptr<runtime::Profile> profile;
  std::vector<std::unique_ptr<runtime::Profile>> otherProfiles;
  PhaseTimes phases; ///< of the preparation, for the trace
  /// Pages of weights that are packed in other memory were given back.
  bool hasReleasedWeights = false;

  /// See runtime::Session::setLimits.
  void setLimits(const runtime::RunLimits *limits) {
    onMesh ? onMesh->setLimits(limits) : session->setLimits(limits);
  }
  runtime::Session &ofFirstRank() { return onMesh ? onMesh->session() : *session; }
  /// Collects the times of the steps of all ranks of this process, or no longer.
  void setProfiling(bool isOn);
};

/// Marks a session as used by the calling thread while it lives.
class SessionUse {
public:
  explicit SessionUse(std::atomic<bool> &flag) : flag(flag), isAlone(!flag.exchange(true)) {}
  ~SessionUse() {
    if (isAlone)
      flag = false;
  }
  SessionUse(const SessionUse &) = delete;
  SessionUse &operator=(const SessionUse &) = delete;

  /// No other thread uses the session.
  explicit operator bool() const { return isAlone; }

private:
  std::atomic<bool> &flag;
  bool isAlone;
};

struct Session::Implementation {
  explicit Implementation(Model opened);
  ~Implementation();

  Model model;
  Model::Implementation &shared; ///< of `model`
  uint64_t seed = 0;
  bool isSole = false; ///< holds Model::Implementation::hasSoleSession
  SessionValues values;
  std::unique_ptr<SessionMesh> mesh; ///< null without one
  std::shared_ptr<Variants> variants;
  RecentlyUsed<const Variant *, SessionVariant> entries;
  std::shared_ptr<runtime::RunMemory> memory; ///< of all entries
  SessionVariant *current = nullptr;
  /// Parameters that were set in this session.
  std::set<std::string> ownParameters;
  bool parametersChanged = false;
  /// Shared by all entries, so that their runs continue one sequence of random numbers.
  std::shared_ptr<runtime::RandomGenerator> generator;
  SessionTimes times;
  bool profiling = false;
  std::atomic<bool> isUsed = false;
  std::unique_ptr<PendingCheckpoint> pending; ///< null if no checkpoint is being written

  Result<void> begin(const SessionOptions &options);
  /// The error that another thread uses the session.
  Diagnostics inUse() const;
  Result<void> checkParameter(const std::string &name, const Tensor &value) const;
  Result<void> setParameter(const std::string &name, Tensor value);
  /// How an entry is chosen: Variants::get, prepare or specialize.
  using Choice = Result<std::shared_ptr<const Variant>> (Variants::*)(
      const std::map<std::string, Tensor> &feeds, PrepareTimes &times);
  Result<SessionVariant *> entryFor(const std::map<std::string, Tensor> &feeds, Choice choice);
  Result<SessionVariant> load(std::shared_ptr<const Variant> variant, PrepareTimes &prepared);
  /// Creates executable and memory of an entry without a mesh.
  Result<void> connect(SessionVariant &entry, PrepareTimes &prepared);
  bool needsOwnParameters(const Variant &variant) const;
  /// Gives changed parameters to all entries.
  Result<void> bindParameters();
  /// The common steps of run() and measure(): selects the entry for these feeds, and adds state and LoDs to
  /// the feeds of its plan.
  Result<runtime::NamedTensors> beforeRun(const std::map<std::string, Tensor> &feeds, Choice choice);
  /// Whether a run that has failed may succeed in a variant for the dims of its feeds.
  bool maySpecialize() const { return current && current->variant->isForAllDims; }
  Result<std::vector<NamedTensor>> run(const std::map<std::string, Tensor> &feeds, const RunOptions &options);
  /// Lets the run write to memory of the caller. Error: memory for something else than a fetch of the
  /// program.
  Result<void> offerOutputs(const RunOptions &options);
  /// Copies what the run has not written to the memory of the caller.
  Result<void> fillOutputs(const RunOptions &options, std::vector<NamedTensor> &fetched) const;
  /// Gives pages of weights back that the first run of an entry has packed.
  void releaseWeights();
  /// The results of a run of the current entry: fetches and their LoDs, without a mesh also state.
  Result<std::vector<Tensor>> runCurrent(const runtime::NamedTensors &inputs);
  /// Stores the state among the results of a run and returns the fetches with their LoDs.
  Result<std::vector<NamedTensor>> take(const std::vector<Tensor> &results);
  /// See Session::saveCheckpoint, finishCheckpoint, loadCheckpoint.
  Result<void> saveCheckpoint(const std::string &folder, const CheckpointOptions &options);
  Result<void> finishCheckpoint();
  Result<int64_t> loadCheckpoint(const std::string &folder);
  /// See Session::copyValues.
  Result<void> copyValues(Implementation &source);
  /// `ranks` has the devices of both meshes; null: the value is moved as a whole.
  Result<void> copyValue(Implementation &source, const std::string &name, const ShardedTensor &value,
                         RankGroup *ranks);
  /// Checks that there is a value for each variable, and a variable for each name. `where` begins errors.
  Result<void> checkNames(const std::set<std::string> &names, const std::string &where) const;
  checkpoints::RandomState randomState() const;
  void setRandomState(const checkpoints::RandomState &random);
  /// The distributed value of a state, whose shards may be replaced; null if it has to be replaced as a
  /// whole.
  const ShardedTensor *replaceable(const std::string &name) const;
  void replaceShards(const std::string &name, ShardedTensor shards);
  /// Sets all values and the state of random numbers.
  Result<void> restore(checkpoints::Checkpoint &checkpoint);
  Result<void> restoreValue(checkpoints::Checkpoint &checkpoint, const std::string &name,
                            const checkpoints::TensorEntry &entry);
  /// Stops the other processes of a mesh, which may not have these errors.
  Diagnostics failEverywhere(const Diagnostics &diagnostics) const;
};

} // namespace proa
