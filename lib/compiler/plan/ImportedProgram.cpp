#include "lib/compiler/plan/ImportedProgram.h"

#include "lib/base/support/Files.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/program/ProgramSource.h"
#include "lib/compiler/program/SpecializeFeeds.h"
#include "translator/params/ModelFolder.h"
#include "translator/params/ModelMeta.h"

namespace proa {

Result<ImportedProgram> importProgram(const std::string &path,
                                      const std::map<std::string, std::vector<int64_t>> &dims,
                                      const std::function<void(const Diagnostic &)> &onDiagnostic) {
  auto files = params::findModel(path, "");
  if (!files)
    return files.diagnostics();
  auto text = readFile(files->program);
  if (!text)
    return text.diagnostics();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  ImportedProgram program;
  program.context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  program.context->printOpOnDiagnostic(false);
  ProgramRequest request{*files, std::move(*text), "", {}, {}, {}, onDiagnostic, dims};
  if (!files->meta.empty()) {
    auto meta = params::readModelMeta(files->meta);
    if (!meta)
      return meta.diagnostics();
    request.feeds = meta->feeds;
    request.fetches = meta->fetches;
  }
  auto source = ProgramSource::open(*program.context, std::move(request));
  if (!source)
    return source.diagnostics();
  FeedFacts facts;
  facts.dims = dims;
  auto module = (*source)->import(*program.context, facts);
  if (!module)
    return module.diagnostics();
  program.module = std::move(*module);
  if (!dims.empty())
    if (Result<void> done = specializeFeeds(*program.module, dims); !done)
      return done.diagnostics();
  return program;
}

} // namespace proa
