#include "passes/patterns/PatternFile.h"

#include "lib/base/support/ChildProcess.h"
#include "lib/base/support/Files.h"
#include "lib/base/support/TemporaryFolder.h"
#include "passes/patterns/PreludeFiles.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <filesystem>

namespace proa {
namespace {

Result<std::string> findCompiler() {
  if (const char *named = std::getenv("PROA_MLIR_PDLL"); named && *named) {
    if (llvm::sys::fs::can_execute(named))
      return std::string(named);
    return errorAt("PROA_MLIR_PDLL", "'" + std::string(named) + "' is not a program");
  }
  std::string own = std::string(llvmToolsFolder) + "/mlir-pdll";
  if (llvm::sys::fs::can_execute(own))
    return own;
  for (const char *name : {"mlir-pdll-22", "mlir-pdll"})
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return errorAt("mlir-pdll",
                 "is not installed; it compiles patterns in PDLL. Expected the program of LLVM 22 "
                 "(Debian: mlir-22-tools) in $PATH, or its path in $PROA_MLIR_PDLL; a file that "
                 "'mlir-pdll -x mlir' wrote needs no compiler");
}

/// The folder of MLIR's records: beside the program, else of the build.
std::string recordsFolder(const std::string &compiler) {
  std::error_code error;
  std::filesystem::path program = std::filesystem::canonical(compiler, error);
  std::filesystem::path beside = program.parent_path().parent_path() / "include";
  return !error && std::filesystem::exists(beside / "mlir/IR/OpBase.td") ? beside.string()
                                                                         : mlirIncludeFolder;
}

/// Writes pd.pdll and the records that it includes.
Result<void> writePrelude(const TemporaryFolder &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder.file("dialects/pd"), error);
  if (error)
    return errorAt(folder.file("dialects/pd"), "cannot be created: " + error.message());
  if (Result<void> written = writeFile(folder.file("pd.pdll"), std::string(preludeText())); !written)
    return written;
  return writeFile(folder.file("dialects/pd/pd.td"), std::string(patternOpsText()));
}

Result<std::string> compilePdll(const std::string &path) {
  Result<std::string> compiler = findCompiler();
  if (!compiler)
    return compiler;
  std::string records = recordsFolder(*compiler);
  if (!llvm::sys::fs::exists(records + "/mlir/IR/OpBase.td"))
    return errorAt(*compiler, "has no records of MLIR: expected the file " + records +
                                  "/mlir/IR/OpBase.td (Debian: libmlir-22-dev)");
  Result<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.diagnostics();
  if (Result<void> written = writePrelude(*folder); !written)
    return written.diagnostics();
  std::string output = folder->file("patterns.mlir");
  Result<std::string> run =
      runProgram(*compiler, {"-x=mlir", "-I", folder->file(""), "-I", records, path, "-o", output});
  if (!run)
    return run.diagnostics();
  return readFile(output);
}

} // namespace

Result<std::string> readPatternFile(const std::string &path) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (extension != ".pdll" && extension != ".mlir")
    return errorAt(path, "expected a file of patterns, *.pdll or *.mlir");
  Result<std::string> text = readFile(path);
  if (!text || extension == ".mlir")
    return text;
  return compilePdll(path);
}

} // namespace proa
