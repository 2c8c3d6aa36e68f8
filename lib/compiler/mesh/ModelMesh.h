/// The part of a model that exists only on a mesh.
#pragma once

#include "lib/compiler/mesh/MeshProgram.h"
#include "proa/Model.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace proa {

/// The ranks of a model and its distributed parameters and state variables.
class ModelMesh {
public:
  /// The mesh of `options`, which has one. Strategies set other options. `whole` are the values of the model,
  /// see MeshValues. Error: axes or a strategy in another form, shardings that cannot be read, MPI that
  /// cannot be used, another number of processes than devices.
  static Result<std::unique_ptr<ModelMesh>> open(ModelOptions &options, std::map<std::string, Tensor> &whole);

  /// Error: the meshes of the program have another number of devices than processes run. 0: it has none.
  Result<void> checkDevices(int64_t devicesOfProgram) const;

  /// A text of all that compilations depend on, for the cache.
  std::string key() const;
  /// The rank that programs are compiled for; none: all ranks, which are simulated.
  std::optional<int64_t> compiledRank() const;
  /// Brings a legacy collective program into its local form, if the options say so (MeshOptions::rings).
  Result<void> convertRings(mlir::ModuleOp module) const;
  Result<Compilation> compile(mlir::OwningOpRef<mlir::ModuleOp> module, const CompileOptions &options) const;
  /// Loads a compiled program and gives it the parameters. `threads` is the number of threads of this
  /// process.
  Result<std::unique_ptr<MeshProgram>> load(Compilation compilation, mlir::MLIRContext &context,
                                            const std::string &name, const ModelOptions &options,
                                            int threads);

  /// Compares the feeds of the first call with those of the other processes.
  Result<void> compareFeeds(const std::map<std::string, Tensor> &feeds, const std::string &name);

  /// The number of threads of each rank.
  int threadsOfRank(int threads) const;
  /// The rank of this process and the number of ranks; 0 and 1 if all ranks are in this process.
  int64_t rank() const { return compiledRank().value_or(0); }
  int64_t rankCount() const { return processes() ? ranks->size() : 1; }
  /// Agrees on the outcome of some work with the other processes.
  Result<void> agree(const std::string &what, const Result<void> &outcome, uint64_t hash = 0);
  /// Ends the other processes because of an error that they may not have.
  void fail(const Diagnostics &diagnostics);

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
  bool processes() const { return !given.simulate; }
  /// Gives a program the parameters, which must be equal on all processes, and the seed.
  Result<void> bind(MeshProgram &program, const MeshInterface &interface, const std::string &name,
                    const ModelOptions &options);

  MeshOptions given;
  runtime::EmulatedLink link;
  std::string shardings; ///< content of the file
  std::map<std::string, Tensor> *whole = nullptr;
  std::unique_ptr<RankGroup> ranks; ///< simulated ranks exist from the first load on
  std::unique_ptr<MeshValues> distributed;
  MeshProgram::Generators generators;
  bool hasComparedFeeds = false;
};

} // namespace proa
