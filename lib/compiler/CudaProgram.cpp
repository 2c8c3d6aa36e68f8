#include "lib/compiler/CudaProgram.h"

#include "lib/codegen/cuda/CompileDevice.h"
#include "lib/codegen/cuda/HostCode.h"
#include "lib/support/DiagnosticCollector.h"
#include "passes/kernel-entry/KernelEntry.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"

#include <mutex>

using namespace mlir;

namespace proa {
namespace {

std::mutex contextMutex;
CudaContext openContext;

planner::KernelFacts factsOf(const cuda::DeviceKernel &kernel) {
  planner::KernelFacts facts{kernel.rows, kernel.work, {}};
  facts.launch.threads = kernel.threads;
  facts.launch.sharedBytes = kernel.sharedBytes;
  facts.launch.parameters = kernel.parameters;
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

Result<CudaContext> cudaContext() {
  std::lock_guard lock(contextMutex);
  if (openContext.driver)
    return openContext;
  auto driver = cuda::openDriver();
  if (!driver)
    return driver.diagnostics();
  openContext.driver = std::move(*driver);
  if (auto blas = cuda::openCublasLt(openContext.driver))
    openContext.blas = std::move(*blas);
  return openContext;
}

void setCudaContext(CudaContext context) {
  std::lock_guard lock(contextMutex);
  openContext = std::move(context);
}

std::string chipOf(const cuda::DeviceProperties &properties) {
  std::string chip = "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
  // Features of one architecture only, such as wgmma.
  bool hasOwnFeatures = properties.minor == 0 && (properties.major == 9 || properties.major == 10);
  return hasOwnFeatures ? chip + "a" : chip;
}

Result<DeviceKernelSet> takeDeviceKernels(ModuleOp kernels, const std::string &chip,
                                          const std::string &dumpDirectory) {
  DiagnosticCollector diagnostics(kernels.getContext());
  OwningOpRef<ModuleOp> device = kernels.clone();
  PassManager passes(kernels.getContext());
  LowerGpuKernelsOptions lowering;
  buildLowerGpuKernelsPipeline(passes, lowering);
  if (failed(passes.run(*device)))
    return diagnostics.take("the kernels could not be lowered for the device");
  DeviceKernelSet result;
  result.code.chip = chip;
  if (llvm::none_of(device->getOps<LLVM::LLVMFuncOp>(), hasLaunch))
    return result;
  cuda::CudaToolkit toolkit = cuda::CudaToolkit::find();
  cuda::DeviceCompileOptions options;
  options.chip = chip;
  options.assembles = toolkit.canAssemble();
  options.dumpDirectory = dumpDirectory;
  auto compiled = cuda::compileDeviceKernels(*device, toolkit, options);
  if (!compiled)
    return compiled.diagnostics();
  auto shapes = compileShapes(*compiled->host);
  if (!shapes)
    return shapes.diagnostics();
  result.hostArchive = std::move(*shapes);
  for (cuda::DeviceKernel &kernel : compiled->kernels) {
    result.facts[kernel.symbol] = factsOf(kernel);
    result.code.kernels.push_back({kernel.symbol, std::move(kernel.cubin), std::move(kernel.ptx)});
    kernels.lookupSymbol(kernel.symbol)->erase();
  }
  return result;
}

} // namespace proa
