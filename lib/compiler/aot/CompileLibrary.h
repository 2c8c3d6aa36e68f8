/// A program compiled to the contents of a shared library.
#pragma once

#include "lib/compiler/aot/Description.h"
#include "proa/Amp.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa::aot {

struct LibraryRequest {
  std::string model; ///< folder, program file or IR file, as for Model::open
  std::string name;  ///< name of the library, used in the messages of its runs
  /// Fed and fetched variables, as in ModelOptions.
  std::vector<std::string> feeds, fetches;
  std::string function; ///< function of an IR file, as in ModelOptions
  /// Dims of feeds; dims of other feeds are as declared, and may be dynamic.
  std::map<std::string, std::vector<int64_t>> dims;
  /// As in ModelOptions; the machine that compiles may lack its instructions.
  std::string cpu;
  std::string targetFacts; ///< as in ModelOptions
  /// As in ModelOptions. Loss scaling is not supported, because it is for training.
  std::optional<AmpOptions> amp;
  /// Chips of CUDA devices ("sm_90a"); empty: the program runs on the CPU.
  std::vector<std::string> chips;
  /// As in CompileOptions.
  std::optional<std::vector<std::string>> cudaLibraries;
  bool allowsTf32 = false, allowsAtomicSums = false; ///< as in ModelOptions
  /// Folder for the IR of each stage, and for each chip a folder in it with the code of its kernels; empty:
  /// none.
  std::string dumpDirectory;
  /// As in CompileOptions.
  std::string tuningFile;
  std::function<Result<void>(mlir::ModuleOp kernels)> onDeviceKernels;
  bool embedWeights = false;
  std::string parameters; ///< weights file to embed; empty: the one in the program's folder
  std::function<void(const std::string &what, double fraction)> progress;
  /// Called once with each warning about the program.
  std::function<void(const Diagnostic &diagnostic)> onDiagnostic;
  /// As in ModelOptions, reported to onDiagnostic.
  std::string remarks;
  std::string passes;                ///< as in ModelOptions
  std::vector<std::string> patterns; ///< as in ModelOptions
};

struct CompiledLibrary {
  Description description;
  std::string archive;         ///< static library of the kernels
  std::vector<Tensor> weights; ///< in the order of Description::embedded
};

/// The members of several static libraries as one.
Result<std::string> joinArchives(const std::vector<std::string> &archives);

/// Errors of reading, importing and compiling, all of a stage at once; embedded weights that are missing or
/// of another type.
Result<CompiledLibrary> compileLibrary(const LibraryRequest &request);

} // namespace proa::aot
