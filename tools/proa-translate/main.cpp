// proa-translate: turns a legacy program into MLIR, or says what it consists of.
#include "lib/check/CaseMeta.h"
#include "lib/driver/Registration.h"
#include "lib/support/Files.h"
#include "tools/common/CommandLine.h"
#include "tools/proa-translate/Summary.h"
#include "translator/import/Import.h"
#include "translator/legacy/ReadProgram.h"
#include "translator/params/ModelFolder.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include "llvm/Support/raw_ostream.h"

using namespace proa;
using namespace proa::tools;

namespace {

struct Options {
  std::string path;
  std::string output = "-";
  import::ImportOptions import;
  bool bytecode = false;
  bool summary = false;
  bool json = false;
  bool locations = false;
  bool quiet = false;
};

void declare(CommandLine &line, Options &options) {
  line.add_option("model", options.path, "Program (JSON or .pdmodel), or the folder of one")
      ->required()
      ->type_name("MODEL");
  line.add_option("-o,--output", options.output, "Where the result is written; '-': stdout")
      ->type_name("FILE");
  line.add_option("--feeds", options.import.feeds, "Fed variables, for programs without feed ops")
      ->delimiter(',')
      ->type_name("NAME,...");
  line.add_option("--fetches", options.import.fetches, "Fetched variables, for programs without fetch ops")
      ->delimiter(',')
      ->type_name("NAME,...");
  line.add_flag("--bytecode", options.bytecode, "Writes MLIR bytecode instead of text");
  line.add_flag("--locations", options.locations, "Writes where the user's Python code made each op");
  CLI::Option *summary = line.add_flag("--summary", options.summary,
                                       "Counts ops by type, parameters and bytes; translates nothing");
  line.add_flag("--json", options.json, "The summary as JSON")->needs(summary);
  line.add_flag("-q,--quiet", options.quiet, "No warnings");
}

Result<void> write(const Options &options, const std::string &content) {
  if (options.output != "-")
    return writeFile(options.output, content);
  llvm::outs() << content;
  return {};
}

Result<std::string> textOf(mlir::ModuleOp module, const Options &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (options.bytecode) {
    if (llvm::failed(mlir::writeBytecodeToFile(module, stream)))
      return problem(options.path, "the module can not be written as bytecode");
    return text;
  }
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(options.locations, /*prettyForm=*/false);
  module.print(stream, flags);
  return text;
}

/// A case folder says what an op or training program is fed and what is fetched.
Result<void> readInterface(const std::string &meta, import::ImportOptions &options) {
  if (meta.empty())
    return {};
  Result<check::CaseMeta> read = check::readCaseMeta(meta);
  if (!read)
    return read.problems();
  if (options.feeds.empty())
    options.feeds = read->feeds;
  if (options.fetches.empty())
    options.fetches = read->fetches;
  return {};
}

Result<void> translate(Options options) {
  Result<params::ModelFiles> files = params::findModel(options.path);
  if (!files)
    return files.problems();
  const std::string &file = files->program;
  Result<legacy::Program> program = legacy::readProgram(file);
  if (!program)
    return program.problems();
  if (options.summary) {
    ProgramSummary summary = summarize(*program);
    return write(options, options.json ? summaryJson(summary) : summaryText(summary));
  }
  if (Result<void> done = readInterface(files->meta, options.import); !done)
    return done;
  options.import.source = file;
  if (!options.quiet)
    options.import.warn = [](const std::string &where, const std::string &message) {
      llvm::errs() << "warning: " << where << ": " << message << "\n";
    };
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = import::importProgram(context, *program, options.import);
  if (!module)
    return module.problems();
  if (llvm::failed(mlir::verify(**module)))
    return problem(file, "the translated module does not verify; see above");
  Result<std::string> text = textOf(**module, options);
  if (!text)
    return text.problems();
  return write(options, *text);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CommandLine line("proa-translate",
                   "Turns a legacy program into MLIR text of the pd dialect, or says what it consists of.",
                   "  proa-translate test/corpus/models/nlp/bert\n"
                   "  proa-translate model.pdmodel -o model.mlir\n"
                   "  proa-translate program.json --bytecode -o model.mlirbc\n"
                   "  proa-translate model.pdmodel --summary\n");
  declare(line, options);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  Result<void> done = translate(std::move(options));
  return done ? ExitCode::success : fail(done.problems());
}
