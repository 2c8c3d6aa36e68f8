#include "lib/compiler/files/FolderFile.h"

#include "lib/base/support/Files.h"
#include "lib/compiler/files/ProgramAndWeights.h"
#include "lib/compiler/program/ParameterValues.h"
#include "lib/compiler/program/ProgramDialects.h"
#include "translator/export/Export.h"
#include "translator/legacy/WriteProgram.h"

#include "mlir/IR/MLIRContext.h"

#include <filesystem>

namespace proa {

Result<void> writeFolder(const FolderRequest &request) {
  mlir::DialectRegistry registry;
  registerProgramDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto model = readProgramAndWeights(request, context);
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

} // namespace proa
