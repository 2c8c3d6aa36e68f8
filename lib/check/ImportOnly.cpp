#include "lib/check/ImportOnly.h"

#include "lib/compiler/compile/Registration.h"
#include "translator/import/Import.h"
#include "translator/params/ModelFolder.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

namespace proa::check {

Result<void> importAndVerify(const std::string &folder, const CaseMeta &meta,
                             const std::function<void(const Diagnostic &)> &onDiagnostic) {
  Result<params::ModelFiles> files = params::findModel(folder);
  if (!files)
    return files.diagnostics();
  Result<translator::SourceProgram> program = translator::readProgram(files->program);
  if (!program)
    return program.diagnostics();
  if (Result<params::Tensors> weights = params::readParameters(*files, *program); !weights)
    return weights.diagnostics();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  import::ImportOptions options;
  options.source = files->program;
  options.feeds = meta.feeds;
  options.fetches = meta.fetches;
  options.onDiagnostic = onDiagnostic;
  auto module = import::importProgram(context, *program, options);
  if (!module)
    return module.diagnostics();
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    errors += (errors.empty() ? "" : "; ") + diagnostic.str();
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(**module)))
    return errorAt(files->program, "the imported module does not verify: " + errors);
  return {};
}

} // namespace proa::check
