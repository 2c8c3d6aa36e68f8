/// Checkpoints of sessions: the values of this process as shards, and back.
#pragma once

#include "lib/checkpoint/Checkpoint.h"
#include "lib/checkpoint/Writer.h"
#include "lib/compiler/api/SessionValues.h"

#include <functional>
#include <future>
#include <map>
#include <string>
#include <vector>

namespace proa {

/// The values of a session at one moment. Later runs do not change them.
struct CheckpointSnapshot {
  std::string folder;
  checkpoints::Catalog head; ///< number of the save and state of the training
  int64_t rankCount = 1;
  /// The shards that each rank of this process stores. Each box of a value is stored by one of the ranks that
  /// hold it.
  std::map<int64_t, std::vector<checkpoints::ShardData>> byRank;
};

/// Takes the snapshot, without its folder and head. `kindOf` tells parameters and states apart. On a mesh all
/// processes must call it. Error: as SessionValues::whole.
Result<CheckpointSnapshot>
takeSnapshot(SessionValues &values,
             const std::function<checkpoints::StateKind(const std::string &name)> &kindOf);

/// Writes the files of the ranks of this process and, if it `commits`, the index. Returns their entries of
/// the catalog.
Result<checkpoints::Catalog> writeFiles(const CheckpointSnapshot &snapshot, bool commits);

/// The shards of a distributed value that the ranks of this process hold, from a checkpoint.
Result<ShardedTensor> readShards(checkpoints::Checkpoint &checkpoint, const std::string &name,
                                 const ShardedTensor &type, const RankGroup &ranks);

/// A save whose files are being written.
struct PendingCheckpoint {
  CheckpointSnapshot snapshot;
  std::future<Result<checkpoints::Catalog>> files; ///< of writeFiles(snapshot)
};

/// Collective work of the processes of a mesh.
class CheckpointProcesses {
public:
  /// `mesh` is null without one.
  explicit CheckpointProcesses(SessionMesh *mesh)
      : mesh(mesh), ranks(mesh && mesh->hasProcesses() ? mesh->ranksOfSession() : nullptr) {}

  bool areSeveral() const { return ranks && ranks->size() > 1; }
  bool isFirst() const { return !areSeveral() || ranks->rankOf(0) == 0; }
  /// The errors of all processes.
  Result<void> agree(const std::string &what, const Result<void> &outcome) const {
    return mesh ? mesh->agree(what, outcome) : outcome;
  }
  /// The texts of all processes, by rank.
  Result<std::vector<std::string>> gather(const std::string &what, const std::string &text) const;

private:
  SessionMesh *mesh;
  RankGroup *ranks;
};

} // namespace proa
