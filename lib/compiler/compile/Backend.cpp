#include "lib/compiler/compile/Backend.h"

#include "lib/compiler/cuda/CudaProgram.h"
#include "lib/runtime/emulator/Emulator.h"

namespace proa {
namespace {

class CpuBackend final : public Backend {
public:
  bool isGpu() const override { return false; }

  Result<KernelCode> compileKernels(mlir::ModuleOp kernels, const CompileOptions &options) const override {
    KernelCode code;
    CodegenOptions codegen;
    codegen.optimizes = options.optimizesCode;
    codegen.deferBelow = options.deferBelow;
    Result<void> added = addHostKernels(kernels, options, codegen, code);
    return added ? Result<KernelCode>(std::move(code)) : added.diagnostics();
  }
};

/// Kernels for a GPU whose threads run on the CPU.
class EmulatedBackend final : public Backend {
public:
  bool isGpu() const override { return true; }
  void addPassesBeforeKernels(mlir::OpPassManager &pm, const PipelineOptions &options) const override {
    addGpuPassesBeforeKernels(pm, options);
  }

  Result<KernelCode> compileKernels(mlir::ModuleOp kernels, const CompileOptions &options) const override {
    KernelCode code;
    CodegenOptions codegen;
    codegen.optimizes = false;
    codegen.emulatesGpu = true;
    Result<void> added = addHostKernels(kernels, options, codegen, code);
    return added ? Result<KernelCode>(std::move(code)) : added.diagnostics();
  }

  runtime::KernelInvoker kernelInvoker() const override { return emulator::invoke; }
};

} // namespace

std::unique_ptr<Backend> Backend::create(TargetKind target) {
  switch (target) {
  case TargetKind::Cpu:
    return std::make_unique<CpuBackend>();
  case TargetKind::Cuda:
    return createCudaBackend();
  case TargetKind::CudaEmulated:
    return std::make_unique<EmulatedBackend>();
  }
  return nullptr;
}

Result<void> addHostKernels(mlir::ModuleOp kernels, const CompileOptions &options, CodegenOptions codegen,
                            KernelCode &code) {
  codegen.cpu = options.cpu;
  codegen.threads = static_cast<unsigned>(options.threads);
  codegen.dumpDirectory = options.dumpDirectory;
  auto compiled = compileKernels(kernels, codegen);
  if (!compiled)
    return compiled.diagnostics();
  for (const CompiledKernel &kernel : compiled->kernels)
    code.facts[kernel.symbol] = kernelFacts(kernel.rows, kernel.work, kernel.needs);
  code.archive = std::move(compiled->archive);
  code.deferred = std::move(compiled->deferred);
  return {};
}

} // namespace proa
