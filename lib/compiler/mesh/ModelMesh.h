/// The mesh of a model.
#pragma once

#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/mesh/MeshInterface.h"
#include "lib/compiler/mesh/RankGroup.h"
#include "proa/Model.h"

#include <memory>
#include <optional>
#include <string>

namespace proa {

/// The devices that a model runs on, and what is compiled for them. Immutable; SessionMesh has the values of
/// a session.
class ModelMesh {
public:
  /// The mesh of `options`, which has one. Strategies set other options. Error: axes or a strategy in another
  /// form, shardings that cannot be read, MPI that cannot be used, another number of processes than devices.
  static Result<std::unique_ptr<ModelMesh>> open(ModelOptions &options);

  /// Error: the meshes of the program have another number of devices than processes run. 0: it has none.
  Result<void> checkDevices(int64_t devicesOfProgram) const;

  /// A text of all that compilations depend on, for the cache.
  std::string key() const;
  /// The rank that programs are compiled for; none: all ranks, which are simulated.
  std::optional<int64_t> compiledRank() const;
  /// Brings a legacy collective program into its local form, if the options say so (MeshOptions::rings).
  Result<void> convertProcessGroups(mlir::ModuleOp module) const;
  /// Puts given stages into locations, if the strategy has stages: markStages().
  Result<void> markStages(mlir::ModuleOp module) const;
  /// Prepares a training program for the stages of a pipeline, if the strategy has them: pipelineForm().
  Result<void> preparePipeline(mlir::ModuleOp module, std::optional<int64_t> &microBatches) const;
  Result<Compilation> compile(mlir::OwningOpRef<mlir::ModuleOp> module, const CompileOptions &options) const;
  /// Distributes a module as compile() does, without compiling it.
  Result<MeshInterface> distribute(mlir::ModuleOp module, const CompileOptions &options) const;

  /// Whether each rank is a process.
  bool hasProcesses() const { return !given.simulate; }
  /// The ranks of a session: this process, which all sessions share, or `count` simulated ranks.
  std::shared_ptr<RankGroup> ranksOfSession(int64_t count) const;
  /// The rank of this process and the number of ranks; 0 and 1 if all ranks are in this process.
  int64_t rank() const { return compiledRank().value_or(0); }
  int64_t rankCount() const { return hasProcesses() ? processes->size() : 1; }
  /// Agrees on the outcome of some work with the other processes.
  Result<void> agree(const std::string &what, const Result<void> &outcome, uint64_t hash = 0) const;
  /// Ends the other processes because of an error that they may not have.
  void fail(const Diagnostics &diagnostics) const;

private:
  MeshOptions given;
  runtime::EmulatedLink link;
  std::string shardings;                ///< content of the file
  std::shared_ptr<RankGroup> processes; ///< null if ranks are simulated
};

} // namespace proa
