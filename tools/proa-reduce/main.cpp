// proa-reduce: reduces an IR file while a test script still finds it interesting.
#include "lib/compiler/compile/Registration.h"
#include "tools/common/CommandLine.h"
#include "tools/common/FileErrors.h"
#include "tools/common/MlirArguments.h"
#include "tools/common/MlirTool.h"
#include "tools/proa-reduce/ReducePass.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Support/FileUtilities.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

namespace cl = llvm::cl;
using namespace proa::tools;

namespace {

constexpr const char *help =
    R"(proa-reduce: reduces an IR file while a test still finds it interesting

Usage: proa-reduce <input file> --reduce='test=<script>' [-o <file>]

The script gets the path of a candidate. It exits with 1 if the candidate is interesting (fails as the input
does), and with 0 if it is not.

Example, for an input on which a pass crashes:
  printf '#!/bin/sh\n! proa-opt --proa-cpu "$1" 2>&1 | grep -q "the message"\n' > test.sh; chmod +x test.sh
  proa-reduce failing.mlir --reduce=test=./test.sh -o small.mlir

Options:
  -o <file>                                          Output file; '-': stdout
  --reduce='test=<script>'                           Removes ops, functions, results and arguments; replaces
                                                     those that are used by other values
  --reduction-tree='traversal-mode=0 test=<script>'  MLIR's reducer: removes unused ops and functions
  --opt-reduction-pass='opt-pass=<pass> test=<script>'
                                                     Runs a pass and keeps its result if it is interesting
  --help, -h                                         Prints this page
  --help-all                                         Prints all passes and all options of LLVM
  --version

Exit codes: 0 done, 1 something failed, 2 wrong command line.
)";

/// MLIR's main function, except that the output file is written as a whole, and only if the passes succeed.
int run(const std::string &input, const std::string &output, const mlir::PassPipelineCLParser &pipeline,
        mlir::MLIRContext &context) {
  proa::Diagnostics diagnostics;
  if (std::string wrong = checkName(output); !wrong.empty())
    diagnostics.add("-o", wrong);
  checkOutputFile(output, diagnostics);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(input, &error);
  if (!file)
    diagnostics.add("", error);
  if (!diagnostics.empty())
    return fail(diagnostics);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  printFileErrors(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return ExitCode::failure;
  mlir::PassManager passes(&context);
  auto onError = [&](const llvm::Twine &message) {
    mlir::emitError(module->getLoc()) << message;
    return mlir::failure();
  };
  if (mlir::failed(pipeline.addToPipeline(passes, onError)) || mlir::failed(passes.run(*module)))
    return ExitCode::failure;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  if (proa::Result<void> written = writeOutput(output, text); !written)
    return fail(written.diagnostics());
  return finishOutput(ExitCode::success);
}

} // namespace

int main(int argc, char **argv) {
  setToolVersion("proa-reduce");
  if (answerHelp(argc, argv, help))
    return 0;
  mlir::DialectRegistry registry;
  proa::registerAllDialects(registry);
  proa::registerAllPasses();
  mlir::registerReducerPasses();
  registerReducePass();
  llvm::InitLLVM init(argc, argv);
  cl::opt<std::string> input(cl::Positional, cl::Required, cl::desc("<input file>"));
  cl::opt<std::string> output("o", cl::desc("Output file"), cl::init("-"));
  mlir::PassPipelineCLParser pipeline("", "Passes that reduce");
  if (proa::Diagnostics diagnostics = checkArguments(argc, argv); !diagnostics.empty())
    return failCommandLine(diagnostics);
  if (!cl::ParseCommandLineOptions(argc, argv, "proa's reducer\n", &llvm::errs()))
    return ExitCode::wrongCommandLine;
  if (!pipeline.hasAnyOccurrences())
    return failCommandLine(proa::errorAt("proa-reduce", "no reducing pass, expected --reduce='test=SCRIPT'"));
  if (proa::Diagnostics diagnostics = checkPasses(argc, argv); !diagnostics.empty())
    return failCommandLine(diagnostics);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // the op may be the whole module
  return run(input, output, pipeline, context);
}
