/// The members of a model, immutable after open() but for the compiled variants.
#pragma once

#include "lib/base/support/Cores.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/compile/Target.h"
#include "lib/compiler/mesh/ModelMesh.h"
#include "lib/compiler/program/ProgramSource.h"
#include "proa/Model.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace proa {

class Variants;

struct Model::Implementation {
  ModelOptions options;
  std::function<void(const Diagnostic &)> onRemark;
  std::string path; ///< begins the messages
  std::string programText, programFile;
  bool lacksWeightsFile = false;
  ProgramTarget target;
  int threads = 1; ///< of a run in this process
  std::vector<TensorInfo> feeds, parameters, fetchInfos;
  std::vector<std::string> fetches;
  std::set<std::string> states;
  /// The values of parameters and states in a new session.
  std::map<std::string, Tensor> weights;
  std::unique_ptr<ModelMesh> mesh; ///< null without one
  ModelTimes times;
  /// The program cannot be imported by its declarations alone.
  bool needsFeeds = false;

  /// Held while a program is imported or compiled, and during calls of the functions in `options`: it guards
  /// `context` and `source`.
  std::mutex compiling;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<ProgramSource> source;
  /// Programs compiled for the values of `weights`.
  std::shared_ptr<Variants> variants;
  /// A session has what only one may have at a time.
  std::atomic<bool> hasSoleSession = false;

  /// `source` is null for a program in files at `path`.
  Result<void> open(const std::string &path, const ModelSource *source);
  Result<void> chooseDevice();
  Result<void> checkTargetFacts() const;
  Result<void> openMesh();
  /// Without a mesh in the options: opens the mesh of the program, or warns that it is ignored.
  Result<void> considerMeshOfProgram();
  Result<void> readProgram(const ModelSource *source);
  /// The files, and the text of the program.
  Result<params::ModelFiles> findFiles(const ModelSource *source);
  Result<void> readSource(const params::ModelFiles &files);
  /// Sets the initial states of dynamic loss scaling.
  void addLossScaling();
  /// Warns and resets the option if states cannot be in a store.
  void considerOffload();
  /// Describes the interface by the program as declared.
  Result<void> describe();
  void describeInterface(mlir::ModuleOp module);
  /// Finds fetches and states.
  void describeResults(mlir::ModuleOp module);
  Result<void> describeDeclared();
  /// The errors with the ops of the legacy program that compute the named outputs.
  Diagnostics located(const Diagnostics &diagnostics) const;
  void warn(const char *code, const std::string &variable, const std::string &message) const;
  /// Whether only one session may exist at a time.
  bool isForOneSession() const;
};

/// The name of the fetched sequence that a result of `main` is a part of; empty for others.
std::string fetchedSequenceOf(mlir::func::FuncOp main, unsigned result);

} // namespace proa
