/// Programs as text and files: import into IR, passes, and export.
///
/// \code
///   auto text = proa::importProgram("resnet50");                            // MLIR
///   auto folded = proa::runPasses(*text, "func.func(canonicalize,cse)");
///   auto done = proa::exportProgram("resnet50", "resnet50.onnx");
/// \endcode
#pragma once

#include "proa/Diagnostic.h"
#include "proa/Result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace proa {

/// Options of importProgram and exportProgram.
struct ProgramOptions {
  /// Fed and fetched variables, function of an IR file, and weights file, as in ModelOptions.
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::string function;
  std::string parameters;
  /// Whether IR has the locations of ops: the lines of the user's Python code.
  bool locations = false;
  /// Opset of an ONNX model; 0: the default of proa-translate.
  int64_t opset = 0;
  /// Called with each warning about the program.
  std::function<void(const Diagnostic &diagnostic)> onDiagnostic;
};

/// Imports a program, found as by Model::open. Returns the text of an MLIR module. Error: the errors of the
/// program.
Result<std::string> importProgram(const std::string &path, const ProgramOptions &options = {});

/// Writes a program, found as by Model::open, to `output`. `format` is "mlir", "mlirbc" (bytecode), "json" or
/// "pdmodel" (a legacy program without weights), "onnx", or "folder" (a legacy program with its weights).
/// Empty: by the suffix of `output`, and a folder without one of these suffixes. Error: the errors of the
/// program; an unknown format or opset; ops without a form in the format; a file that cannot be written.
Result<void> exportProgram(const std::string &path, const std::string &output, const std::string &format = "",
                           const ProgramOptions &options = {});

/// Runs a pipeline of passes, such as "builtin.module(func.func(cse),pd-decompose)", on MLIR text, and
/// returns the result as text. `onDiagnostic` is called with warnings and remarks of the passes. Error: a
/// malformed pipeline, an unknown pass, text that does not parse or verify, a pass that fails.
Result<std::string> runPasses(const std::string &text, const std::string &pipeline,
                              const std::function<void(const Diagnostic &diagnostic)> &onDiagnostic = {});

} // namespace proa
