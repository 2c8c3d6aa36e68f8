#include "lib/compiler/cuda/CudaProgram.h"

#include "dialects/proa/Proa.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Verification.h"
#include "lib/compiler/codegen/cuda/CompileDevice.h"
#include "lib/compiler/codegen/cuda/HostCode.h"
#include "passes/kernel-entry/KernelEntry.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/Strategies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"

#include <iterator>
#include <map>

using namespace mlir;

namespace proa {
namespace {

planner::KernelFacts factsOf(const cuda::DeviceKernel &kernel) {
  planner::KernelFacts facts = kernelFacts(kernel.rows, kernel.work, kernel.needs);
  facts.launch.threads = kernel.threads;
  facts.launch.sharedBytes = kernel.sharedBytes;
  facts.launch.parameters = kernel.parameters;
  facts.launch.tensorMaps = kernel.tensorMaps;
  facts.launch.residentBlocks = kernel.residentBlocks;
  return facts;
}

/// Object code of the functions that compute shapes, with the entry points of the runtime.
Result<std::string> compileShapes(ModuleOp host) {
  SmallVector<LLVM::LLVMFuncOp> shapes;
  for (auto function : host.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      shapes.push_back(function);
  for (LLVM::LLVMFuncOp function : shapes)
    wrapShapeFunction(function);
  return cuda::compileHostCode(host);
}

} // namespace

planner::KernelFacts kernelFacts(int64_t rows, double work, const KernelNeeds &needs) {
  planner::KernelFacts facts;
  facts.rows = rows;
  facts.work = work;
  facts.scratch = needs.scratch;
  facts.hasCounters = needs.hasCounters;
  for (const IndexCheck &check : needs.checks)
    facts.checks.push_back({static_cast<int32_t>(check.indices), static_cast<int32_t>(check.bound),
                            static_cast<int32_t>(check.axis), check.size, check.kind});
  for (const DimCheck &check : needs.dimChecks)
    facts.dimChecks.push_back({static_cast<int32_t>(check.argument), static_cast<int32_t>(check.axis),
                               static_cast<int32_t>(check.other), static_cast<int32_t>(check.otherAxis),
                               check.size, check.mayBeOne});
  return facts;
}

Result<DeviceKernelSet> takeDeviceKernels(ModuleOp kernels, const DeviceKernelOptions &options) {
  DiagnosticCollector diagnostics(kernels.getContext());
  OwningOpRef<ModuleOp> device = kernels.clone();
  PassManager passes(kernels.getContext());
  passes.enableVerifier(verifiesPasses());
  LowerGpuKernelsOptions lowering;
  lowering.chip = options.chip;
  lowering.maxThreads = options.maxThreads;
  buildLowerGpuKernelsPipeline(passes, lowering);
  if (failed(passes.run(*device)))
    return diagnostics.take("the kernels could not be lowered for the device");
  DeviceKernelSet result;
  result.code.chip = options.chip;
  if (llvm::none_of(device->getOps<LLVM::LLVMFuncOp>(), hasLaunch))
    return result;
  cuda::CudaToolkit toolkit = cuda::CudaToolkit::find();
  cuda::DeviceCompileOptions code;
  code.chip = options.chip;
  code.assembles = toolkit.canAssemble();
  code.dumpDirectory = options.dumpDirectory;
  code.cache = options.cache;
  code.budget = options.budget;
  auto compiled = cuda::compileDeviceKernels(*device, toolkit, code);
  if (!compiled)
    return compiled.diagnostics();
  auto shapes = compileShapes(*compiled->host);
  if (!shapes)
    return shapes.diagnostics();
  if (!shapes->empty())
    result.hostArchives.push_back(std::move(*shapes));
  for (cuda::DeviceKernel &kernel : compiled->kernels) {
    result.facts[kernel.symbol] = factsOf(kernel);
    result.code.kernels.push_back({kernel.symbol, std::move(kernel.cubin), std::move(kernel.ptx)});
    kernels.lookupSymbol(kernel.symbol)->erase();
    if (Operation *shapes = kernels.lookupSymbol(kernel.symbol + "_shape"))
      shapes->erase();
  }
  return result;
}

/// Requests the strategy of each kernel that the database has, and returns the kernels by their threads.
static Result<std::map<int64_t, SmallVector<func::FuncOp>>>
requestTuned(ModuleOp kernels, const std::string &chip, const TuningDatabase &database) {
  std::map<int64_t, SmallVector<func::FuncOp>> groups;
  for (auto kernel : kernels.getOps<func::FuncOp>()) {
    const TuningEntry *entry = database.size() > 0 ? database.find(tuningKey(kernel, chip)) : nullptr;
    KernelStrategy strategy = entry ? entry->strategy : KernelStrategy();
    auto attributes = attributesOf(strategy, kernels.getContext());
    if (!attributes)
      return errorAt("", "the tuning database has a wrong strategy for " + kernel.getName().str() + " (" +
                             entry->label + "): " + attributes.diagnostics()[0].message);
    requestStrategies(kernel, *attributes);
    groups[strategy.maxThreads].push_back(kernel);
  }
  return groups;
}

Result<DeviceKernelSet> takeTunedKernels(ModuleOp kernels, const DeviceKernelOptions &options,
                                         const TuningDatabase &database) {
  auto groups = requestTuned(kernels, options.chip, database);
  if (!groups)
    return groups.diagnostics();
  DeviceKernelSet result;
  result.code.chip = options.chip;
  for (auto &[maxThreads, group] : *groups) {
    OwningOpRef<ModuleOp> subset = ModuleOp::create(kernels.getLoc());
    copyTarget(kernels, *subset);
    for (func::FuncOp kernel : group) {
      kernel->remove();
      subset->push_back(kernel);
    }
    DeviceKernelOptions own = options;
    own.maxThreads = maxThreads;
    auto taken = takeDeviceKernels(*subset, own);
    if (!taken)
      return taken.diagnostics();
    // Kernels without a form on the device are left.
    for (auto kernel : llvm::make_early_inc_range(subset->getOps<func::FuncOp>())) {
      kernel->remove();
      kernels.push_back(kernel);
    }
    for (auto &entry : taken->facts)
      result.facts[entry.first()] = entry.second;
    llvm::move(taken->code.kernels, std::back_inserter(result.code.kernels));
    llvm::move(taken->hostArchives, std::back_inserter(result.hostArchives));
  }
  return result;
}

} // namespace proa
