/// The parts of a Model: its program, imported for what is known of the feeds, and compiled for their dims.
#pragma once

#include "lib/compiler/api/FeedChecks.h"
#include "lib/compiler/api/ModelValues.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/mesh/ModelMesh.h"
#include "lib/compiler/program/ProgramSource.h"
#include "lib/runtime/Executable.h"
#include "lib/support/Cores.h"
#include "proa/Model.h"

#include "mlir/IR/MLIRContext.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace proa {

inline int threadsOf(const ModelOptions &options) {
  return options.threads > 0 ? options.threads : availableCores();
}

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
};

/// A compilation for one set of feed dims.
struct Variant {
  const Imported *imported = nullptr;
  /// Of the first rank of this process on a mesh.
  std::shared_ptr<runtime::Executable> executable;
  std::unique_ptr<runtime::Session> session; ///< null on a mesh
  std::unique_ptr<MeshProgram> onMesh;       ///< null without a mesh
  std::unique_ptr<runtime::Profile> profile;
  std::set<std::string> stored = {}; ///< state variables that the program fetches and stores itself
};

struct Model::Implementation {
  ModelOptions options;
  std::function<void(const Diagnostic &)> onRemark;
  std::string path; ///< begins the messages
  std::string programText, programFile;
  bool lacksWeightsFile = false;
  ProgramTarget target;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<ProgramSource> source;
  /// By FeedFacts::key.
  std::map<std::string, Imported> imports;
  std::vector<TensorInfo> feeds, parameters, fetchInfos;
  std::vector<std::string> fetches;
  std::set<std::string> states;
  ModelValues values;
  /// Parameters for whose values the program is imported (ImportOptions::parameterValues).
  std::map<std::string, Tensor> knownParameters;
  std::unique_ptr<ModelMesh> mesh; ///< null without one
  std::map<std::string, Variant> variants;
  Variant *current = nullptr;
  ModelTimes times;
  bool profiling = false;
  bool parametersChanged = false;
  /// The program cannot be imported by its declarations alone.
  bool needsFeeds = false;
  /// Sets of dims for which compilation depends on elements of the feeds.
  std::set<std::string> valueSpecialized;
  /// Shared by all variants, so that their runs continue one sequence of random numbers.
  std::shared_ptr<runtime::RandomGenerator> generator;

  Result<void> open(const std::string &path);
  Result<void> openMesh();
  /// Without a mesh of the options: opens that of the program, or warns that it is ignored.
  Result<void> considerMeshOfProgram();
  Result<void> readProgram();
  Result<void> readSource(const params::ModelFiles &files);
  Result<void> importDeclared();
  /// Adds a module to `imports`.
  const Imported *keep(const std::string &key, mlir::OwningOpRef<mlir::ModuleOp> module);
  Result<void> checkParameter(const std::string &name, const Tensor &value) const;
  /// Forgets what was imported for another value of a parameter.
  void forgetValue(const std::string &name, const Tensor &value);
  void describeInterface(mlir::ModuleOp module);
  /// Finds fetches and states.
  void describeResults(mlir::ModuleOp module);
  Result<void> describeDeclared();
  /// The program for these feeds, imported as `attempt` says.
  Result<const Imported *> importFor(const std::map<std::string, Tensor> &feeds, Attempt attempt);
  /// The attempts from `known` on that may import different modules.
  std::vector<Attempt> attemptsFor(const std::map<std::string, Tensor> &feeds, FeedKnowledge known) const;
  Result<const Imported *> importWith(FeedFacts facts, bool *feedsMayHelp = nullptr);
  Result<Variant *> variantFor(const std::map<std::string, Tensor> &feeds);
  /// The first import and compilation that succeed, from `known` on.
  Result<Compilation> compileWith(const std::map<std::string, Tensor> &feeds, FeedKnowledge &known,
                                  const Imported *&imported);
  Result<Compilation> compile(mlir::ModuleOp module, const std::map<std::string, Tensor> &feeds,
                              Attempt attempt);
  Result<Compilation> compileFresh(mlir::ModuleOp module, const std::map<std::string, Tensor> &feeds);
  /// A copy of the module for the dims of the feeds.
  Result<mlir::OwningOpRef<mlir::ModuleOp>>
  specialized(mlir::ModuleOp module, const std::map<std::string, std::vector<int64_t>> &dims);
  CompileOptions compileOptions() const;
  Result<Variant> load(Compilation compilation, const Imported &imported,
                       const std::map<std::string, Tensor> &feeds);
  /// Gives changed parameters to all variants.
  Result<void> bindParameters();
  /// The results of a run of the current variant: fetches and their LoDs, without a mesh also state.
  Result<std::vector<Tensor>> runCurrent(const runtime::NamedTensors &inputs);
  /// The errors with the ops of the legacy program that compute the named outputs.
  Diagnostics located(const Diagnostics &diagnostics) const;
  /// Stops the other processes of a mesh, which may not have these errors.
  Diagnostics failEverywhere(const Diagnostics &diagnostics) const;
  /// Finds the op in a kernel of a variant that makes a NaN or an Inf.
  runtime::KernelDiagnosis diagnosisOf(const Imported &imported, const std::map<std::string, Tensor> &feeds);
  Result<void> transform(mlir::ModuleOp module);
  void warn(const char *code, const std::string &variable, const std::string &message) const;
  /// The common part of run() and measure(): selects the variant for these feeds, and adds state and LoDs to
  /// the feeds of its plan.
  Result<runtime::NamedTensors> beforeRun(const std::map<std::string, Tensor> &feeds);
  /// Stores the state among the results of a run and returns the fetches with their LoDs.
  Result<std::vector<NamedTensor>> take(const Variant &variant, const std::vector<Tensor> &results);
};

} // namespace proa
