// proa-translate: imports a legacy or new-IR program into MLIR, summarizes it, or exports it.
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Files.h"
#include "lib/base/support/Sequences.h"
#include "lib/compiler/files/FolderFile.h"
#include "lib/compiler/files/OnnxFile.h"
#include "lib/compiler/files/ProgramAndWeights.h"
#include "lib/compiler/program/IrProgram.h"
#include "lib/compiler/program/ProgramDialects.h"
#include "lib/compiler/program/SpecializeFeeds.h"
#include "tools/common/CommandLine.h"
#include "tools/common/Warnings.h"
#include "tools/proa-translate/Coverage.h"
#include "tools/proa-translate/IrSummary.h"
#include "tools/proa-translate/OnnxCoverage.h"
#include "tools/proa-translate/Picture.h"
#include "tools/proa-translate/Summary.h"
#include "translator/export/Export.h"
#include "translator/export/onnx/OnnxExport.h"
#include "translator/import/Import.h"
#include "translator/legacy/WriteProgram.h"
#include "translator/onnx/Schema.h"
#include "translator/params/ModelFolder.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#ifdef PROA_HAS_MIMALLOC
#include <mimalloc.h>
#endif

#include <chrono>
#include <cstdlib>

using namespace proa;
using namespace proa::tools;

namespace {

struct Options {
  std::string path;
  std::string output = "-";
  import::ImportOptions import;
  std::vector<std::string> dims;
  bool bytecode = false;
  bool force = false;
  bool summary = false;
  bool json = false;
  bool locations = false;
  WarningChoice warnings;
  bool timing = false;
  std::string coverage; ///< "legacy", "onnx", or empty
  std::string format = "table";
  std::string cases;
  std::string to = "mlir";
  std::string parameters;
  std::string function;
  std::string html; ///< file of a picture; empty: none
  std::string other;
  std::vector<std::string> runs;
  int64_t opset = exporter::OnnxExportOptions().opset;
};

/// Time of each phase.
class Timing {
public:
  explicit Timing(bool enabled) : enabled(enabled) {}

  /// Ends a phase that began at the end of the previous one.
  void lap(const char *phase) {
    auto now = std::chrono::steady_clock::now();
    if (enabled)
      llvm::errs() << llvm::formatv("{0,-8} {1,10:f2} ms\n", phase,
                                    std::chrono::duration<double, std::milli>(now - last).count());
    last = now;
  }

private:
  bool enabled;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// The program and the form in which it is written.
void declareOutput(CommandLine &line, Options &options) {
  line.add_option("model", options.path, "Program (JSON, .pdmodel or .mlir) or model folder; '-': stdin")
      ->type_name("MODEL");
  line.add_option("-o,--output", options.output, "Output file; '-': stdout")
      ->check(checkName)
      ->type_name("FILE");
  line.add_option("--feeds", options.import.feeds,
                  "Fed variables; any variable may be fed. Ops that no fetch needs are left out")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  line.add_option("--fetches", options.import.fetches, "Fetched variables; any variable may be fetched")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  CLI::Option *to =
      line.add_option(
              "--to", options.to,
              "Format of the output: mlir; json or pdmodel: a legacy program, which Paddle 2.6 loads; "
              "folder: a legacy program with its weights, in the folder -o; onnx: an ONNX model, in the file "
              "-o")
          ->check(CLI::IsMember({"mlir", "json", "pdmodel", "folder", "onnx"}))
          ->capture_default_str();
  line.add_option(
          "--params", options.parameters,
          "With --to=folder or onnx, or --html: weights file; default: the file in the model's folder")
      ->type_name("FILE");
  line.add_option("--opset", options.opset, "With --to=onnx: opset of the model")
      ->check(CLI::Range(exporter::oldestWrittenOpset, onnx::newestOpsetVersion))
      ->type_name("N")
      ->capture_default_str();
  line.add_option("--function", options.function,
                  "Function of an IR file; default: main, else the only public function")
      ->type_name("NAME");
  line.add_flag("--bytecode", options.bytecode, "Writes MLIR bytecode instead of text")->excludes(to);
  line.add_flag("-f,--force", options.force, "Writes binary output even to a terminal");
  line.add_flag("--locations", options.locations,
                "Writes the locations of ops: the lines of the user's Python code");
}

/// Summaries, pictures and tables instead of the program.
void declareReports(CommandLine &line, Options &options) {
  CLI::Option *summary = line.add_flag(
      "--summary", options.summary, "Prints a summary instead: ops by type, operations, parameters, bytes");
  line.add_option("--dims", options.dims,
                  "Dims of the elements of feeds that are sequences (x[0]=2x3), with --summary also of feeds "
                  "that are dynamic in the program")
      ->allow_extra_args(false)
      ->check(checkFeedDims)
      ->type_name("NAME=1x3x224x224,...");
  line.takeMoreValues("--dims", isFeedDims);
  line.add_flag("--json", options.json, "Prints the summary as JSON")->needs(summary);
  CLI::Option *html =
      line.add_option("--html", options.html, "Draws the program as an HTML page (docs/pictures.md)")
          ->check(checkName)
          ->excludes(summary)
          ->type_name("FILE");
  line.add_option("--beside", options.other,
                  "With --html: draws another stage or version of the program beside it, and what changed")
      ->needs(html)
      ->type_name("MODEL");
  line.add_option(
          "--run", options.runs,
          "With --html: shows times or errors of a run, the output of proa-run --json with --profile or "
          "--compare; may be repeated")
      ->needs(html)
      ->allow_extra_args(false)
      ->type_name("FILE.json");
  CLI::Option *coverage =
      line.add_flag("--coverage{legacy}", options.coverage,
                    "Lists the legacy ops with their pd op, kernel, derivative and other rules; with "
                    "--coverage=onnx the ops of ONNX with the pd ops of their import and export")
          ->check(CLI::IsMember({"legacy", "onnx"}))
          ->excludes(summary);
  line.add_option("--format", options.format, "Format of --coverage: table, json or markdown")
      ->check(CLI::IsMember({"table", "json", "markdown"}))
      ->needs(coverage);
  line.add_option("--cases", options.cases, "With --coverage: folder of test cases to count")
      ->type_name("DIR")
      ->needs(coverage);
}

void declare(CommandLine &line, Options &options) {
  declareOutput(line, options);
  declareReports(line, options);
  line.add_flag("--timing", options.timing, "Prints the times of reading, importing and writing on stderr");
  declareWarnings(line, options.warnings);
}

bool writesWeights(const Options &options) { return options.to == "folder" || options.to == "onnx"; }

/// A program in MLIR.
struct Translation {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool isImported = false; ///< from a program of Paddle; else it was parsed
};

/// Whether the output needs op locations. Text does not. Imported modules are verified op by op, without
/// locations.
bool needsLocations(const Options &options) {
  return options.summary || options.locations || !options.html.empty() || options.bytecode ||
         options.to != "mlir" || options.path == inputPath("-");
}

/// Writes the verified module as text or bytecode.
Result<void> writeModule(mlir::ModuleOp module, const Options &options, Output &output) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream.SetBufferSize(1 << 16); // the printer writes a few characters at a time
  if (options.bytecode) {
    if (llvm::failed(mlir::writeBytecodeToFile(module, stream)))
      return errorAt(options.path, "the module cannot be written as bytecode");
  } else {
    mlir::OpPrintingFlags flags;
    flags.enableDebugInfo(options.locations, /*prettyForm=*/false);
    flags.assumeVerified(); // the printer would verify again
    module.print(stream, flags);
  }
  stream.flush();
  output.append(text);
  return {};
}

/// Refuses --function for a legacy program.
Result<void> checkFunction(const Options &options) {
  if (options.function.empty())
    return {};
  return errorAt(options.path,
                 "function '" + options.function + "' is requested, but the program is not an IR file");
}

/// Reads the dims of elements of sequences. Only a summary uses the dims of other feeds.
Result<void> readElementDims(Options &options) {
  Diagnostics diagnostics;
  FeedDims dims = parseFeedDims(options.dims, diagnostics);
  for (const auto &[name, given] : dims)
    if (!options.summary && !elementEntryOf(name))
      diagnostics.add("--dims", "'" + name + "' is not an element of a sequence, and --summary is not given");
  options.import.sequences = elementDims(dims);
  return diagnostics;
}

/// The rows in the format of `--format`.
template <class Rows> Result<void> writeRows(const Rows &rows, const Options &options) {
  return writeOutput(options.output, options.format == "json"       ? coverageJson(rows)
                                     : options.format == "markdown" ? coverageMarkdown(rows)
                                                                    : coverageTable(rows));
}

Result<void> writeCoverage(const Options &options) {
  if (options.coverage == "onnx")
    return writeRows(coverageOfOnnx(), options);
  std::map<std::string, int64_t> cases;
  if (!options.cases.empty()) {
    Result<std::map<std::string, int64_t>> counted = countCases(options.cases);
    if (!counted)
      return counted.diagnostics();
    cases = *counted;
  }
  return writeRows(coverageOfOps(cases), options);
}

/// Imports a program of Paddle.
Result<Translation> importModule(Options &options, const std::string &source,
                                 Result<translator::SourceProgram> program, mlir::MLIRContext &context,
                                 Timing &timing) {
  if (!program)
    return program.diagnostics();
  if (Result<void> done = checkFunction(options); !done)
    return done.diagnostics();
  timing.lap("read");
  options.import.source = source;
  WarningPrinter warnings(options.warnings);
  if (!options.warnings.printsNone())
    options.import.onDiagnostic = [&](const Diagnostic &warning) { warnings.add(warning); };
  if (Result<void> read = readElementDims(options); !read)
    return read.diagnostics();
  auto imported = import::importProgram(context, *program, options.import);
  options.import.onDiagnostic = {};
  warnings.finish();
  timing.lap("import");
  // Not freed: freeing a large program is slow, and the process ends soon.
  new translator::SourceProgram(std::move(*program));
  if (!imported)
    return imported.diagnostics();
  return Translation{std::move(*imported), true};
}

/// The names of the dialects that the context may load: "a, b, c".
std::string dialectsOf(mlir::MLIRContext &context) {
  return llvm::join(context.getAvailableDialects(), ", ");
}

/// Parses a whole IR file.
Result<Translation> parseModule(const std::string &text, const Options &options, mlir::MLIRContext &context) {
  DiagnosticCollector errors(&context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, options.path);
  if (module)
    return Translation{std::move(module)};
  Diagnostics diagnostics = errors.take(options.path + ": does not parse");
  if (llvm::any_of(diagnostics, [](const Diagnostic &d) { return d.message.starts_with("Dialect `"); }))
    diagnostics.add(options.path,
                    "expected ops of the dialects " + dialectsOf(context) + "; proa-opt reads all dialects");
  return diagnostics;
}

IrRequest irRequest(const Options &options) {
  return {options.path, options.function, options.import.feeds, options.import.fetches};
}

/// Reads the program as MLIR: parsed, or imported from a Paddle format.
Result<Translation> readModule(Options &options, mlir::MLIRContext &context, Timing &timing) {
  llvm::StringRef path = options.path;
  if (isIr(path, "") || path == inputPath("-")) {
    Result<std::string> text = readFile(options.path);
    if (!text)
      return text.diagnostics();
    bool isSubgraph =
        !options.function.empty() || !options.import.feeds.empty() || !options.import.fetches.empty();
    if (isIr(path, *text) && isSubgraph) {
      auto module = readIr(context, *text, irRequest(options));
      timing.lap("read");
      return module ? Result<Translation>(Translation{std::move(*module)}) : module.diagnostics();
    }
    if (isIr(path, *text)) {
      Result<Translation> parsed = parseModule(*text, options, context);
      timing.lap("read");
      return parsed;
    }
    return importModule(options, options.path, translator::readProgramText(*text, options.path), context,
                        timing);
  }
  Result<params::ModelFiles> files = params::findModel(options.path);
  if (!files)
    return files.diagnostics();
  if (Result<void> done = readInterface(*files, options.import); !done)
    return done.diagnostics();
  Result<translator::SourceProgram> program = translator::readProgram(files->program);
  // Types of stored weights override declared ones. Unreadable weights are ignored.
  if (program && files->weightsForm != params::WeightsForm::Generated)
    (void)static_cast<bool>(params::readParameters(*files, *program));
  return importModule(options, files->program, std::move(program), context, timing);
}

/// Writes the module in the format of `--to`.
Result<void> writeContent(Translation &translation, const Options &options, Output &output) {
  DiagnosticCollector errors(translation.module->getContext());
  if (llvm::failed(mlir::verify(*translation.module)))
    return errors.take(options.path + ": the module is invalid");
  if (options.to == "mlir")
    return writeModule(*translation.module, options, output);
  Result<legacy::Program> program = exporter::exportProgram(*translation.module);
  if (!program)
    return program.diagnostics();
  if (options.to == "json")
    legacy::writeJson(*program, [&](std::string_view text) { output.append(text); });
  else
    output.append(legacy::writeBinary(*program));
  return {};
}

/// Operations are not counted for a program that cannot be imported; ops, parameters and bytes are.
Result<void> addFlops(Options &options, const translator::SourceProgram &program, ProgramSummary &summary) {
  Diagnostics diagnostics;
  FeedDims dims = parseFeedDims(options.dims, diagnostics);
  if (!diagnostics.empty())
    return diagnostics;
  mlir::DialectRegistry registry;
  registerProgramDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  options.import.sequences = elementDims(dims);
  auto module = import::importProgram(context, program, options.import);
  if (!module) {
    if (!options.warnings.printsNone())
      llvm::errs() << "warning: " << options.path
                   << ": cannot be imported, so its operations are not counted ("
                   << module.diagnostics().size() << " problems, listed without --summary)\n";
    return {};
  }
  if (Result<void> done = specializeFeeds(**module, dims); !done)
    return done;
  for (OpSummary &op : summary.types) // also those without a mapping
    op.supported = true;
  tools::addFlops(summary, program, countFlops(**module));
  return {};
}

/// The summary of an IR file.
Result<ProgramSummary> summaryOfIr(const Options &options, const std::string &text) {
  Diagnostics diagnostics;
  FeedDims dims = parseFeedDims(options.dims, diagnostics);
  mlir::DialectRegistry registry;
  registerProgramDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = readIr(context, text, irRequest(options));
  if (!module)
    diagnostics.append(module.diagnostics());
  else
    diagnostics.append(specializeFeeds(**module, dims).diagnostics());
  if (!diagnostics.empty())
    return diagnostics;
  return summarizeIr(**module);
}

Result<void> writeSummary(Options &options) {
  Result<params::ModelFiles> files = params::findModel(options.path);
  if (!files)
    return files.diagnostics();
  Result<std::string> text = readFile(files->program);
  if (!text)
    return text.diagnostics();
  if (isIr(files->program, *text)) {
    Result<ProgramSummary> summary = summaryOfIr(options, *text);
    if (!summary)
      return summary.diagnostics();
    return writeOutput(options.output, options.json ? summaryJson(*summary) : summaryText(*summary));
  }
  if (Result<void> done = checkFunction(options); !done)
    return done;
  Result<translator::SourceProgram> program = translator::readProgramText(*text, files->program);
  if (!program)
    return program.diagnostics();
  if (Result<void> done = readInterface(*files, options.import); !done)
    return done;
  ProgramSummary summary = summarize(*program);
  if (Result<void> done = addFlops(options, *program, summary); !done)
    return done;
  return writeOutput(options.output, options.json ? summaryJson(summary) : summaryText(summary));
}

/// Writes a program with its weights: a folder, or an ONNX file.
Result<void> translateWithWeights(Options &options) {
  bool isOnnx = options.to == "onnx";
  if (options.output == "-")
    return errorAt("-o",
                   isOnnx ? "expected a file name for --to=onnx" : "expected a folder name for --to=folder");
  WarningPrinter warnings(options.warnings);
  options.import.onDiagnostic = [&](const Diagnostic &warning) { warnings.add(warning); };
  FolderRequest request{options.path, options.function, options.parameters, options.output, options.import};
  return isOnnx ? writeOnnx(request, options.opset) : writeFolder(request);
}

Result<void> translate(Options options) {
  if (!options.coverage.empty())
    return writeCoverage(options);
  if (options.summary)
    return writeSummary(options);
  if (!options.html.empty())
    return writePicture({{options.path, options.function, options.parameters, options.html, options.import},
                         options.other,
                         options.runs});
  if (writesWeights(options))
    return translateWithWeights(options);
  Timing timing(options.timing);
  mlir::DialectRegistry registry;
  registerProgramDialects(registry);
  // Ops are created by one thread, so the context needs no locks.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // the op may be the whole module
  timing.lap("start");
  Result<Translation> translation = readModule(options, context, timing);
  if (!translation)
    return translation.diagnostics();
  std::optional<mlir::ScopedDiagnosticHandler> withoutLocations;
  bool lacksLocations = translation->isImported && !options.import.locations;
  if (lacksLocations)
    withoutLocations.emplace(&context, [](mlir::Diagnostic &) { return llvm::success(); });
  Output output(options.output);
  Result<void> content = writeContent(*translation, options, output);
  if (!content && lacksLocations) {
    // Read again, with locations for the errors.
    options.import.locations = true;
    options.warnings.mode = WarningChoice::none;
    return translate(std::move(options));
  }
  if (!content)
    return content;
  Result<void> written = output.finish();
  timing.lap("write");
  if (!written)
    return written;
  // The process ends here: freeing a million ops takes longer than writing them.
  std::_Exit(finishOutput(ExitCode::success));
}

/// The process is short. Memory is not returned to the kernel, which would clear its pages again, and pages
/// are large from the start of a thread.
void keepMemory() {
#ifdef PROA_HAS_MIMALLOC
  mi_option_enable(mi_option_large_os_pages);
  mi_option_set(mi_option_eager_commit_delay, 0);
#if MI_MALLOC_VERSION >= 210
  mi_option_set(mi_option_purge_delay, -1);
#else
  mi_option_disable(mi_option_allow_decommit);
#endif
#endif
}

} // namespace

int main(int argc, char **argv) {
  keepMemory();
  Options options;
  CommandLine line(
      "proa-translate",
      "Imports a program of Paddle into the pd dialect, summarizes it, or exports it to a legacy program or "
      "to ONNX.",
      "  proa-translate test/corpus/models/nlp/bert\n"
      "  proa-translate model.pdmodel -o model.mlir\n"
      "  proa-translate program.json --bytecode -o model.mlirbc\n"
      "  proa-translate model.mlir --to=pdmodel -o model.pdmodel\n"
      "  proa-translate resnet50 --to=onnx --opset=17 -o resnet50.onnx\n"
      "  proa-translate resnet50 --feeds relu_0.tmp_0 --fetches pool2d_1.tmp_0 --to=folder -o subgraph\n"
      "  proa-translate model.pdmodel --summary --dims image=1x3x224x224\n"
      "  proa-translate --coverage --format=json\n");
  declare(line, options);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  options.path = inputPath(options.path);
  options.import.locations = needsLocations(options);
  if (options.path.empty() == options.coverage.empty())
    return failCommandLine(line, !options.coverage.empty() ? "--coverage lists all ops and takes no model"
                                                           : "model is required");
  if (!writesWeights(options) && options.html.empty() && !options.parameters.empty())
    return failCommandLine(
        line, "--params is for --to=folder and --to=onnx, and for --html: other forms hold no weights");
  if (options.to != "folder" && (options.bytecode || options.to == "pdmodel"))
    if (std::string wrong = checkBinaryOutput(options.output, options.force); !wrong.empty())
      return failCommandLine(line, wrong);
  if (Diagnostics diagnostics; options.to != "folder")
    if (checkOutputFile(options.output, diagnostics); !diagnostics.empty())
      return fail(diagnostics);
  return runTool(line, [&] {
    Result<void> done = translate(std::move(options));
    return done ? static_cast<int>(ExitCode::success) : fail(done.diagnostics());
  });
}
