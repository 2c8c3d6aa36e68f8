//! Compilation of imported IR to a plan and object code.
#include "lib/compiler/Compile.h"

#include "lib/compiler/CudaProgram.h"
#include "lib/compiler/RemarkReporter.h"

#include "dialects/pd/ir/FunctionAttributes.h"

#include "lib/codegen/CompileKernels.h"
#include "lib/codegen/LoadedObject.h"
#include "lib/emulator/Emulator.h"
#include "lib/planner/BuildPlan.h"
#include "lib/runtime/CpuFeatures.h"
#include "lib/runtime/cuda/DeviceMatmul.h"
#include "lib/support/DiagnosticCollector.h"
#include "lib/support/Files.h"
#include "passes/fuse/Passes.h"
#include "passes/lower-linalg/Passes.h"
#include "passes/offload/Passes.h"
#include "passes/remarks/Remarks.h"
#include "passes/spmd/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

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

bool isKernel(func::FuncOp function) { return function->hasAttr("proa.kernel"); }

/// Reports constructs that a plan does not support: it is a plan of one function, which calls only kernels.
LogicalResult verifyProgram(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isDeclaration() || !main.getBody().hasOneBlock())
    return module.emitError("the module has no function 'main' with one block");
  bool isCorrect = true;
  main.walk([&](func::CallOp call) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (callee && isKernel(callee) && !callee.isDeclaration())
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
    if (isKernel(function)) {
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
  pm.enableVerifier(false);
  if (options.isLocal)
    buildKernelPipeline(pm, options);
  else
    buildCpuPipeline(pm, options);
  return failed(pm.run(module)) ? Result<void>(diagnostics.take("optimization failed")) : Result<void>();
}

Result<void> checkRemarks(const std::string &passes) {
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
  pm.addPass(createLowerToLinalg());
  std::string pipeline;
  llvm::raw_string_ostream stream(pipeline);
  pm.printAsTextualPipeline(stream);
  return checkRemarkedPasses(passes, passNamesOf(pipeline), "remarks");
}

bool hasFormedKernels(ModuleOp module) { return llvm::any_of(module.getOps<func::FuncOp>(), isKernel); }

Result<CompiledProgram> compileForCpu(OwningOpRef<ModuleOp> module, const CompileOptions &given) {
  CompileOptions options = given;
  if (options.target == TargetKind::Cuda) {
    auto context = cudaContext();
    if (!context)
      return context.diagnostics();
    options.hasMatrixLibrary = context->blas != nullptr;
  }
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

  OwningOpRef<ModuleOp> kernels = takeKernels(*module);
  progress("lowering kernels", 0.1);
  PassManager lowering(kernels->getContext());
  lowering.enableVerifier(false);
  lowering.addPass(createLowerToLinalg());
  if (failed(lowering.run(*kernels)))
    return diagnostics.take("lowering to linalg failed");
  if (Result<void> written = dumpStage(*kernels, options.dumpDirectory, "2-linalg"); !written)
    return written.diagnostics();
  progress("generating code", 0.2);
  DeviceKernelSet onDevice;
  if (options.target == TargetKind::Cuda) {
    auto context = cudaContext();
    if (!context)
      return context.diagnostics();
    auto taken = takeDeviceKernels(*kernels, chipOf(context->driver->properties()), options.dumpDirectory);
    if (!taken)
      return taken.diagnostics();
    onDevice = std::move(*taken);
  }
  CodegenOptions codegen;
  codegen.cpu = options.cpu;
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
    facts[kernel.symbol] = {kernel.rows, kernel.work, {}};
  progress("planning", 0.95);
  auto plan = planner::buildPlan(
      module->lookupSymbol<func::FuncOp>("main"),
      [&](llvm::StringRef symbol) { return facts.lookup(symbol); },
      options.hasMatrixLibrary ? cuda::deviceLibraryOf : planner::DeviceLibraryChoice());
  if (!plan)
    return plan.diagnostics();
  progress("compiled", 1.0);
  return CompiledProgram{std::move(*plan), std::move(compiled->archive), options.target,
                         std::move(onDevice.hostArchive), std::move(onDevice.code)};
}

namespace {

/// The object code of a program: that of kernels for the CPU, and that of functions that compute the shapes
/// of kernels on a device.
struct HostCode {
  LoadedObject kernels;
  std::optional<LoadedObject> shapes;

  Result<void *> find(const std::string &symbol) const {
    if (shapes)
      if (auto found = shapes->find(symbol))
        return found;
    return kernels.find(symbol);
  }
};

Result<std::shared_ptr<HostCode>> loadHostCode(const CompiledProgram &program) {
  auto kernels = LoadedObject::load(program.archive);
  if (!kernels)
    return kernels.diagnostics();
  auto code = std::make_shared<HostCode>(HostCode{std::move(*kernels), std::nullopt});
  if (program.shapeArchive.empty())
    return code;
  auto shapes = LoadedObject::load(program.shapeArchive);
  if (!shapes)
    return shapes.diagnostics();
  code->shapes = std::move(*shapes);
  return code;
}

/// The device that runs the kernels of a program; null for a program without one.
Result<std::shared_ptr<runtime::Device>> deviceOf(const CompiledProgram &program) {
  if (program.target != TargetKind::Cuda)
    return std::shared_ptr<runtime::Device>();
  auto context = cudaContext();
  if (!context)
    return context.diagnostics();
  cuda::CudaDeviceOptions options;
  options.blas = context->blas;
  return std::shared_ptr<runtime::Device>(
      std::make_shared<cuda::CudaDevice>(context->driver, program.deviceCode, options));
}

} // namespace

Result<std::vector<std::shared_ptr<runtime::Executable>>> loadProgram(CompiledProgram program,
                                                                      const std::string &name, size_t count) {
  auto code = loadHostCode(program);
  if (!code)
    return code.diagnostics();
  auto device = deviceOf(program);
  if (!device)
    return device.diagnostics();
  auto resolve = [&](const std::string &symbol) { return (*code)->find(symbol); };
  std::vector<std::shared_ptr<runtime::Executable>> executables;
  for (size_t i = 0; i < count; ++i) {
    runtime::Plan plan = i + 1 < count ? program.plan : std::move(program.plan);
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
  auto loaded = loadProgram(std::move(program), name, 1);
  if (!loaded)
    return loaded.diagnostics();
  return std::move(loaded->front());
}

} // namespace proa
