/// A program with all that a shared library of it holds.
#pragma once

#include "lib/aot/Description.h"
#include "proa/Amp.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa::aot {

struct LibraryRequest {
  std::string model; ///< folder, program file or IR file, as for Model::open
  std::string name;  ///< of the library; begins the messages of its runs
  /// Fed and fetched variables, as in ModelOptions.
  std::vector<std::string> feeds, fetches;
  std::string function; ///< of an IR file, as in ModelOptions
  /// Dims of feeds; those of other feeds stay as the program declares them, open dims too.
  std::map<std::string, std::vector<int64_t>> dims;
  /// As in ModelOptions; the machine that compiles need not have its instructions.
  std::string cpu;
  /// As in ModelOptions. Loss scaling, which training needs, is not for compiled libraries.
  std::optional<AmpOptions> amp;
  bool embedWeights = false;
  std::string parameters; ///< weights file to embed; empty: found beside the program
  std::function<void(const std::string &what, double part)> progress;
  /// Called with each warning about the program, once each.
  std::function<void(const Diagnostic &diagnostic)> onDiagnostic;
};

struct CompiledLibrary {
  Description description;
  std::string archive;         ///< a static library of the kernels
  std::vector<Tensor> weights; ///< in the order of Description::embedded
};

/// Errors, all at once per stage: those of reading, importing and compiling; weights to embed that are
/// missing or of another type.
Result<CompiledLibrary> compileLibrary(const LibraryRequest &request);

} // namespace proa::aot
