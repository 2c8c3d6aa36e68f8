/// The compiled variants of a model's program.
#pragma once

#include "lib/base/support/LockFreeList.h"
#include "lib/base/support/RecentlyUsed.h"
#include "lib/compiler/api/BackgroundCompiler.h"
#include "lib/compiler/api/ModelImplementation.h"
#include "lib/compiler/compile/Stopwatch.h"
#include "lib/compiler/mesh/MeshInterface.h"
#include "lib/runtime/run/Executable.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace proa {

/// How much is known about the feeds at import, from least to most specialized.
enum class FeedKnowledge { Declared, Dims, Elements };

/// An attempt to import a program for some feeds.
struct Attempt {
  FeedKnowledge known = FeedKnowledge::Declared;
  /// ImportOptions::deferAll.
  bool deferAll = false;
  /// The program is compiled for the dims that the import found, which may be dynamic, and not for the dims
  /// of the feeds.
  bool keepsDims = false;
};

/// The program imported with certain facts about its feeds.
struct Imported {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// For each fetched tensor the sequence that it is a part of, or "".
  std::vector<std::string> fetchedTensors;
  /// Owner of each fetched LoD level, which come after the fetches.
  std::vector<std::string> fetchedLods;
  /// State variables that a run changes.
  std::set<std::string> states;
};

/// A compilation for one set of feed dims, or for all of them. Immutable, but for the executable that is
/// created on demand.
struct Variant {
  const Imported *imported = nullptr;
  /// Without repetitions: ranks with equal programs share one.
  std::vector<std::shared_ptr<const LoadedProgram>> programs;
  /// For each rank of this process: the number of its program.
  std::vector<size_t> programOf;
  std::optional<MeshInterface> interface;           ///< on a mesh
  std::map<std::string, std::vector<int64_t>> dims; ///< of the feeds, where it was compiled for them
  bool isForAllDims = false;
  std::set<std::string> stored; ///< states that the program fetches and stores itself

  /// Of the first rank of this process.
  const runtime::Plan &plan() const { return programs[programOf.front()]->plan(); }

  mutable std::mutex mutex;
  /// With the weights of the model: for all sessions that have not set parameters.
  mutable std::shared_ptr<runtime::Executable> executable;
  /// Executables with other weights have the same graphs.
  mutable std::once_flag graphsRemarked;
};

/// Times of a prepare() or a run.
struct PrepareTimes {
  double compile = 0, load = 0;
  bool fromCache = false;
  PhaseTimes phases; ///< of a compilation in this thread without a mesh
};

/// Programs compiled for the feeds of sessions, of a model with certain values of the parameters for whose
/// values a program is compiled. Any number of threads may use it.
class Variants {
public:
  Variants(Model::Implementation &model, std::map<std::string, Tensor> knownParameters);

  /// Imports the program by its declarations. `feedsMayHelp`: see ImportOptions.
  Result<const Imported *> importDeclared(bool *feedsMayHelp);
  /// A variant that can run these feeds, as ModelOptions::specialization says; compiles one if there is none.
  Result<std::shared_ptr<const Variant>> get(const std::map<std::string, Tensor> &feeds, PrepareTimes &times);
  /// The variant for the dims of these feeds, and for their values if it depends on them; compiles it if
  /// there is none. With Specialization::Never: as get().
  Result<std::shared_ptr<const Variant>> prepare(const std::map<std::string, Tensor> &feeds,
                                                 PrepareTimes &times);
  /// The same with any specialization, for feeds that the variant for all dims cannot run: it takes equal
  /// dims where others may be 1 and broadcast.
  Result<std::shared_ptr<const Variant>> specialize(const std::map<std::string, Tensor> &feeds,
                                                    PrepareTimes &times);
  /// How the program of a model on a mesh is distributed for these feeds; it is not compiled. Error: the
  /// model has no mesh; as prepare().
  static Result<MeshInterface> distribute(const Model &model, const std::map<std::string, Tensor> &feeds);
  /// Waits until no variant is compiled in the background.
  void finishBackground() {
    background.finish();
    optimizer.finish();
  }
  /// The executable with the weights of the model, created by the first call. Needs no mesh.
  Result<std::shared_ptr<runtime::Executable>> shared(const Variant &variant, PrepareTimes &times) const;
  /// An executable with other parameters. Needs no mesh. `sharedWeights`: see Executable::sharePacked.
  Result<std::shared_ptr<runtime::Executable>>
  bind(const Variant &variant, const std::map<std::string, Tensor> &parameters,
       std::shared_ptr<runtime::WeightStore> sharedWeights = nullptr) const;

  /// The variants with another value of a parameter; null if a program compiled for the present value is
  /// valid.
  std::shared_ptr<Variants> withParameter(const std::string &name, const Tensor &value) const;

private:
  /// A compilation, and how much of the feeds it was compiled for.
  struct Compiled {
    Compilation compilation;
    const Imported *imported;
    FeedKnowledge known;
  };

  /// Feeds that were checked.
  struct Lookup {
    std::string dims;
    std::shared_ptr<const Variant> found; ///< null: no variant for these dims
  };
  Result<Lookup> lookUp(const std::map<std::string, Tensor> &feeds);
  std::shared_ptr<const Variant> find(const std::map<std::string, Tensor> &feeds, const std::string &dims);
  /// The variant for dims that lookUp() has not found.
  Result<std::shared_ptr<const Variant>> compileFor(const std::map<std::string, Tensor> &feeds,
                                                    const std::string &dims, PrepareTimes &times);
  Result<std::shared_ptr<const Variant>> add(const std::map<std::string, Tensor> &feeds,
                                             const std::string &dims, PrepareTimes &times);
  Result<std::shared_ptr<Variant>> load(Compiled compiled, const std::map<std::string, Tensor> &feeds);
  /// Whether kernels may be optimized after the first runs (CodeOptimization::Background).
  bool mayDefer() const;
  /// Optimizes the kernels of a program in the background. `key` is the key of its cache entry, or empty.
  void optimizeInBackground(std::shared_ptr<const LoadedProgram> program,
                            std::shared_ptr<const DeferredKernels> deferred, const std::string &key);
  /// Whether one variant may run these feeds and others with other dims.
  bool mayShare(const std::map<std::string, Tensor> &feeds) const;
  /// The variant for all dims; null: the program cannot be compiled for them.
  std::shared_ptr<const Variant> forAllDims(const std::map<std::string, Tensor> &feeds, PrepareTimes &times);
  /// Counts a run of the variant for all dims; dims that come back are compiled in the background.
  void countRun(const std::map<std::string, Tensor> &feeds, const std::string &dims, const Variant &used);
  void specializeInBackground(const std::map<std::string, Tensor> &shapes, const std::string &dims,
                              const Imported &imported, const std::stop_token &stop);
  Result<const Imported *> importWith(FeedFacts facts, bool *feedsMayHelp = nullptr);
  /// The program for these feeds, imported as `attempt` says.
  Result<const Imported *> importFor(const std::map<std::string, Tensor> &feeds, Attempt attempt);
  FeedFacts factsFor(const std::map<std::string, Tensor> &feeds, Attempt attempt) const;
  /// Adds a module to `imports`.
  const Imported *keep(const std::string &key, mlir::OwningOpRef<mlir::ModuleOp> module);
  /// The attempts from `known` on that may import different modules.
  std::vector<Attempt> attemptsFor(const std::map<std::string, Tensor> &feeds, FeedKnowledge known) const;
  Result<MeshInterface> distribute(const std::map<std::string, Tensor> &feeds);
  /// Imports the program from `known` on until `work` with the import succeeds.
  using ImportWork = std::function<Result<void>(const Imported &imported, Attempt attempt)>;
  Result<void> tryImports(const std::map<std::string, Tensor> &feeds, FeedKnowledge known,
                          const ImportWork &work);
  /// The first import and compilation that succeed, from `known` on.
  Result<Compiled> compileWith(const std::map<std::string, Tensor> &feeds, FeedKnowledge known,
                               PrepareTimes &times);
  /// Where a compilation runs.
  struct Background {
    std::stop_token stop;
  };
  Result<Compilation> compile(mlir::ModuleOp module, const std::map<std::string, Tensor> &feeds,
                              Attempt attempt, PrepareTimes &times,
                              const Background *background = nullptr) const;
  Result<Compilation> compileFresh(mlir::ModuleOp module, const std::map<std::string, Tensor> &feeds,
                                   Attempt attempt, PrepareTimes &times) const;
  /// The same without the lock `compiling` and the functions of the caller, in a context of its own.
  Result<Compilation> compileInBackground(mlir::ModuleOp module, const std::map<std::string, Tensor> &feeds,
                                          const Background &background) const;
  /// A copy of the module for the dims of the feeds.
  Result<mlir::OwningOpRef<mlir::ModuleOp>>
  specialized(mlir::ModuleOp module, const std::map<std::string, std::vector<int64_t>> &dims) const;
  CompileOptions compileOptions() const;
  /// Finds the op in a kernel of a variant that makes a NaN or an Inf.
  runtime::KernelDiagnosis diagnosisOf(const Variant &variant) const;
  /// Reports the graphs of an executable, and why other steps are in none, if ModelOptions::remarks says so.
  void remarkGraphs(const runtime::Executable &executable) const;
  /// Converts rings, applies loss scaling and micro-batches.
  Result<void> transform(mlir::ModuleOp module) const;

  Model::Implementation &model;
  const std::map<std::string, Tensor> knownParameters;
  /// Of the executables that shared() creates.
  const std::shared_ptr<runtime::WeightStore> packed = std::make_shared<runtime::WeightStore>();
  std::map<std::string, Imported> imports; ///< by FeedFacts::key; guarded by Model::Implementation::compiling
  mutable std::mutex mutex;                ///< guards what follows, but for what is in the background
  RecentlyUsed<std::string, std::shared_ptr<const Variant>> variants;
  /// Variants of the background thread, with their dims, on their way to `variants`; needs no lock.
  LockFreeList<std::pair<std::string, std::shared_ptr<const Variant>>> compiledInBackground;
  /// Variants for all dims by FeedFacts::key; null: the program cannot be compiled for them.
  std::map<std::string, std::shared_ptr<const Variant>> generic;
  /// Sets of dims for which compilation depends on elements of the feeds.
  std::set<std::string> valueSpecialized;
  /// Numbers of runs of the variant for all dims, by dims.
  RecentlyUsed<std::string, int> runs;
  // Last, so that they end first. Programs for dims that come back can wait: runs come first. Code
  // that is not optimized makes each run slower: on busy cores the optimizer gets a quarter of the time.
  BackgroundCompiler optimizer{5}, background{19};
};

} // namespace proa
