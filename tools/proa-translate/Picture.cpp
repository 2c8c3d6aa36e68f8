#include "tools/proa-translate/Picture.h"

#include "dialects/dist/Dist.h"
#include "dialects/rt/Rt.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Files.h"
#include "lib/compiler/files/ProgramAndWeights.h"
#include "lib/compiler/picture/Page.h"
#include "lib/compiler/program/IrProgram.h"
#include "lib/compiler/program/ProgramDialects.h"
#include "tools/common/CommandLine.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

namespace proa::tools {

/// An IR file as it is: its functions need not be a program.
static Result<ProgramAndWeights> readStage(const FolderRequest &request, mlir::MLIRContext &context) {
  auto files = params::findModel(request.model, request.parameters);
  bool isWhole = request.function.empty() && request.import.feeds.empty() && request.import.fetches.empty();
  if (!files)
    return files.diagnostics();
  if (!isIr(files->program, "") || !isWhole)
    return readProgramAndWeights(request, context);
  auto text = readFile(files->program);
  if (!text)
    return text.diagnostics();
  DiagnosticCollector errors(&context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(*text, &context, files->program);
  if (!module)
    return errors.take(files->program + ": does not parse");
  ProgramAndWeights stage{std::move(module), {}};
  if (request.parameters.empty() || !stage.module->lookupSymbol("main"))
    return stage;
  auto weights = params::readTensors(*files, savedVariables(*stage.module));
  if (!weights)
    return weights.diagnostics();
  stage.weights = std::move(*weights);
  return stage;
}

Result<void> writePicture(const PictureRequest &request) {
  picture::Overlay overlay;
  Diagnostics diagnostics;
  for (const std::string &run : request.runs)
    diagnostics.append(picture::addRun(run, overlay).diagnostics());
  mlir::DialectRegistry registry;
  registerProgramDialects(registry);
  registry.insert<dist::DistDialect, rt::RtDialect>(); // of later stages
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  std::vector<ProgramAndWeights> programs;
  std::vector<picture::Stage> stages;
  for (const std::string &model : {request.program.model, request.other}) {
    if (model.empty())
      continue;
    FolderRequest one = request.program;
    one.model = model;
    auto program = readStage(one, context);
    if (!program) {
      diagnostics.append(program.diagnostics());
      continue;
    }
    programs.push_back(std::move(*program));
    stages.push_back({model, *programs.back().module, programs.back().weights});
  }
  if (!diagnostics.empty())
    return diagnostics;
  Result<std::string> page = picture::pageOf(stages, overlay);
  return page ? writeOutput(request.program.output, *page) : Result<void>(page.diagnostics());
}

} // namespace proa::tools
