#include "lib/codegen/cuda/CompileDevice.h"

#include "lib/support/Files.h"
#include "lib/support/Parallel.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa::cuda {
namespace {

constexpr llvm::StringLiteral threadsAttribute = "proa.threads", sharedAttribute = "proa.shared";

class DeviceCompiler {
public:
  DeviceCompiler(const CudaToolkit &toolkit, const DeviceCompileOptions &options, ChipInfo chip)
      : toolkit(toolkit), options(options), chip(std::move(chip)) {}

  Result<DeviceKernels> run(ModuleOp module) {
    Result<SplitModule> split = splitHostFunctions(module);
    if (!split)
      return split.diagnostics();
    if (options.assembles) {
      Result<std::unique_ptr<Assembler>> created = Assembler::create(toolkit);
      if (!created)
        return created.diagnostics();
      assembler = std::move(*created);
    }
    DeviceKernels compiled;
    Diagnostics diagnostics;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()))
        compiled.kernels.push_back(describe(function, *split->host, diagnostics));
    if (!diagnostics.empty())
      return diagnostics;
    // Clones share a context, whose passes run in parallel themselves: PTX is emitted in order.
    for (DeviceKernel &kernel : compiled.kernels)
      diagnostics.append(emit(*split->device, kernel).diagnostics());
    if (!diagnostics.empty())
      return diagnostics;
    std::vector<Diagnostics> failures(compiled.kernels.size());
    if (assembler)
      parallelFor(compiled.kernels.size(),
                  [&](size_t i) { failures[i] = assemble(compiled.kernels[i]).diagnostics(); });
    for (const Diagnostics &failure : failures)
      diagnostics.append(failure);
    if (!diagnostics.empty())
      return diagnostics;
    compiled.host = std::move(split->host);
    return compiled;
  }

private:
  const CudaToolkit &toolkit;
  const DeviceCompileOptions &options;
  ChipInfo chip;
  std::unique_ptr<Assembler> assembler;

  static DeviceKernel describe(LLVM::LLVMFuncOp function, ModuleOp host, Diagnostics &diagnostics) {
    DeviceKernel kernel;
    kernel.symbol = function.getName().str();
    if (auto rows = function->getAttrOfType<IntegerAttr>(rowsAttribute))
      kernel.rows = ShapedType::isDynamic(rows.getInt()) ? -1 : rows.getInt();
    if (auto work = function->getAttrOfType<FloatAttr>(workAttribute))
      kernel.work = work.getValueAsDouble();
    if (auto threads = function->getAttrOfType<IntegerAttr>(threadsAttribute);
        threads && threads.getInt() >= 1 && threads.getInt() <= 1024)
      kernel.threads = static_cast<int32_t>(threads.getInt());
    else
      diagnostics.add("kernel '" + kernel.symbol + "'",
                      "expected the attribute `proa.threads` with a number of threads between 1 and 1024");
    if (auto shared = function->getAttrOfType<IntegerAttr>(sharedAttribute))
      kernel.sharedBytes = shared.getInt();
    if (!describeParameters(function, kernel.parameters))
      diagnostics.add("kernel '" + kernel.symbol + "'",
                      "expected parameters of type !llvm.ptr and i64, the last two of type i64");
    kernel.hasShapeFunction = host.lookupSymbol(kernel.symbol + "_shape") != nullptr;
    return kernel;
  }

  static bool describeParameters(LLVM::LLVMFuncOp function, std::string &parameters) {
    for (Type type : function.getArgumentTypes()) {
      if (!isa<LLVM::LLVMPointerType>(type) && !type.isInteger(64))
        return false;
      parameters += isa<LLVM::LLVMPointerType>(type) ? 'p' : 'd';
    }
    if (!StringRef(parameters).ends_with("dd"))
      return false;
    parameters.resize(parameters.size() - 2);
    return true;
  }

  Result<void> dump(const DeviceKernel &kernel, const char *suffix, const std::string &text) const {
    return options.dumpDirectory.empty()
               ? Result<void>()
               : writeFile(options.dumpDirectory + "/" + kernel.symbol + suffix, text);
  }

  Result<void> emit(ModuleOp device, DeviceKernel &kernel) {
    OwningOpRef<ModuleOp> part = moduleWith(device, kernel.symbol);
    Result<PtxCode> code = emitPtx(*part, chip, toolkit, !options.dumpDirectory.empty());
    if (!code)
      return code.diagnostics();
    kernel.ptx = std::move(code->ptx);
    if (Result<void> written = dump(kernel, ".ll", code->llvmIr); !written)
      return written;
    return dump(kernel, ".ptx", kernel.ptx);
  }

  Result<void> assemble(DeviceKernel &kernel) {
    Result<Cubin> cubin = assembler->assemble(kernel.ptx, chip.name, options.cache);
    if (!cubin)
      return cubin.diagnostics();
    kernel.cubin = std::move(cubin->bytes);
    if (!cubin->kernels.empty())
      kernel.resources = cubin->kernels.front();
    if (Result<void> written = dump(kernel, ".txt", cubin->report); !written)
      return written;
    return options.budget ? checkResources(cubin->kernels, *options.budget) : Result<void>();
  }
};

} // namespace

Result<DeviceKernels> compileDeviceKernels(ModuleOp module, const CudaToolkit &toolkit,
                                           const DeviceCompileOptions &options) {
  Result<ChipInfo> chip = chipNamed(options.chip);
  if (!chip)
    return chip.diagnostics();
  return DeviceCompiler(toolkit, options, *chip).run(module);
}

} // namespace proa::cuda
