#include "lib/compiler/codegen/cuda/CompileDevice.h"

#include "dialects/proa/Proa.h"
#include "lib/base/support/Files.h"
#include "lib/base/support/Parallel.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

using namespace mlir;

namespace proa::cuda {
namespace {

/// Sets a number to the milliseconds of its lifetime.
class Stopwatch {
public:
  explicit Stopwatch(double &milliseconds)
      : milliseconds(milliseconds), begin(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

private:
  double &milliseconds;
  std::chrono::steady_clock::time_point begin;
};

std::string describeAsJson(const DeviceKernel &kernel) {
  const KernelResources &used = kernel.resources;
  return nlohmann::json{{"symbol", kernel.symbol},
                        {"chip", used.chip},
                        {"threads", kernel.threads},
                        {"rows", kernel.rows},
                        {"sharedBytes", kernel.sharedBytes + used.sharedBytes},
                        {"registers", used.registers},
                        {"stackBytes", used.stackBytes},
                        {"spillBytes", used.spillStoreBytes + used.spillLoadBytes},
                        {"notes", used.notes},
                        {"emitMilliseconds", kernel.emitMilliseconds},
                        {"assembleMilliseconds", kernel.assembleMilliseconds}}
             .dump(1) +
         "\n";
}

class DeviceCompiler {
public:
  DeviceCompiler(const CudaToolkit &toolkit, const DeviceCompileOptions &options, ChipInfo chip)
      : toolkit(toolkit), options(options), chip(std::move(chip)) {}

  Result<DeviceKernels> run(ModuleOp module) {
    gpu = &gpuOf(module, chip.name);
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
  const GpuFacts *gpu = nullptr; ///< set by run()
  std::unique_ptr<Assembler> assembler;

  static DeviceKernel describe(LLVM::LLVMFuncOp function, ModuleOp host, Diagnostics &diagnostics) {
    DeviceKernel kernel;
    kernel.symbol = function.getName().str();
    int64_t rows = RowsAttr::countOf(function);
    kernel.rows = ShapedType::isDynamic(rows) ? -1 : rows;
    kernel.work = RowsAttr::nanosecondsOf(function).value_or(0);
    if (Result<BlockSize> block = blockOf(function); block) {
      kernel.threads = static_cast<int32_t>(block->threads);
      kernel.sharedBytes = block->sharedBytes;
    } else {
      diagnostics.append(block.diagnostics());
    }
    if (LaunchAttr launch = LaunchAttr::of(function))
      kernel.residentBlocks =
          static_cast<int32_t>(launch.getResidentBlocks().value_or(kernel.residentBlocks));
    kernel.tensorMaps = tensorMapsOf(function);
    kernel.needs = KernelNeeds::of(function);
    if (!describeParameters(function, kernel.parameters))
      diagnostics.add("kernel '" + kernel.symbol + "'",
                      "expected parameters of type !llvm.ptr and i64, the last two of type i64");
    kernel.hasShapeFunction = host.lookupSymbol(kernel.symbol + "_shape") != nullptr;
    return kernel;
  }

  static std::vector<runtime::TensorMapParameter> tensorMapsOf(LLVM::LLVMFuncOp function) {
    std::vector<runtime::TensorMapParameter> described;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto form = function.getArgAttrOfType<TensorMapAttr>(i, tensorMapAttribute);
      if (!form)
        continue;
      runtime::TensorMapParameter &map = described.emplace_back();
      map.buffer = static_cast<int32_t>(form.getBuffer());
      map.elementBytes = static_cast<int32_t>(form.getElementBytes());
      map.box.assign(form.getBox().begin(), form.getBox().end());
      map.swizzle = static_cast<int32_t>(form.getSwizzle());
      for (AffineExpr size : form.getSizes().getValue().getResults()) {
        SizeFactors factors = *SizeFactors::of(size);
        map.sizes.push_back({factors.constant, {factors.dims.begin(), factors.dims.end()}});
      }
    }
    return described;
  }

  static bool describeParameters(LLVM::LLVMFuncOp function, std::string &parameters) {
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      if (function.getArgAttr(static_cast<unsigned>(i), tensorMapAttribute))
        break;
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
    OwningOpRef<ModuleOp> subset = moduleWith(device, kernel.symbol);
    Stopwatch watch(kernel.emitMilliseconds);
    Result<PtxCode> code = emitPtx(*subset, chip, toolkit, !options.dumpDirectory.empty());
    if (!code)
      return code.diagnostics();
    kernel.ptx = std::move(code->ptx);
    if (Result<void> written = dump(kernel, ".ll", code->llvmIr); !written)
      return written;
    return dump(kernel, ".ptx", kernel.ptx);
  }

  Result<void> assemble(DeviceKernel &kernel) {
    std::optional<Stopwatch> watch(kernel.assembleMilliseconds);
    Result<Cubin> cubin = assembler->assemble(kernel.ptx, chip.name, options.cache);
    watch.reset();
    if (!cubin)
      return cubin.diagnostics();
    kernel.cubin = std::move(cubin->bytes);
    if (!cubin->kernels.empty())
      kernel.resources = cubin->kernels.front();
    if (!cubin->kernels.empty() && kernel.residentBlocks > 0) // more would run in a second wave
      kernel.residentBlocks =
          std::min(kernel.residentBlocks, static_cast<int32_t>(residentBlocksOf(
                                              kernel.resources, {kernel.threads, kernel.sharedBytes}, *gpu)));
    std::pair<const char *, std::string> files[] = {
        {".txt", cubin->report}, {".cubin", kernel.cubin}, {".json", describeAsJson(kernel)}};
    for (const auto &[suffix, text] : files)
      if (Result<void> written = dump(kernel, suffix, text); !written)
        return written;
    if (Result<void> fits = checkBlock(kernel.resources, {kernel.threads, kernel.sharedBytes}, *gpu); !fits)
      return fits;
    return options.budget ? checkResources(cubin->kernels, *options.budget) : Result<void>();
  }
};

} // namespace

Result<BlockSize> blockOf(Operation *kernel) {
  BlockSize block;
  LaunchAttr launch = LaunchAttr::of(kernel);
  if (!launch || !launch.getThreads())
    return errorAt("kernel '" + SymbolTable::getSymbolName(kernel).str() + "'",
                   "expected the attribute `proa.launch` with the threads of a block");
  block.threads = *launch.getThreads();
  block.sharedBytes = launch.getSharedBytes().value_or(0);
  return block;
}

Result<DeviceKernels> compileDeviceKernels(ModuleOp module, const CudaToolkit &toolkit,
                                           const DeviceCompileOptions &options) {
  Result<ChipInfo> chip = chipNamed(options.chip);
  if (!chip)
    return chip.diagnostics();
  return DeviceCompiler(toolkit, options, *chip).run(module);
}

} // namespace proa::cuda
