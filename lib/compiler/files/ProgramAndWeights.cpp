#include "lib/compiler/files/ProgramAndWeights.h"

#include "lib/base/support/Files.h"
#include "lib/compiler/program/IrProgram.h"
#include "translator/params/ModelMeta.h"

#include "mlir/IR/MLIRContext.h"

namespace proa {

Result<void> readInterface(const params::ModelFiles &files, import::ImportOptions &options) {
  if (files.meta.empty())
    return {};
  Result<params::ModelMeta> read = params::readModelMeta(files.meta);
  if (!read)
    return read.diagnostics();
  if (options.feeds.empty())
    options.feeds = read->feeds;
  if (options.fetches.empty())
    options.fetches = read->fetches;
  return {};
}

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
  if (!request.function.empty())
    return errorAt(request.model,
                   "function '" + request.function + "' is requested, but the program is not an IR file");
  import::ImportOptions options = request.import;
  if (Result<void> read = readInterface(files, options); !read)
    return read.diagnostics();
  auto program = translator::readProgramText(*text, files.program);
  if (!program)
    return program.diagnostics();
  auto weights = params::readParameters(files, *program);
  if (!weights)
    return weights.diagnostics();
  options.source = files.program;
  auto module = import::importProgram(context, *program, options);
  if (!module)
    return module.diagnostics();
  return ProgramAndWeights{std::move(*module), std::move(*weights)};
}

} // namespace proa
