//! Compilation of imported IR to a plan and object code.
#include "lib/compiler/Compile.h"

#include "lib/compiler/CudaProgram.h"
#include "lib/compiler/RemarkReporter.h"

#include "dialects/pd/ir/Arithmetic.h"
#include "dialects/pd/ir/FunctionAttributes.h"

#include "lib/codegen/CompileKernels.h"
#include "lib/codegen/LoadedObject.h"
#include "lib/codegen/ObjectCache.h"
#include "lib/codegen/cuda/EmitPtx.h"
#include "lib/emulator/Emulator.h"
#include "lib/planner/BuildPlan.h"
#include "lib/runtime/CpuFeatures.h"
#include "lib/runtime/cuda/DeviceLibraries.h"
#include "lib/support/DiagnosticCollector.h"
#include "lib/support/Files.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/device/Passes.h"
#include "passes/fuse/Passes.h"
#include "passes/lower-cpu/Passes.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-linalg/Passes.h"
#include "passes/offload/Passes.h"
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
  pm.enableVerifier(!options.passes.empty());
  if (options.isLocal)
    buildKernelPipeline(pm, options);
  else
    buildCpuPipeline(pm, options);
  return failed(pm.run(module)) ? Result<void>(diagnostics.take("optimization failed")) : Result<void>();
}

Result<void> checkRemarks(const std::string &passes, const std::string &userPasses) {
  OpPassManager pm(ModuleOp::getOperationName());
  buildCpuPipeline(pm);
  pm.addPass(createOffloadStates());
  pm.addNestedPass<func::FuncOp>(createFormAttention());
  pm.addPass(createApplyStrategy());
  pm.addPass(createPropagate());
  pm.addPass(createChooseRings());
  pm.addPass(createPartition());
  pm.addPass(createDecomposeRings());
  pm.addPass(createMergeCollectives());
  pm.addPass(createOverlapCollectives());
  pm.addNestedPass<func::FuncOp>(createExpandForDevice());
  pm.addNestedPass<func::FuncOp>(createFormFusedAttention());
  pm.addPass(createLowerToLinalg());
  buildLowerKernelsPipeline(pm, {});
  buildLowerGpuKernelsPipeline(pm, {});
  std::string pipeline;
  llvm::raw_string_ostream stream(pipeline);
  pm.printAsTextualPipeline(stream);
  std::vector<std::string> names = passNamesOf(pipeline + "," + userPasses);
  names.emplace_back(graphRemarks);
  return checkRemarkedPasses(passes, names, "remarks");
}

bool remarksMatch(const std::string &passes, const std::string &name) {
  return !passes.empty() && llvm::Regex("^(" + passes + ")$").match(name);
}

bool hasFormedKernels(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(),
                      [](func::FuncOp function) { return function->hasAttr(kernelAttribute); });
}

/// CompileOptions::cudaLibraries has the library.
static bool assumesLibrary(const CompileOptions &options, std::string_view library) {
  return !options.cudaLibraries || llvm::is_contained(*options.cudaLibraries, library);
}

/// With TargetKind::Cuda: opens the device, unless the chip is given.
static Result<void> chooseChip(CompileOptions &options, cuda::CudaContext &context) {
  if (options.target != TargetKind::Cuda)
    return {};
  if (!options.chip.empty()) {
    options.hasMatrixLibrary = assumesLibrary(options, cuda::cublasLt);
    auto known = cuda::chipNamed(options.chip);
    return known ? Result<void>() : Result<void>(known.diagnostics());
  }
  auto opened = cuda::cudaContext(options.device);
  if (!opened)
    return opened.diagnostics();
  context = *opened;
  const cuda::DeviceProperties &properties = context.driver->properties();
  auto chip = cuda::chipFor(properties.major, properties.minor);
  if (!chip)
    return chip.diagnostics();
  options.chip = chip->name;
  options.hasMatrixLibrary = static_cast<bool>(context.libraries->check(cuda::cublasLt));
  return {};
}

/// Null without a device.
static planner::DeviceLibraryChoice libraryChoice(const CompileOptions &options,
                                                  const cuda::CudaContext &context) {
  if (options.target != TargetKind::Cuda)
    return nullptr;
  return [&options, libraries = context.libraries](const runtime::Step &step, const runtime::Plan &plan) {
    cuda::LibraryChoice choice = cuda::chooseLibrary(step, plan, libraries.get());
    if (options.ranksShareDevices && choice.library == cuda::nccl)
      return std::string();
    return libraries || assumesLibrary(options, choice.library) ? choice.library : std::string();
  };
}

/// A cache that cannot be used only costs time.
static std::optional<ObjectCache> cacheOf(const CompileOptions &options) {
  if (options.cacheDirectory == "off")
    return std::nullopt;
  auto cache = ObjectCache::open({options.cacheDirectory});
  return cache ? std::optional(std::move(*cache)) : std::nullopt;
}

/// Empty without a database.
static Result<TuningDatabase> tuningOf(const CompileOptions &options) {
  std::string file = options.tuningFile.empty() ? defaultTuningFile() : options.tuningFile;
  return file.empty() || file == "off" ? Result<TuningDatabase>(TuningDatabase())
                                       : TuningDatabase::read(file);
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

Result<CompiledProgram> compileForCpu(OwningOpRef<ModuleOp> module, const CompileOptions &given) {
  CompileOptions options = given;
  cuda::CudaContext context;
  if (Result<void> chosen = chooseChip(options, context); !chosen)
    return chosen.diagnostics();
  auto progress = [&](const char *what, double part) {
    if (options.progress)
      options.progress(what, part);
  };
  RemarkReporter remarks(module->getContext(), options);
  DiagnosticCollector diagnostics(module->getContext());
  if (Result<void> written = dumpStage(*module, options.dumpDirectory, "0-imported"); !written)
    return written.diagnostics();
  progress("optimizing", 0.0);
  if (Result<void> formed = formKernels(*module, options); !formed)
    return formed.diagnostics();
  if (failed(verifyProgram(*module)))
    return diagnostics.take("the program cannot be planned");
  dropUnchangedStates(module->lookupSymbol<func::FuncOp>("main"));
  if (Result<void> written = dumpStage(*module, options.dumpDirectory, "1-kernels-formed"); !written)
    return written.diagnostics();

  if (!options.symbolPrefix.empty())
    if (Result<void> renamed = prefixKernels(*module, options.symbolPrefix); !renamed)
      return renamed.diagnostics();
  OwningOpRef<ModuleOp> kernels = takeKernels(*module);
  llvm::StringMap<double> flops = flopsOfKernels(*kernels);
  progress("lowering kernels", 0.1);
  PassManager lowering(kernels->getContext());
  lowering.enableVerifier(false);
  lowering.addPass(createLowerToLinalg());
  if (failed(lowering.run(*kernels)))
    return diagnostics.take("lowering to linalg failed");
  if (options.allowsTf32)
    allowTf32(*kernels);
  if (Result<void> written = dumpStage(*kernels, options.dumpDirectory, "2-linalg"); !written)
    return written.diagnostics();
  progress("generating code", 0.2);
  DeviceKernelSet onDevice;
  if (options.target == TargetKind::Cuda) {
    std::optional<ObjectCache> cache = cacheOf(options);
    if (Result<void> seen = options.onDeviceKernels ? options.onDeviceKernels(*kernels) : Result<void>();
        !seen)
      return seen.diagnostics();
    auto tuning = tuningOf(options);
    if (!tuning)
      return tuning.diagnostics();
    auto taken =
        takeTunedKernels(*kernels, options.chip, options.dumpDirectory, cache ? &*cache : nullptr, *tuning);
    if (!taken)
      return taken.diagnostics();
    onDevice = std::move(*taken);
  }
  CodegenOptions codegen;
  codegen.cpu = options.cpu;
  codegen.optimizes = options.optimizesCode && options.target != TargetKind::CudaEmulated;
  codegen.emulatesGpu = options.target == TargetKind::CudaEmulated;
  codegen.threads = static_cast<unsigned>(options.threads);
  codegen.dumpDirectory = options.dumpDirectory;
  auto compiled = compileKernels(*kernels, codegen);
  if (!compiled)
    return compiled.diagnostics();
  if (Result<void> written = dumpStage(*kernels, options.dumpDirectory, "3-llvm"); !written)
    return written.diagnostics();

  llvm::StringMap<planner::KernelFacts> facts = std::move(onDevice.facts);
  for (const CompiledKernel &kernel : compiled->kernels)
    facts[kernel.symbol] = kernelFacts(kernel.rows, kernel.work, kernel.needs);
  for (auto &entry : facts)
    entry.second.flops = flops.lookup(entry.first());
  progress("planning", 0.95);
  auto plan = planner::buildPlan(
      module->lookupSymbol<func::FuncOp>("main"),
      [&](llvm::StringRef symbol) { return facts.lookup(symbol); }, libraryChoice(options, context));
  if (!plan)
    return plan.diagnostics();
  if (options.allowsTf32)
    allowTf32(*plan);
  progress("compiled", 1.0);
  return CompiledProgram{std::move(*plan), std::move(compiled->archive),     options.target,
                         options.device,   std::move(onDevice.hostArchives), std::move(onDevice.code)};
}

namespace {

/// The object code of a program: that of kernels for the CPU, and that of functions that compute the shapes
/// of kernels on a device.
struct HostCode {
  LoadedObject kernels;
  std::vector<LoadedObject> shapes;

  Result<void *> find(const std::string &symbol) const {
    for (const LoadedObject &object : shapes)
      if (auto found = object.find(symbol); found && *found)
        return found;
    return kernels.find(symbol);
  }
};

Result<std::shared_ptr<HostCode>> loadHostCode(const CompiledProgram &program) {
  auto kernels = LoadedObject::load(program.archive);
  if (!kernels)
    return kernels.diagnostics();
  auto code = std::make_shared<HostCode>(HostCode{std::move(*kernels), {}});
  for (const std::string &archive : program.shapeArchives) {
    auto shapes = LoadedObject::load(archive);
    if (!shapes)
      return shapes.diagnostics();
    code->shapes.push_back(std::move(*shapes));
  }
  return code;
}

/// The device that runs an executable of a program; null for a program without one.
Result<std::shared_ptr<runtime::Device>> deviceOf(const CompiledProgram &program, int offset) {
  if (program.target != TargetKind::Cuda)
    return std::shared_ptr<runtime::Device>();
  int device = program.device + offset;
  if (auto count = cuda::countDevices(); offset > 0 && count)
    device %= *count;
  auto context = cuda::cudaContext(device);
  if (!context)
    return context.diagnostics();
  return std::shared_ptr<runtime::Device>(
      std::make_shared<cuda::CudaDevice>(context->driver, program.deviceCode, cuda::deviceOptions(*context)));
}

} // namespace

Result<std::vector<std::shared_ptr<runtime::Executable>>>
loadProgram(CompiledProgram program, const std::string &name, const std::vector<int> &offsets) {
  auto code = loadHostCode(program);
  if (!code)
    return code.diagnostics();
  auto resolve = [&](const std::string &symbol) { return (*code)->find(symbol); };
  std::vector<std::shared_ptr<runtime::Executable>> executables;
  for (size_t i = 0; i < offsets.size(); ++i) {
    auto device = deviceOf(program, offsets[i]);
    if (!device)
      return device.diagnostics();
    runtime::Plan plan = i + 1 < offsets.size() ? program.plan : std::move(program.plan);
    auto executable = runtime::Executable::create(std::move(plan), name, resolve, *code, *device);
    if (!executable)
      return executable.diagnostics();
    if (program.target == TargetKind::CudaEmulated)
      (*executable)->setKernelInvoker(emulator::invoke);
    executables.push_back(std::move(*executable));
  }
  return executables;
}

Result<std::shared_ptr<runtime::Executable>> loadProgram(CompiledProgram program, const std::string &name) {
  auto loaded = loadProgram(std::move(program), name, std::vector<int>{0});
  if (!loaded)
    return loaded.diagnostics();
  return std::move(loaded->front());
}

} // namespace proa
