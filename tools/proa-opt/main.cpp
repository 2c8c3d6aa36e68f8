// proa-opt: runs passes of proa and of MLIR on IR files.
#include "dialects/proa/Proa.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/numerics/NumericsCheck.h"
#include "passes/patterns/Passes.h"
#include "passes/remarks/OpCounts.h"
#include "passes/remarks/Remarks.h"
#include "passes/target/Passes.h"
#include "tools/common/CommandLine.h"
#include "tools/common/FileErrors.h"
#include "tools/common/MlirArguments.h"
#include "tools/common/MlirTool.h"
#include "tools/common/ProgressBar.h"
#include "tools/proa-opt/Help.h"
#include "translator/params/Safetensors.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

namespace cl = llvm::cl;

namespace {

struct Options {
  cl::opt<std::string> remarks{
      "remarks", cl::value_desc("regex"),
      cl::desc("Prints what passes with a matching name did and why they left an op unchanged")};
  cl::opt<bool> statistics{
      "pass-statistics",
      cl::desc("Prints for each pass the ops before and after it, and the number of ops that it changed, and "
               "that it left unchanged with a reason (--remarks prints both); as --mlir-pass-statistics")};
  cl::list<std::string> explainSharding{
      "explain-sharding", cl::value_desc("value"),
      cl::desc("Prints the decisions of dist-propagate that gave a value its sharding; may be repeated")};
  cl::list<std::string> patterns{
      "pdl-patterns", cl::value_desc("file"),
      cl::desc("Applies patterns in PDLL (*.pdll, or *.mlir of mlir-pdll) before the other passes, as "
               "--pd-apply-patterns does; may be repeated")};
  cl::opt<std::string> cpu{"cpu", cl::value_desc("name"),
                           cl::desc("The CPU of the target: avx2, avx512 or generic; see --print-target")};
  cl::opt<std::string> chip{"chip", cl::value_desc("name"),
                            cl::desc("The GPU of the target, such as sm_90a")};
  cl::opt<std::string> targetFacts{
      "target-facts", cl::value_desc("file"),
      cl::desc("JSON file of facts of the target that differ from the known ones")};
  cl::opt<bool> printTarget{"print-target",
                            cl::desc("Prints the facts of the target that these options describe, and ends")};
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"), cl::init("-")};
  cl::opt<std::string> output{"o", cl::desc("Output filename"), cl::value_desc("filename"), cl::init("-")};
  cl::opt<bool> force{"f", cl::desc("Writes bytecode even to a terminal")};
  cl::opt<bool> checkNumerics{
      "check-numerics",
      cl::desc(
          "Runs the program before and after each pass and names the first pass that changes its results")};
  cl::opt<bool> bisect{
      "check-numerics-bisect",
      cl::desc("With --check-numerics: names the first rewrite of a pass that changed a result")};
  cl::opt<uint64_t> seed{"check-numerics-seed", cl::init(0),
                         cl::desc("Seed of the random inputs of --check-numerics")};
  cl::opt<int64_t> dynamicDim{"check-numerics-dynamic-dim", cl::init(2),
                              cl::desc("Size of dynamic dims in --check-numerics")};
  cl::opt<int64_t> samples{
      "check-numerics-samples", cl::init(1),
      cl::desc("Number of samples of random inputs in --check-numerics; samples with zeros, small "
               "and large numbers, NaN and infinities are added")};
  cl::opt<bool> finite{"check-numerics-finite",
                       cl::desc("Leaves out the samples of --check-numerics with NaN and infinities")};
  cl::opt<std::string> range{
      "check-numerics-range", cl::value_desc("LOW,HIGH"),
      cl::desc("Bounds of the random inputs of --check-numerics, also of integers; default: "
               "floats in [-1, 1), integers 0 or 1")};
  cl::opt<std::string> inputs{
      "check-numerics-inputs", cl::value_desc("file.safetensors"),
      cl::desc("Inputs of --check-numerics by name (feeds, parameters, argument0, ...)")};
  cl::opt<double> tolerance{"check-numerics-tolerance", cl::init(0),
                            cl::desc("Relative and absolute tolerance of --check-numerics; default by the "
                                     "narrowest floats: 1e-9 (float64), 1e-4 "
                                     "(float32), 2e-2")};
};

/// `base` with remarks of the passes in each pass manager. `counts` may be null.
mlir::MlirOptMainConfig withRemarks(const mlir::MlirOptMainConfig &base, const std::string &passes,
                                    proa::RemarkCounts *counts) {
  mlir::MlirOptMainConfig config = base;
  config.setPassPipelineSetupFn([base, passes, counts](mlir::PassManager &pm) {
    std::string error;
    if (failed(proa::enableRemarks(*pm.getContext(), passes, error, counts)))
      return llvm::failure();
    return base.setupPassPipeline(pm);
  });
  return config;
}

/// `base` with printFileErrors. --verify-diagnostics needs the diagnostics as they are.
mlir::MlirOptMainConfig withFileErrors(const mlir::MlirOptMainConfig &base) {
  if (base.shouldVerifyDiagnostics())
    return base;
  mlir::MlirOptMainConfig config = base;
  config.setPassPipelineSetupFn([base](mlir::PassManager &pm) {
    proa::tools::printFileErrors(*pm.getContext());
    return base.setupPassPipeline(pm);
  });
  return config;
}

/// `base` with the ops that each pass adds and removes in `table`.
mlir::MlirOptMainConfig withOpCounts(const mlir::MlirOptMainConfig &base, proa::OpCountTable &table) {
  mlir::MlirOptMainConfig config = base;
  config.setPassPipelineSetupFn([base, &table](mlir::PassManager &pm) {
    pm.addInstrumentation(std::make_unique<proa::OpCounts>(table));
    return base.setupPassPipeline(pm);
  });
  return config;
}

/// Whether MLIR's option is given. Packages of LLVM are built without the statistics that it prints.
bool asksForStatistics() {
  const auto &registered = cl::getRegisteredOptions();
  auto option = registered.find("mlir-pass-statistics");
  return option != registered.end() && option->second->getNumOccurrences() > 0;
}

/// `base` on a module with the target of the options.
mlir::MlirOptMainConfig withTarget(const mlir::MlirOptMainConfig &base, const Options &options) {
  mlir::MlirOptMainConfig config = base;
  config.setPassPipelineSetupFn([base, &options](mlir::PassManager &pm) {
    proa::SetTargetOptions target;
    target.cpu = options.cpu;
    target.gpu = options.chip;
    target.facts = options.targetFacts;
    pm.addPass(proa::createSetTarget(target));
    return base.setupPassPipeline(pm);
  });
  return config;
}

/// --print-target. The pass sets the target of an empty module.
int printTarget(const Options &options) {
  mlir::MLIRContext context;
  proa::tools::printFileErrors(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  mlir::PassManager pm(&context);
  if (failed(withTarget({}, options).setupPassPipeline(pm)) || failed(pm.run(*module)))
    return EXIT_FAILURE;
  llvm::outs() << proa::describe(proa::targetOf(*module));
  return proa::tools::finishOutput(EXIT_SUCCESS);
}

/// `base` after the patterns of files.
mlir::MlirOptMainConfig withPatterns(const mlir::MlirOptMainConfig &base,
                                     const std::vector<std::string> &files) {
  mlir::MlirOptMainConfig config = base;
  config.setPassPipelineSetupFn([base, files](mlir::PassManager &pm) {
    pm.addPass(proa::createApplyPatterns({llvm::to_vector(files)}));
    return base.setupPassPipeline(pm);
  });
  return config;
}

/// `base` with the option `explain` of dist-propagate.
mlir::MlirOptMainConfig withExplanations(const mlir::MlirOptMainConfig &base,
                                         const std::vector<std::string> &values) {
  mlir::MlirOptMainConfig config = base;
  config.setPassPipelineSetupFn([base, values](mlir::PassManager &pm) {
    if (failed(base.setupPassPipeline(pm)))
      return llvm::failure();
    auto fail = [](const llvm::Twine &message) {
      llvm::errs() << "error: --explain-sharding: " << message << "\n";
      return llvm::failure();
    };
    bool isFound = false;
    for (mlir::Pass &pass : pm.getPasses())
      if (pass.getArgument() == "dist-propagate") {
        isFound = true;
        if (failed(pass.initializeOptions("explain=" + llvm::join(values, ","), fail)))
          return llvm::failure();
      }
    return isFound ? llvm::success() : fail("expected the pass dist-propagate in the pipeline of the module");
  });
  return config;
}

/// The inputs of --check-numerics.
proa::Result<proa::numerics::SampleOptions> samplesOf(const Options &options) {
  proa::Diagnostics diagnostics;
  proa::numerics::SampleOptions samples{.seed = options.seed,
                                        .dynamicDim = options.dynamicDim,
                                        .count = options.samples,
                                        .range = {},
                                        .isFinite = options.finite,
                                        .inputs = {}};
  if (options.dynamicDim < 0)
    diagnostics.add("", "--check-numerics-dynamic-dim is " + std::to_string(options.dynamicDim) +
                            ", expected a non-negative number");
  if (options.samples < 1)
    diagnostics.add("", "--check-numerics-samples is " + std::to_string(options.samples) +
                            ", expected 1 or more");
  if (options.range.getNumOccurrences() > 0) {
    auto [low, high] = llvm::StringRef(options.range).split(',');
    std::pair<double, double> range;
    if (low.trim().getAsDouble(range.first) || high.trim().getAsDouble(range.second) ||
        !(range.first < range.second))
      diagnostics.add("",
                      "--check-numerics-range is '" + options.range + "', expected LOW,HIGH with LOW < HIGH");
    samples.range = range;
  }
  if (!options.inputs.empty()) {
    auto inputs = proa::params::readSafetensors(options.inputs);
    if (inputs)
      samples.inputs = std::move(*inputs);
    else
      diagnostics.append(inputs.diagnostics());
  }
  if (!diagnostics.empty())
    return diagnostics;
  return samples;
}

/// MLIR's options, with a numerical check in each pass manager.
mlir::MlirOptMainConfig checking(const mlir::MlirOptMainConfig &given, const Options &options,
                                 const proa::numerics::SampleOptions &samples,
                                 proa::numerics::NumericsReport &report, proa::tools::ProgressBar &bar) {
  mlir::MlirOptMainConfig config = given;
  config.setPassPipelineSetupFn([&, given](mlir::PassManager &pm) {
    pm.getContext()->disableMultithreading();
    proa::numerics::NumericsCheckOptions check{
        .samples = samples, .tolerance = {}, .bisects = options.bisect, .progress = {}};
    if (options.tolerance.getNumOccurrences() > 0)
      check.tolerance = options.tolerance;
    check.progress = [&bar](const std::string &what) { bar.show(what, 0); };
    pm.addInstrumentation(std::make_unique<proa::numerics::NumericsCheck>(check, report));
    return given.setupPassPipeline(pm);
  });
  return config;
}

/// MLIR's main function, except that the output file is written as a whole, and only if the passes succeed.
int run(const std::string &input, const std::string &output, mlir::DialectRegistry &registry,
        const mlir::MlirOptMainConfig &config) {
  proa::Diagnostics diagnostics;
  if (std::string wrong = proa::tools::checkName(output); !wrong.empty())
    diagnostics.add("-o", wrong);
  proa::tools::checkOutputFile(output, diagnostics);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(input, &error);
  if (!file)
    diagnostics.add("", error);
  else if (llvm::StringRef text = file->getBuffer().ltrim();
           text.starts_with("{") && !text.starts_with("{-#"))
    diagnostics.add(input, "found JSON, expected MLIR; proa-translate imports Paddle programs");
  if (!diagnostics.empty())
    return proa::tools::fail(diagnostics);
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool succeeded = llvm::succeeded(mlir::MlirOptMain(stream, std::move(file), registry, config));
  if (succeeded || output == "-") // stdout gets the modules before the failed one
    if (proa::Result<void> written = proa::tools::writeOutput(output, text); !written)
      return proa::tools::fail(written.diagnostics());
  return proa::tools::finishOutput(succeeded ? EXIT_SUCCESS : EXIT_FAILURE);
}

/// Runs the passes with what the options of proa add to MLIR's configuration.
int runPasses(const Options &options, mlir::MlirOptMainConfig config, mlir::DialectRegistry &registry) {
  if (!options.patterns.empty())
    config = withPatterns(config, {options.patterns.begin(), options.patterns.end()});
  if (!options.cpu.empty() || !options.chip.empty() || !options.targetFacts.empty())
    config = withTarget(config, options);
  proa::RemarkCounts counts;
  proa::OpCountTable opCounts;
  bool printsStatistics = options.statistics || (asksForStatistics() && !config.shouldEmitRemarks());
  if (printsStatistics)
    config = withOpCounts(config, opCounts);
  if (bool remarks = options.remarks.getNumOccurrences() > 0; remarks || printsStatistics) {
    if (std::string own = remarks ? "--remarks" : "--pass-statistics"; config.shouldEmitRemarks())
      return proa::tools::failCommandLine(
          proa::errorAt(own, "expected one of " + own + " and --remarks-filter, found both"));
    if (proa::Diagnostics diagnostics =
            remarks ? proa::tools::checkRemarks(options.remarks) : proa::Diagnostics();
        !diagnostics.empty())
      return proa::tools::failCommandLine(diagnostics);
    config = withRemarks(config, options.remarks, printsStatistics ? &counts : nullptr);
  }
  if (!options.explainSharding.empty())
    config = withExplanations(config, {options.explainSharding.begin(), options.explainSharding.end()});
  if (options.input == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "(reads from stdin now)\n";
  proa::numerics::NumericsReport report;
  proa::tools::ProgressBar bar;
  std::optional<proa::numerics::SampleOptions> samples;
  if (options.checkNumerics) {
    auto read = samplesOf(options);
    if (!read)
      return proa::tools::failCommandLine(read.diagnostics());
    samples = std::move(*read);
    config = checking(config, options, *samples, report, bar);
  }
  int code = run(options.input, options.output, registry, config);
  bar.clear();
  if (printsStatistics)
    llvm::errs() << opCounts.text() << counts.table();
  if (options.checkNumerics)
    llvm::errs() << report.text() << "\n";
  return report.differs ? EXIT_FAILURE : code;
}

} // namespace

int main(int argc, char **argv) {
  proa::tools::setToolVersion("proa-opt");
  mlir::DialectRegistry registry;
  proa::registerAllDialects(registry);
  proa::registerAllPasses();
  for (int i = 1; i < argc; ++i)
    if (llvm::StringRef argument = argv[i]; argument == "--help" || argument == "-help" || argument == "-h") {
      proa::tools::printHelp();
      return 0;
    } else if (argument == "--help-all") {
      argv[i] = const_cast<char *>("--help"); // LLVM hides none of its options
    }
  auto others = proa::tools::loadPassPlugins(argc, argv);
  if (!others)
    return proa::tools::fail(others.diagnostics());
  argc = static_cast<int>(others->size());
  others->push_back(nullptr);
  argv = others->data();
  Options options;
  llvm::InitLLVM init(argc, argv);
  std::string title = mlir::registerCLIOptions("proa's pass driver", registry);
  if (proa::Diagnostics diagnostics = proa::tools::checkArguments(argc, argv); !diagnostics.empty())
    return proa::tools::failCommandLine(diagnostics);
  std::vector<char *> arguments = proa::tools::completeArguments(argc, argv);
  if (!cl::ParseCommandLineOptions(static_cast<int>(arguments.size()), arguments.data(), title,
                                   &llvm::errs()))
    return proa::tools::ExitCode::wrongCommandLine;
  proa::tools::printNoOpsWithErrors();
  if (proa::Diagnostics diagnostics = proa::tools::checkPasses(argc, argv); !diagnostics.empty())
    return proa::tools::failCommandLine(diagnostics);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldEmitBytecode())
    if (std::string wrong = proa::tools::checkBinaryOutput(options.output, options.force); !wrong.empty())
      return proa::tools::fail(proa::errorAt("--emit-bytecode", wrong));
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, options.input, options.output, registry));
  if (options.printTarget)
    return printTarget(options);
  return runPasses(options, withFileErrors(config), registry);
}
