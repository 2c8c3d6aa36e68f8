#include "proa/Program.h"

#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Files.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/compile/UserPasses.h"
#include "lib/compiler/files/OnnxFile.h"
#include "lib/compiler/files/ProgramAndWeights.h"
#include "lib/compiler/program/ProgramDialects.h"
#include "translator/export/Export.h"
#include "translator/export/onnx/OnnxExport.h"
#include "translator/legacy/WriteProgram.h"
#include "translator/onnx/Schema.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringExtras.h"

#include <array>

namespace proa {
namespace {

constexpr std::array<const char *, 6> formats = {"mlir", "mlirbc", "json", "pdmodel", "onnx", "folder"};

/// The format that a file has by its suffix.
std::string formatOf(llvm::StringRef output) {
  for (const char *format : formats)
    if (output.ends_with("." + std::string(format)))
      return format;
  return "folder";
}

FolderRequest requestOf(const std::string &path, const std::string &output, const ProgramOptions &options) {
  FolderRequest request{path, options.function, options.parameters, output, {}};
  request.import.feeds = options.feeds;
  request.import.fetches = options.fetches;
  request.import.locations = options.locations;
  request.import.onDiagnostic = options.onDiagnostic;
  return request;
}

std::string textOf(mlir::ModuleOp module, bool locations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(locations, /*prettyForm=*/false);
  flags.assumeVerified();
  module.print(stream, flags);
  return text;
}

Result<std::string> bytecodeOf(mlir::ModuleOp module, const std::string &path) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (mlir::failed(mlir::writeBytecodeToFile(module, stream)))
    return errorAt(path, "the module cannot be written as bytecode");
  return bytes;
}

/// The program in a format that has no weights.
Result<std::string> contentOf(const std::string &path, const std::string &format,
                              const ProgramOptions &options) {
  mlir::DialectRegistry registry;
  registerProgramDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // the op may be the whole module
  FolderRequest request = requestOf(path, "", options);
  request.import.locations |= format != "mlir"; // for errors
  Result<ProgramAndWeights> program = readProgramAndWeights(request, context);
  if (!program)
    return program.diagnostics();
  DiagnosticCollector errors(&context);
  if (mlir::failed(mlir::verify(*program->module)))
    return errors.take(path + ": the module is invalid");
  if (format == "mlir")
    return textOf(*program->module, options.locations);
  if (format == "mlirbc")
    return bytecodeOf(*program->module, path);
  Result<legacy::Program> legacyProgram = exporter::exportProgram(*program->module);
  if (!legacyProgram)
    return legacyProgram.diagnostics();
  if (format == "pdmodel")
    return legacy::writeBinary(*legacyProgram);
  std::string text;
  legacy::writeJson(*legacyProgram, [&](std::string_view piece) { text.append(piece); });
  return text;
}

Result<void> writeOnnxFile(const FolderRequest &request, int64_t opset) {
  if (opset == 0)
    opset = exporter::OnnxExportOptions().opset;
  if (opset < exporter::oldestWrittenOpset || opset > onnx::newestOpsetVersion)
    return errorAt(request.output, "opset " + std::to_string(opset) + " is requested, expected " +
                                       std::to_string(exporter::oldestWrittenOpset) + " to " +
                                       std::to_string(onnx::newestOpsetVersion));
  return writeOnnx(request, opset);
}

/// Passes the warnings and remarks of MLIR to a function; errors are left to other handlers.
class OtherDiagnostics {
public:
  OtherDiagnostics(mlir::MLIRContext *context, const std::function<void(const Diagnostic &)> &onDiagnostic)
      : handler(context, [&onDiagnostic](mlir::Diagnostic &diagnostic) {
          bool isWarning = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning;
          if (!onDiagnostic || diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            return mlir::failure();
          Diagnostic found{.severity =
                               isWarning ? Diagnostic::Severity::Warning : Diagnostic::Severity::Remark,
                           .location = {},
                           .message = diagnostic.str()};
          llvm::raw_string_ostream(found.location) << diagnostic.getLocation();
          onDiagnostic(found);
          return mlir::success();
        }) {}

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace

Result<std::string> importProgram(const std::string &path, const ProgramOptions &options) {
  return contentOf(path, "mlir", options);
}

Result<void> exportProgram(const std::string &path, const std::string &output, const std::string &format,
                           const ProgramOptions &options) {
  std::string chosen = format.empty() ? formatOf(output) : format;
  if (!llvm::is_contained(formats, chosen))
    return errorAt(output, "unknown format '" + chosen + "', expected " + llvm::join(formats, ", "));
  if (chosen == "folder")
    return writeFolder(requestOf(path, output, options));
  if (chosen == "onnx")
    return writeOnnxFile(requestOf(path, output, options), options.opset);
  Result<std::string> content = contentOf(path, chosen, options);
  return content ? writeFile(output, *content) : content.diagnostics();
}

Result<std::string> runPasses(const std::string &text, const std::string &pipeline,
                              const std::function<void(const Diagnostic &)> &onDiagnostic) {
  if (Result<void> checked = checkUserPasses(pipeline); !checked)
    return checked.diagnostics();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  OtherDiagnostics others(&context, onDiagnostic);
  DiagnosticCollector errors(&context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "program");
  if (!module)
    return errors.take("the program does not parse");
  mlir::PassManager passes(&context);
  addUserPasses(passes, pipeline);
  if (mlir::failed(passes.run(*module)))
    return errors.take("a pass of '" + pipeline + "' failed");
  return textOf(*module, /*locations=*/false);
}

} // namespace proa
