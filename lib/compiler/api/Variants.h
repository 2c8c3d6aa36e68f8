/// The compiled variants of a model's program.
#pragma once

#include "lib/compiler/api/ModelImplementation.h"
#include "lib/compiler/mesh/MeshInterface.h"
#include "lib/runtime/Executable.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace proa {

/// How much is known about the feeds at import, from least to most specialized.
enum class FeedKnowledge { Declared, Dims, Elements };

/// An attempt to import a program for some feeds.
struct Attempt {
  FeedKnowledge known = FeedKnowledge::Declared;
  /// ImportOptions::deferAll.
  bool deferAll = false;
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

/// A compilation for one set of feed dims. Immutable, but for the executable that is created on demand.
struct Variant {
  const Imported *imported = nullptr;
  /// Without repetitions: ranks with equal programs share one.
  std::vector<std::shared_ptr<const LoadedProgram>> programs;
  /// For each rank of this process: the number of its program.
  std::vector<size_t> programOf;
  std::optional<MeshInterface> interface;           ///< on a mesh
  std::map<std::string, std::vector<int64_t>> dims; ///< of the feeds
  std::set<std::string> stored;                     ///< states that the program fetches and stores itself

  /// Of the first rank of this process.
  const runtime::Plan &plan() const { return programs[programOf.front()]->plan(); }

  mutable std::mutex mutex;
  /// With the weights of the model: for all sessions that have not set parameters.
  mutable std::shared_ptr<runtime::Executable> executable;
};

/// Times of a prepare() or a run.
struct PrepareTimes {
  double compile = 0, load = 0;
  bool fromCache = false;
};

/// Programs compiled for the feeds of sessions, of a model with certain values of the parameters for whose
/// values a program is compiled. Any number of threads may use it.
class Variants {
public:
  Variants(Model::Implementation &model, std::map<std::string, Tensor> knownParameters)
      : model(model), knownParameters(std::move(knownParameters)) {}

  /// Imports the program by its declarations. `feedsMayHelp`: see ImportOptions.
  Result<const Imported *> importDeclared(bool *feedsMayHelp);
  /// The variant for the dims of these feeds, and for their values if it depends on them; compiles it if
  /// there is none. It lives as long as this.
  Result<const Variant *> get(const std::map<std::string, Tensor> &feeds, PrepareTimes &times);
  /// The executable with the weights of the model, created by the first call. Needs no mesh.
  Result<std::shared_ptr<runtime::Executable>> shared(const Variant &variant, PrepareTimes &times) const;
  /// An executable with other parameters. Needs no mesh.
  Result<std::shared_ptr<runtime::Executable>> bind(const Variant &variant,
                                                    const std::map<std::string, Tensor> &parameters) const;

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

  const Variant *find(const std::map<std::string, Tensor> &feeds, const std::string &dims) const;
  Result<const Variant *> add(const std::map<std::string, Tensor> &feeds, const std::string &dims,
                              PrepareTimes &times);
  Result<std::unique_ptr<Variant>> load(Compiled compiled, const std::map<std::string, Tensor> &feeds) const;
  Result<const Imported *> importWith(FeedFacts facts, bool *feedsMayHelp = nullptr);
  /// The program for these feeds, imported as `attempt` says.
  Result<const Imported *> importFor(const std::map<std::string, Tensor> &feeds, Attempt attempt);
  /// Adds a module to `imports`.
  const Imported *keep(const std::string &key, mlir::OwningOpRef<mlir::ModuleOp> module);
  /// The attempts from `known` on that may import different modules.
  std::vector<Attempt> attemptsFor(const std::map<std::string, Tensor> &feeds, FeedKnowledge known) const;
  /// The first import and compilation that succeed, from `known` on.
  Result<Compiled> compileWith(const std::map<std::string, Tensor> &feeds, FeedKnowledge known,
                               PrepareTimes &times);
  Result<Compilation> compile(mlir::ModuleOp module, const std::map<std::string, Tensor> &feeds,
                              Attempt attempt, PrepareTimes &times) const;
  Result<Compilation> compileFresh(mlir::ModuleOp module, const std::map<std::string, Tensor> &feeds,
                                   PrepareTimes &times) const;
  /// A copy of the module for the dims of the feeds.
  Result<mlir::OwningOpRef<mlir::ModuleOp>>
  specialized(mlir::ModuleOp module, const std::map<std::string, std::vector<int64_t>> &dims) const;
  CompileOptions compileOptions() const;
  /// Finds the op in a kernel of a variant that makes a NaN or an Inf.
  runtime::KernelDiagnosis diagnosisOf(const Variant &variant) const;
  void remarkGraphs(const runtime::Executable &executable) const;
  /// Converts rings, applies loss scaling and micro-batches.
  Result<void> transform(mlir::ModuleOp module) const;

  Model::Implementation &model;
  const std::map<std::string, Tensor> knownParameters;
  std::map<std::string, Imported> imports; ///< by FeedFacts::key; guarded by Model::Implementation::compiling
  mutable std::mutex mutex;                ///< guards what follows
  std::map<std::string, std::unique_ptr<Variant>> variants;
  /// Sets of dims for which compilation depends on elements of the feeds.
  std::set<std::string> valueSpecialized;
};

} // namespace proa
