#include "lib/runtime/cuda/CudaDevice.h"

#include "lib/runtime/cuda/CudaQueue.h"
#include "lib/runtime/cuda/DeviceMatmul.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::cuda {
namespace {

constexpr size_t defaultSharedBytes = size_t(48) << 10; ///< above it a kernel must ask

Diagnostics withPrefix(const std::string &prefix, const Diagnostics &diagnostics) {
  Diagnostics named;
  for (const Diagnostic &p : diagnostics)
    named.add(p.location, prefix + p.message);
  return named;
}

} // namespace

CudaDevice::CudaDevice(std::shared_ptr<Driver> given, DeviceCode program, const CudaDeviceOptions &options)
    : driver(std::move(given)), code(std::move(program)), options(options), title(driver->properties().name) {
}

CudaDevice::~CudaDevice() {
  for (ModuleHandle module : modules)
    (void)bool(driver->unloadModule(module));
}

/// The function of a kernel whose module is loaded on the first call.
Result<FunctionHandle> CudaDevice::load(const std::string &symbol) {
  if (auto found = functions.find(symbol); found != functions.end())
    return found->second;
  auto image = std::ranges::find(code.kernels, symbol, &KernelImage::symbol);
  if (image == code.kernels.end())
    return errorAt("", fmt::format("the device code has no kernel '{}'", symbol));
  const DeviceProperties &properties = driver->properties();
  bool hasCubin = !image->cubin.empty() && runsOn(code.chip, properties.major, properties.minor);
  if (!hasCubin && image->ptx.empty())
    return errorAt("", fmt::format("kernel '{}' is compiled for {}, but {} has compute capability {}.{}",
                                   symbol, code.chip, properties.name, properties.major, properties.minor));
  Result<ModuleHandle> module = driver->loadModule(hasCubin ? image->cubin : image->ptx);
  if (!module)
    return withPrefix(fmt::format("kernel '{}' cannot be loaded: ", symbol), module.diagnostics());
  modules.push_back(*module);
  Result<FunctionHandle> function = driver->function(*module, symbol);
  if (!function)
    return withPrefix(fmt::format("kernel '{}': ", symbol), function.diagnostics());
  functions.emplace(symbol, *function);
  return function;
}

Result<size_t> CudaDevice::bind(const std::string &symbol, const runtime::DeviceLaunch &launch) {
  std::lock_guard lock(mutex);
  Result<FunctionHandle> function = load(symbol);
  if (!function)
    return function.diagnostics();
  auto sharedBytes = static_cast<size_t>(launch.sharedBytes);
  if (launch.sharedBytes > driver->properties().sharedBytesPerBlock)
    return errorAt("", fmt::format("kernel '{}' needs {} bytes of shared memory, but {} has {}", symbol,
                                   launch.sharedBytes, title, driver->properties().sharedBytesPerBlock));
  if (sharedBytes > defaultSharedBytes)
    if (Result<void> done = driver->allowSharedBytes(*function, sharedBytes); !done)
      return done.diagnostics();
  kernels.push_back(
      {symbol, *function, static_cast<uint32_t>(launch.threads), static_cast<uint32_t>(launch.sharedBytes)});
  return kernels.size() - 1;
}

Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
CudaDevice::bindLibrary(const runtime::Step &step, const runtime::KernelRequest &request) {
  if (step.launch.library != matmulLibrary)
    return errorAt("", fmt::format("the device has no library '{}'", step.launch.library));
  if (!options.blas)
    return errorAt("", "the step needs cuBLASLt, which is not loaded");
  return createDeviceMatmul(step, request);
}

CudaDevice::Kernel CudaDevice::kernel(size_t number) const {
  std::lock_guard lock(mutex);
  return kernels[number];
}

Result<std::unique_ptr<runtime::DeviceQueue>> CudaDevice::createQueue() {
  Result<StreamHandle> stream = driver->createStream();
  if (!stream)
    return stream.diagnostics();
  return std::unique_ptr<runtime::DeviceQueue>(std::make_unique<CudaQueue>(*this, *stream));
}

std::string CudaDevice::memoryText() {
  Result<MemoryInfo> info = driver->memoryInfo();
  return info ? fmt::format("{} of {} bytes free", info->freeBytes, info->totalBytes) : "size unknown";
}

} // namespace proa::cuda
