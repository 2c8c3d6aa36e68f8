/// Import of a program as MLIR: one function `main` of pd ops.
///
/// Attributes of the arguments: `pd.feed = "name"` (a feed), `pd.param = "name"` (a parameter, which is kept
/// between runs). Attributes of the results: `pd.fetch = "name"`, `pd.state = "name"` (the new value of that
/// parameter).
///
/// The LoD of a fed or fetched variable follows all feeds and fetches, one int64 vector of offsets for each
/// level: `pd.feed = "x@LOD0", pd.lod_of = "x"` is the outermost level of x.
#pragma once

#include "translator/import/common/Arguments.h"
#include "translator/legacy/SharedStorage.h"
#include "translator/program/SourceProgram.h"

#include "proa/Diagnostic.h"
#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace proa::import {

struct ImportOptions {
  /// The program's file: the prefix of every error.
  std::string source;
  /// Fed and fetched variables; empty: the program's own (ModelOptions::feeds).
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  /// The function also returns the other tensors that ops of the main block compute, as fetches after the own
  /// ones, in program order: for comparisons of intermediate values. A variable that is written several times
  /// has its last value. Tensor arrays are left out.
  bool fetchesAll = false;
  /// Number of LoD levels of feeds that have another number than declared.
  std::map<std::string, int> lodLevels;
  /// Dims of feeds: the dynamic ones become static.
  std::map<std::string, std::vector<int64_t>> feedDims;
  /// Feeds that are sequences: the dims of their elements, -1 for dynamic ones. A program with such a feed
  /// can be imported only with them.
  std::map<std::string, std::vector<std::vector<int64_t>>> sequences;
  /// Values of feeds: the program is imported for these values only.
  std::map<std::string, Tensor> feedValues;
  /// Values of parameters. The program is imported for them, except for those that it changes.
  std::map<std::string, Tensor> parameterValues;
  /// If not null: receives whether the import fails only because of dims or values that depend on feeds, so
  /// that feedDims or feedValues may help.
  bool *feedsMayHelp = nullptr;
  /// A block of control flow that cannot be imported becomes an error of a run that reaches it. With deferAll
  /// this includes blocks for which feedDims or feedValues may help: nothing more will be known about the
  /// feeds.
  bool deferAll = false;
  /// By parameter, the variable of its gradient. These variables get gradients that proa computes (pd.vjp of
  /// the forward region) instead of the results of the program's gradient ops. The forward region ends at the
  /// op that sets the gradient of the loss to a constant.
  std::map<std::string, std::string> derivedGradients;
  /// Parameters in the memory of others. A read of such a buffer gives the current values of its members.
  std::vector<legacy::SharedStorage> sharedParameters;
  /// Whether ops get locations: the name of their first output and the user's line. They take a quarter of
  /// the import time.
  bool locations = true;
  /// Called with each difference between declared and inferred types, and with other warnings.
  std::function<void(const Diagnostic &diagnostic)> onDiagnostic;
};

/// The name of a LoD level, 0 being the outermost, of a variable: "x@LOD0".
std::string lodName(llvm::StringRef variable, size_t level);
/// Tensors by name, and the levels of their LoDs as tensors of their own.
std::map<std::string, Tensor> withLods(const std::map<std::string, Tensor> &tensors);
/// The feeds whose values may decide how a program computes: axes, shapes, counts, single numbers.
std::map<std::string, Tensor> specializingFeeds(const std::map<std::string, Tensor> &feeds);
/// The parameters whose values may decide how a program computes: short vectors of integers. Paddle Inference
/// folds shapes to such parameters. The result has copies of the values.
std::map<std::string, Tensor> specializingParameters(const std::map<std::string, Tensor> &parameters);

/// Imports the program. Errors, all at once: unknown ops and attributes, missing inputs, invalid shapes; each
/// with the op's index, type, output and Python line.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importProgram(mlir::MLIRContext &context, const legacy::Program &program, const ImportOptions &options = {});
/// The same for a program of any format.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importProgram(mlir::MLIRContext &context,
                                                        const translator::SourceProgram &program,
                                                        const ImportOptions &options = {});

/// The inputs and outputs of a program, by its declarations.
struct Interface {
  std::vector<std::pair<std::string, mlir::RankedTensorType>> feeds, parameters;
  std::vector<std::string> fetches;
  /// Parameters that a run may change.
  std::vector<std::string> states;
  /// The names of the dims of feeds and fetches that have any, "" for other dims.
  std::map<std::string, std::vector<std::string>> dimNames = {};
  /// Feeds and fetches that are sequences; their types say the element type only.
  std::vector<std::string> sequences = {};
  /// Declared types of fetches; some formats and programs do not declare them.
  std::vector<std::pair<std::string, mlir::RankedTensorType>> fetchTypes = {};
};
Result<Interface> declaredInterface(mlir::MLIRContext &context, const translator::SourceProgram &program,
                                    const ImportOptions &options = {});

} // namespace proa::import
