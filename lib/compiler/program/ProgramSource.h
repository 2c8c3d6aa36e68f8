/// A program in one of the forms that proa reads, and its import into IR.
#pragma once

#include "proa/Diagnostic.h"
#include "proa/Result.h"
#include "proa/Tensor.h"
#include "translator/import/Import.h"
#include "translator/legacy/SharedStorage.h"
#include "translator/params/ModelFolder.h"
#include "translator/program/SourceProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace proa {

/// Which program, and which part of it.
struct ProgramRequest {
  params::ModelFiles files;
  /// Content of files.program.
  std::string text;
  /// Of an IR file: the function; empty: `main`, else the only public function.
  std::string function;
  /// Feeds and fetches that are requested; empty: all.
  std::vector<std::string> feeds, fetches;
  /// ImportOptions::derivedGradients; a legacy program only.
  std::map<std::string, std::string> derivedGradients;
  /// Receives the warnings of each import.
  std::function<void(const Diagnostic &)> onDiagnostic;
  /// Dims of feeds; where they contradict the declared ones, the program is imported for them.
  std::map<std::string, std::vector<int64_t>> feedDims = {};
  /// See ModelOptions.
  bool fetchesAll = false;
};

/// Facts at import, from which types are inferred: about the feeds, and values of parameters.
struct FeedFacts {
  /// Number of LoD levels of feeds that have another number than declared.
  std::map<std::string, int> lodLevels;
  std::map<std::string, std::vector<int64_t>> dims;
  /// ImportOptions::sequences.
  std::map<std::string, std::vector<std::vector<int64_t>>> sequences;
  std::map<std::string, Tensor> values;
  /// ImportOptions::parameterValues; a legacy program only.
  std::map<std::string, Tensor> parameters;
  /// ImportOptions::deferAll.
  bool deferAll = false;

  /// Differs between facts that may give different modules.
  std::string key() const;
};

/// Replaces the value of a parameter for whose value a program is imported (FeedFacts::parameters). Returns
/// false if it is none of `known`, or has this value already.
bool replaceKnown(std::map<std::string, Tensor> &known, const std::string &name, const Tensor &value);

/// A program, as modules whose function `main` computes it (lib/compiler/program/IrProgram.h).
class ProgramSource {
public:
  virtual ~ProgramSource() = default;

  /// Reads the program of either form. `context` must outlive the source. Errors: from the reader.
  static Result<std::unique_ptr<ProgramSource>> open(mlir::MLIRContext &context, ProgramRequest request);
  /// A program that was read; the text of the request is not used. Error: feed dims that do not fit.
  static Result<std::unique_ptr<ProgramSource>> of(translator::SourceProgram program, ProgramRequest request);

  /// The program for feeds of which `facts` are known. `feedsMayHelp`: see ImportOptions.
  virtual Result<mlir::OwningOpRef<mlir::ModuleOp>> import(mlir::MLIRContext &context, const FeedFacts &facts,
                                                           bool *feedsMayHelp = nullptr) = 0;
  /// Whether the module depends on the facts about feeds.
  virtual bool dependsOnFeeds() const = 0;
  /// The number of devices of the program's meshes, which an IR file may have; 0: it has none.
  virtual int64_t deviceCount() const = 0;
  /// Names of the variables that a file of weights holds, in its order.
  virtual std::vector<std::string> savedVariables() const = 0;
  /// Values of the parameters. A legacy program takes over the types of the file where they differ from its
  /// own.
  virtual Result<params::Tensors> readWeights() = 0;
  /// The interface by the declarations of a program that cannot be imported yet.
  virtual Result<import::Interface> declaredInterface(mlir::MLIRContext &context) = 0;
  /// Declared number of LoD levels of a feed; none: the module says it.
  virtual std::optional<int> lodLevelOf(const std::string &feed) const = 0;
  /// Parameters that share memory with others.
  virtual const std::vector<legacy::SharedStorage> &sharedParameters() const = 0;
  /// The values in other files than the program's own that the import may depend on, as text for the key of a
  /// cache; empty if there are none.
  virtual std::string outsideValues() const { return {}; }
  /// The legacy program; null for other forms.
  virtual const legacy::Program *legacyProgram() const = 0;
};

/// Warns that one device runs a program whose meshes have several.
void reportIgnoredMesh(const ProgramSource &source, const std::string &path,
                       const std::function<void(const Diagnostic &)> &onDiagnostic);

} // namespace proa
