//! Compilation of imported IR to a plan and object code.
#include "lib/compiler/compile/Compile.h"

#include "lib/compiler/compile/Backend.h"
#include "lib/compiler/compile/DescribeTarget.h"
#include "lib/compiler/compile/RemarkReporter.h"

#include "dialects/pd/ir/Arithmetic.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/proa/Proa.h"

#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Files.h"
#include "lib/base/support/Verification.h"
#include "lib/compiler/codegen/CompileKernels.h"
#include "lib/compiler/planner/BuildPlan.h"
#include "lib/runtime/host/CpuFeatures.h"
#include "lib/runtime/kernels/common/DescribedKernel.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/device/Passes.h"
#include "passes/fuse/Passes.h"
#include "passes/lower-cpu/Passes.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-linalg/Passes.h"
#include "passes/offload/Passes.h"
#include "passes/patterns/Passes.h"
#include "passes/pipeline/Passes.h"
#include "passes/remarks/Remarks.h"
#include "passes/spmd/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

#include <filesystem>

using namespace mlir;

namespace proa {
namespace {

/// Removes state results that are the parameter itself, such as the running mean of a normalization at
/// inference. The parameter is then a constant, and so is everything computed from it.
void dropUnchangedStates(func::FuncOp main) {
  auto exit = cast<func::ReturnOp>(main.getBody().front().getTerminator());
  llvm::BitVector unchanged(main.getNumResults());
  for (auto [i, value] : llvm::enumerate(exit.getOperands())) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto state = main.getResultAttrOfType<StringAttr>(i, pd::stateAttribute);
    if (argument && state &&
        main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::parameterAttribute) == state)
      unchanged.set(i);
  }
  exit->eraseOperands(unchanged);
  (void)main.eraseResults(unchanged);
}

/// Whether a run changes states: sums that differ by rounding would differ more from step to step.
bool hasStates(func::FuncOp main) {
  return llvm::any_of(llvm::seq(main.getNumResults()), [&](unsigned i) {
    return main.getResultAttrOfType<StringAttr>(i, pd::stateAttribute) != nullptr;
  });
}

/// Reports constructs that a plan does not support: it is a plan of one function, which calls only kernels.
LogicalResult verifyProgram(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isDeclaration() || !main.getBody().hasOneBlock())
    return module.emitError("the module has no function 'main' with one block");
  bool isCorrect = true;
  main.walk([&](func::CallOp call) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (callee && callee->hasAttr(kernelAttribute) && !callee.isDeclaration())
      return;
    call.emitError()
        << "'@" << call.getCallee()
        << "' is called, but it is not a kernel (a function with the attribute 'proa.kernel'), expected "
           "the call to be inlined (--inline)";
    isCorrect = false;
  });
  return success(isCorrect);
}

/// Moves kernel functions to their own module for the code generator.
OwningOpRef<ModuleOp> takeKernels(ModuleOp module) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  copyTarget(module, *kernels);
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function->hasAttr(kernelAttribute)) {
      function->remove();
      kernels->push_back(function);
    }
  return kernels;
}

} // namespace

Result<void> dumpStage(ModuleOp module, const std::string &directory, const char *stage) {
  if (directory.empty())
    return {};
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return errorAt(directory, "cannot create the folder: " + error.message());
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return writeFile(directory + "/" + stage + ".mlir", text);
}

Result<std::vector<std::string>> cpuFeaturesOf(const std::string &cpu) {
  CodegenOptions options;
  options.cpu = cpu;
  return targetFeatures(options, runtime::knownCpuFeatures());
}

Result<void> checkRunsHere(const std::string &cpu) {
  auto needed = cpuFeaturesOf(cpu);
  if (!needed)
    return needed.diagnostics();
  std::vector<std::string> missing = runtime::missingCpuFeatures(*needed);
  if (missing.empty())
    return {};
  return errorAt("CPU '" + cpu + "'", "it has " + llvm::join(missing, ", ") + ", which this machine lacks");
}

Result<void> formKernels(ModuleOp module, const PipelineOptions &options) {
  if (hasFormedKernels(module))
    return {};
  DiagnosticCollector diagnostics(module->getContext());
  PassManager pm(module->getContext());
  pm.enableVerifier(verifiesPasses() || !options.passes.empty() || !options.patterns.empty());
  if (options.isLocal)
    buildKernelPipeline(pm, options);
  else
    buildCompilePipeline(pm, options);
  return failed(pm.run(module)) ? Result<void>(diagnostics.take("optimization failed")) : Result<void>();
}

Result<void> checkRemarks(const std::string &passes, const std::string &userPasses) {
  OpPassManager pm(ModuleOp::getOperationName());
  buildCompilePipeline(pm);
  pm.addPass(createApplyPatterns());
  pm.addPass(createOffloadStates());
  pm.addNestedPass<func::FuncOp>(createFormAttention());
  pm.addPass(createApplyStrategy());
  pm.addPass(createPropagate());
  pm.addPass(createChooseRings());
  pm.addPass(createPipelineStages());
  pm.addPass(createPartition());
  pm.addPass(createSinkReductions());
  pm.addPass(createSplitAllReduce());
  pm.addPass(createDecomposeRings());
  pm.addPass(createMergeCollectives());
  pm.addPass(createOverlapCollectives());
  pm.addNestedPass<func::FuncOp>(createExpandForDevice());
  pm.addPass(createLowerToLinalg());
  buildLowerKernelsPipeline(pm, {});
  buildLowerGpuKernelsPipeline(pm, {});
  std::string pipeline;
  llvm::raw_string_ostream stream(pipeline);
  pm.printAsTextualPipeline(stream);
  std::vector<std::string> names = passNamesOf(pipeline + "," + userPasses);
  names.emplace_back(graphRemarks);
  names.emplace_back(runtime::kernelChoiceRemarks);
  return checkRemarkedPasses(passes, names, "remarks");
}

bool remarksMatch(const std::string &passes, const std::string &name) {
  return !passes.empty() && llvm::Regex("^(" + passes + ")$").match(name);
}

bool hasFormedKernels(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(),
                      [](func::FuncOp function) { return function->hasAttr(kernelAttribute); });
}

/// Gives a plan the facts of the CPU if they are not the known ones.
static void recordFacts(runtime::Plan &plan, ModuleOp module) {
  const CpuFacts &cpu = targetOf(module).cpu, *known = knownFacts<CpuFacts>(cpu.name);
  if (!known || cpu != *known)
    plan.cpu = cpu;
}

/// Renames all kernels and their calls.
static Result<void> prefixKernels(ModuleOp module, const std::string &prefix) {
  SymbolTableCollection tables;
  SymbolUserMap users(tables, module);
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kernelAttribute)) {
      auto name = StringAttr::get(module.getContext(), prefix + function.getName().str());
      users.replaceAllUsesWith(function, name);
      function.setSymNameAttr(name);
    }
  return {};
}

/// The arithmetic operations of each kernel; without an entry where a dim is dynamic.
static llvm::StringMap<double> flopsOfKernels(ModuleOp kernels) {
  llvm::StringMap<double> flops;
  for (auto function : kernels.getOps<func::FuncOp>()) {
    std::optional<double> sum = 0;
    function.walk([&](Operation *op) {
      if (op == function || op->hasTrait<OpTrait::IsTerminator>())
        return;
      std::optional<int64_t> operations = pd::operationsOf(op);
      sum = sum && operations ? std::optional(*sum + static_cast<double>(*operations)) : std::nullopt;
    });
    if (sum)
      flops[function.getName()] = *sum;
  }
  return flops;
}

/// ModelOptions::allowsTf32 in generated kernels.
static void allowTf32(ModuleOp kernels) {
  for (auto function : kernels.getOps<func::FuncOp>())
    if (function->hasAttr(kernelAttribute))
      function->setAttr(tf32Attribute, UnitAttr::get(kernels.getContext()));
}

/// ModelOptions::allowsTf32 in libraries.
static void allowTf32(runtime::Plan &plan) {
  for (auto *list : {&plan.prepare, &plan.steps})
    runtime::forEachStep(*list,
                         [](runtime::Step &step) { step.launch.allowsTf32 = !step.launch.library.empty(); });
}

/// Reports the begin of a stage. Error: the compilation was stopped.
static Result<void> beginStage(const CompileOptions &options, const char *stage, double fraction) {
  if (options.stop.stop_requested())
    return errorAt("", "compilation was stopped");
  if (options.progress)
    options.progress(stage, fraction);
  return {};
}

/// Optimizes an imported program and forms its kernels. Returns the main function.
static Result<func::FuncOp> optimize(ModuleOp module, CompileOptions &options,
                                     DiagnosticCollector &diagnostics) {
  if (Result<void> written = dumpStage(module, options.dumpDirectory, "0-imported"); !written)
    return written.diagnostics();
  if (Result<void> begun = beginStage(options, "optimizing", 0.0); !begun)
    return begun.diagnostics();
  if (Result<void> formed = formKernels(module, options); !formed)
    return formed.diagnostics();
  if (failed(verifyProgram(module)))
    return diagnostics.take("the program cannot be planned");
  auto main = module.lookupSymbol<func::FuncOp>("main");
  dropUnchangedStates(main);
  if (hasStates(main))
    options.deferBelow = 0;
  if (Result<void> written = dumpStage(module, options.dumpDirectory, "1-kernels-formed"); !written)
    return written.diagnostics();
  if (!options.symbolPrefix.empty())
    if (Result<void> renamed = prefixKernels(module, options.symbolPrefix); !renamed)
      return renamed.diagnostics();
  return main;
}

/// Lowers kernels to linalg.
static Result<void> lowerKernels(ModuleOp kernels, const CompileOptions &options,
                                 DiagnosticCollector &diagnostics) {
  if (Result<void> begun = beginStage(options, "lowering kernels", 0.1); !begun)
    return begun.diagnostics();
  PassManager lowering(kernels.getContext());
  lowering.enableVerifier(verifiesPasses());
  lowering.addPass(createLowerToLinalg());
  if (failed(lowering.run(kernels)))
    return diagnostics.take("lowering to linalg failed");
  if (options.allowsTf32)
    allowTf32(kernels);
  return dumpStage(kernels, options.dumpDirectory, "2-linalg");
}

Result<CompiledProgram> compileProgram(OwningOpRef<ModuleOp> module, const CompileOptions &given) {
  CompileOptions options = given;
  std::unique_ptr<Backend> backend = Backend::create(options.target);
  if (Result<void> chosen = backend->chooseChip(options); !chosen)
    return chosen.diagnostics();
  if (Result<void> described = describeTarget(*module, options); !described)
    return described.diagnostics();
  RemarkReporter remarks(module->getContext(), options);
  DiagnosticCollector diagnostics(module->getContext());
  Result<func::FuncOp> main = optimize(*module, options, diagnostics);
  if (!main)
    return main.diagnostics();
  OwningOpRef<ModuleOp> kernels = takeKernels(*module);
  if (options.plansOnly) { // kernels for a CPU have their scratch memory on the stack
    auto plan = planner::buildPlan(*main, [](llvm::StringRef) { return planner::KernelFacts(); });
    if (!plan)
      return plan.diagnostics();
    recordFacts(*plan, *module);
    return CompiledProgram{.plan = std::move(*plan)};
  }
  llvm::StringMap<double> flops = flopsOfKernels(*kernels);
  if (Result<void> lowered = lowerKernels(*kernels, options, diagnostics); !lowered)
    return lowered.diagnostics();
  if (Result<void> begun = beginStage(options, "generating code", 0.2); !begun)
    return begun.diagnostics();
  auto code = backend->compileKernels(*kernels, options);
  if (!code)
    return code.diagnostics();
  if (Result<void> written = dumpStage(*kernels, options.dumpDirectory, "3-llvm"); !written)
    return written.diagnostics();

  for (auto &entry : code->facts)
    entry.second.flops = flops.lookup(entry.first());
  if (Result<void> begun = beginStage(options, "planning", 0.95); !begun)
    return begun.diagnostics();
  auto plan = planner::buildPlan(
      *main, [&](llvm::StringRef symbol) { return code->facts.lookup(symbol); },
      backend->libraryChoice(options));
  if (!plan)
    return plan.diagnostics();
  recordFacts(*plan, *module);
  if (options.allowsTf32)
    allowTf32(*plan);
  if (options.progress)
    options.progress("compiled", 1.0);
  return CompiledProgram{.plan = std::move(*plan),
                         .archive = std::move(code->archive),
                         .deferred = std::move(code->deferred),
                         .target = options.target,
                         .device = options.device,
                         .shapeArchives = std::move(code->shapeArchives),
                         .deviceCode = std::move(code->deviceCode)};
}

} // namespace proa
