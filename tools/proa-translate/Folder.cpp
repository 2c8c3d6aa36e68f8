#include "tools/proa-translate/Folder.h"

#include "lib/compiler/IrProgram.h"
#include "lib/compiler/ParameterValues.h"
#include "lib/compiler/ProgramDialects.h"
#include "lib/support/Files.h"
#include "translator/export/Export.h"
#include "translator/legacy/WriteProgram.h"
#include "translator/params/ModelFolder.h"

#include "mlir/IR/MLIRContext.h"

#include <filesystem>

namespace proa::tools {
namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

/// The program as IR with its weights.
Result<std::pair<Module, params::Tensors>>
readModel(const FolderRequest &request, const params::ModelFiles &files, mlir::MLIRContext &context) {
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
    return std::pair(std::move(*module), std::move(*weights));
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
  return std::pair(std::move(*module), std::move(*weights));
}

} // namespace

Result<void> writeFolder(const FolderRequest &request) {
  auto files = params::findModel(request.model, request.parameters);
  if (!files)
    return files.diagnostics();
  mlir::DialectRegistry registry;
  registerProgramDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto model = readModel(request, *files, context);
  if (!model)
    return model.diagnostics();
  auto &[module, weights] = *model;
  auto program = exporter::exportProgram(*module);
  if (!program)
    return program.diagnostics();
  std::error_code error;
  std::filesystem::create_directories(request.output, error);
  if (error)
    return errorAt(request.output, "cannot create the folder: " + error.message());
  // Weights are written first: a folder with a program is then complete.
  if (std::vector<std::string> saved = params::savedVariables(*program); !saved.empty())
    if (auto written = writeParameters(request.output + "/model.pdiparams", weights, saved); !written)
      return written;
  return writeFile(request.output + "/model.pdmodel", legacy::writeBinary(*program));
}

} // namespace proa::tools
