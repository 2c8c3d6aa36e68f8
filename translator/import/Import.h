/// A legacy program becomes MLIR: one function `main` of pd ops.
///
/// Arguments carry `pd.feed = "name"` (what a run is fed) or `pd.param = "name"` (what lives across runs);
/// results carry `pd.fetch = "name"` or `pd.state = "name"` (the new value of the parameter of that name).
///
/// The LoD of a fed or fetched variable is fed and fetched with it, after all feeds and fetches, one int64
/// vector of offsets a level: `pd.feed = "x@LOD0", pd.lod_of = "x"` is the outermost level of x.
#pragma once

#include "translator/import/Arguments.h"
#include "translator/legacy/SharedStorage.h"

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
  /// The program's file: the prefix of every problem.
  std::string source;
  /// Fed and fetched variables in place of the program's own (ModelOptions::feeds).
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  /// How many LoD levels feeds have, where that is not what their declarations say.
  std::map<std::string, int> lodLevels;
  /// What the open dims of feeds are, where that is known.
  std::map<std::string, std::vector<int64_t>> feedDims;
  /// What feeds hold, where the program is imported for these elements alone.
  std::map<std::string, Tensor> feedValues;
  /// Where given, it is set to whether something is refused and all of that are ops with operands of which
  /// only feeds tell a dim or the elements, so that feedDims or feedValues may help.
  bool *feedsMayHelp = nullptr;
  /// A block of control flow that cannot be imported becomes an error of the run that comes to it. Whether
  /// that holds too where feedDims or feedValues may help, as nothing more will be known of the feeds.
  bool deferAll = false;
  /// By parameter, the variable of its gradient: these get the gradients that pd.vjp of the forward part
  /// gives, instead of what the program's gradient ops give. The forward part ends where the gradient of the
  /// loss is begun with a constant.
  std::map<std::string, std::string> ownGradients;
  /// Parameters that lie in the memory of others. Where the program reads such a buffer it gets what its
  /// parts are by then, and its state is theirs.
  std::vector<legacy::SharedStorage> sharedParameters;
  /// Whether ops get locations: the name of their first output and the user's line. They take a quarter of
  /// the time, and whoever shows no more of the ops than what they compute does without.
  bool locations = true;
  /// Called with each difference between declared and inferred types, and with other warnings.
  std::function<void(const Diagnostic &diagnostic)> onDiagnostic;
};

/// The name of a LoD level, 0 being the outermost, of a variable: "x@LOD0".
std::string lodName(llvm::StringRef variable, size_t level);
/// Tensors by name, and the levels of their LoDs as tensors of their own.
std::map<std::string, Tensor> withLods(const std::map<std::string, Tensor> &tensors);
/// Those feeds that may say how a program computes, and not only on what: an axis, a shape, a number of
/// things.
std::map<std::string, Tensor> steering(const std::map<std::string, Tensor> &feeds);

/// Imports the program, or lists everything in it that can't be: unknown ops and attributes, missing inputs,
/// shapes that don't fit; each with the op's index, type, output and Python line.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importProgram(mlir::MLIRContext &context, const legacy::Program &program, const ImportOptions &options = {});

/// What goes into and comes out of a program, by its declarations.
struct Interface {
  std::vector<std::pair<std::string, mlir::RankedTensorType>> feeds, parameters;
  std::vector<std::string> fetches;
  /// Parameters that a run may give a new value.
  std::vector<std::string> states;
};
Result<Interface> declaredInterface(mlir::MLIRContext &context, const legacy::Program &program,
                                    const ImportOptions &options = {});

} // namespace proa::import
