#include "lib/compiler/codegen/ObjectCache.h"
#include "lib/compiler/codegen/cuda/EmitPtx.h"
#include "lib/compiler/compile/Backend.h"
#include "lib/compiler/cuda/CudaProgram.h"
#include "lib/compiler/cuda/Tuning.h"
#include "lib/runtime/cuda/CudaContext.h"
#include "lib/runtime/cuda/DeviceLibraries.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <optional>

namespace proa {
namespace {

/// CompileOptions::cudaLibraries has the library.
bool assumesLibrary(const CompileOptions &options, std::string_view library) {
  return !options.cudaLibraries || llvm::is_contained(*options.cudaLibraries, library);
}

/// A cache that cannot be used only costs time.
std::optional<ObjectCache> cacheOf(const CompileOptions &options) {
  if (options.cacheDirectory == "off")
    return std::nullopt;
  auto cache = ObjectCache::open({options.cacheDirectory});
  return cache ? std::optional(std::move(*cache)) : std::nullopt;
}

/// Empty without a database.
Result<TuningDatabase> tuningOf(const CompileOptions &options) {
  std::string file = options.tuningFile.empty() ? defaultTuningFile() : options.tuningFile;
  return file.empty() || file == "off" ? Result<TuningDatabase>(TuningDatabase())
                                       : TuningDatabase::read(file);
}

class CudaBackend final : public Backend {
public:
  bool isGpu() const override { return true; }
  bool usesMatrixLibrary(const PipelineOptions &options) const override { return options.hasMatrixLibrary; }
  void addPassesBeforeKernels(mlir::OpPassManager &pm, const PipelineOptions &options) const override {
    addGpuPassesBeforeKernels(pm, options);
  }

  /// Opens the device, unless the chip is given.
  Result<void> chooseChip(CompileOptions &options) override {
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

  Result<KernelCode> compileKernels(mlir::ModuleOp kernels, const CompileOptions &options) const override {
    std::optional<ObjectCache> cache = cacheOf(options);
    if (Result<void> seen = options.onDeviceKernels ? options.onDeviceKernels(kernels) : Result<void>();
        !seen)
      return seen.diagnostics();
    auto tuning = tuningOf(options);
    if (!tuning)
      return tuning.diagnostics();
    DeviceKernelOptions device;
    device.chip = options.chip;
    device.dumpDirectory = options.dumpDirectory;
    device.cache = cache ? &*cache : nullptr;
    auto taken = takeTunedKernels(kernels, device, *tuning);
    if (!taken)
      return taken.diagnostics();
    KernelCode code{std::move(taken->facts), {}, std::move(taken->hostArchives), std::move(taken->code)};
    CodegenOptions codegen;
    codegen.optimizes = options.optimizesCode;
    Result<void> added =
        addHostKernels(kernels, options, codegen, code); // those without a form on the device
    return added ? Result<KernelCode>(std::move(code)) : added.diagnostics();
  }

  planner::DeviceLibraryChoice libraryChoice(const CompileOptions &options) const override {
    return [&options, libraries = context.libraries](const runtime::Step &step, const runtime::Plan &plan) {
      cuda::LibraryChoice choice = cuda::chooseLibrary(step, plan, libraries.get());
      if (options.ranksShareDevices && choice.library == cuda::nccl)
        return std::string();
      return libraries || assumesLibrary(options, choice.library) ? choice.library : std::string();
    };
  }

  Result<std::shared_ptr<runtime::Device>> openDevice(const CompiledProgram &program,
                                                      int offset) const override {
    int device = program.device + offset;
    if (auto count = cuda::countDevices(); offset > 0 && count)
      device %= std::max(1, *count);
    auto opened = cuda::cudaContext(device);
    if (!opened)
      return opened.diagnostics();
    return std::shared_ptr<runtime::Device>(
        std::make_shared<cuda::CudaDevice>(opened->driver, program.deviceCode, cuda::deviceOptions(*opened)));
  }

private:
  cuda::CudaContext context; ///< without members until chooseChip, or if the chip is given
};

} // namespace

std::unique_ptr<Backend> createCudaBackend() { return std::make_unique<CudaBackend>(); }

} // namespace proa
