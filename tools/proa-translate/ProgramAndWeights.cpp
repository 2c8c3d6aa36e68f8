#include "tools/proa-translate/ProgramAndWeights.h"

#include "lib/compiler/program/IrProgram.h"
#include "lib/support/Files.h"

#include "mlir/IR/MLIRContext.h"

namespace proa::tools {

Result<ProgramAndWeights> readProgramAndWeights(const FolderRequest &request, mlir::MLIRContext &context) {
  auto found = params::findModel(request.model, request.parameters);
  if (!found)
    return found.diagnostics();
  const params::ModelFiles &files = *found;
  auto text = readFile(files.program);
  if (!text)
    return text.diagnostics();
  if (isIr(files.program, *text)) {
    auto module = readIr(context, *text,
                         {files.program, request.function, request.import.feeds, request.import.fetches});
    if (!module)
      return module.diagnostics();
    auto weights = params::readTensors(files, savedVariables(**module));
    if (!weights)
      return weights.diagnostics();
    return ProgramAndWeights{std::move(*module), std::move(*weights)};
  }
  auto program = translator::readProgramText(*text, files.program);
  if (!program)
    return program.diagnostics();
  auto weights = params::readParameters(files, *program);
  if (!weights)
    return weights.diagnostics();
  import::ImportOptions options = request.import;
  options.source = files.program;
  auto module = import::importProgram(context, *program, options);
  if (!module)
    return module.diagnostics();
  return ProgramAndWeights{std::move(*module), std::move(*weights)};
}

} // namespace proa::tools
