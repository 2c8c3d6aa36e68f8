#include "test/fuzz/ir/Seeds.h"

#include "lib/base/support/Files.h"
#include "lib/check/CaseMeta.h"
#include "translator/import/Import.h"
#include "translator/params/ModelFolder.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <filesystem>

using namespace mlir;

namespace proa::fuzz {

OwningOpRef<ModuleOp> parseSeed(MLIRContext &context, llvm::StringRef text, size_t maxBytes) {
  if (text.size() > maxBytes)
    return {};
  ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) { return success(); });
  return parseSourceString<ModuleOp>(text, &context);
}

void addModulesOfTests(MLIRContext &context, const std::string &folder, Modules &modules) {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".mlir")
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) {
    Result<std::string> text = readFile(path);
    llvm::SmallVector<llvm::StringRef> parts;
    if (text)
      llvm::StringRef(*text).split(parts, "// -----");
    for (llvm::StringRef part : parts)
      if (OwningOpRef<ModuleOp> module = parseSeed(context, part))
        modules.push_back(std::move(module));
  }
}

static Result<void> addProgram(MLIRContext &context, const std::string &folder, Modules &modules) {
  Result<params::ModelFiles> files = params::findModel(folder);
  if (!files)
    return files.diagnostics();
  Result<translator::SourceProgram> program = translator::readProgram(files->program);
  if (!program)
    return program.diagnostics();
  import::ImportOptions options;
  if (!files->meta.empty()) {
    Result<check::CaseMeta> meta = check::readCaseMeta(files->meta);
    if (!meta)
      return meta.diagnostics();
    options.feeds = meta->feeds;
    options.fetches = meta->fetches;
  }
  auto module = import::importProgram(context, *program, options);
  if (!module)
    return module.diagnostics();
  modules.push_back(std::move(*module));
  return {};
}

void addPrograms(MLIRContext &context, const std::string &folder, Modules &modules) {
  std::vector<std::string> folders;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().filename() == "meta.json")
      folders.push_back(entry.path().parent_path().string());
  if (folders.empty())
    folders.push_back(folder);
  std::sort(folders.begin(), folders.end());
  ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) { return success(); });
  for (const std::string &each : folders)
    (void)addProgram(context, each, modules);
}

} // namespace proa::fuzz
