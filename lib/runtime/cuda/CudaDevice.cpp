#include "lib/runtime/cuda/CudaDevice.h"

#include "lib/runtime/cuda/CudaQueue.h"
#include "lib/runtime/cuda/DeviceLibraries.h"

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
  // A CUDA driver refuses machine code of a toolkit that is newer than it, and may still compile the PTX.
  if (!module && hasCubin && !image->ptx.empty())
    if (Result<ModuleHandle> compiled = driver->loadModule(image->ptx))
      module = std::move(compiled);
  if (!module)
    return loadError(*image, module.diagnostics(), !hasCubin);
  modules.push_back(*module);
  Result<FunctionHandle> function = driver->function(*module, symbol);
  if (!function)
    return withPrefix(fmt::format("kernel '{}': ", symbol), function.diagnostics());
  functions.emplace(symbol, *function);
  return function;
}

/// The error of a module, with the cause where the driver is older than the code.
Diagnostics CudaDevice::loadError(const KernelImage &image, const Diagnostics &diagnostics,
                                  bool isPtx) const {
  int version = driver->properties().driverVersion;
  Diagnostics named;
  for (const Diagnostic &p : diagnostics) {
    std::string text = fmt::format("kernel '{}' cannot be loaded: {}", image.symbol, p.message);
    constexpr std::string_view word = ".version ";
    if (size_t at = image.ptx.find(word); isPtx && at != std::string::npos) {
      size_t begin = at + word.size();
      text +=
          fmt::format("; its PTX has the version {}, and the driver belongs to CUDA {}.{}: install a newer "
                      "driver, or an assembler (proa-ptx --toolkit)",
                      image.ptx.substr(begin, image.ptx.find_first_of("\r\n ", begin) - begin),
                      version / 1000, version % 1000 / 10);
    }
    named.add(p.location, text);
  }
  return named;
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
  kernels.push_back({symbol, *function, static_cast<uint32_t>(launch.threads),
                     static_cast<uint32_t>(launch.sharedBytes), static_cast<uint32_t>(launch.residentBlocks),
                     launch.parameters, launch.tensorMaps});
  return kernels.size() - 1;
}

Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
CudaDevice::bindLibrary(const runtime::Step &step, const runtime::KernelRequest &request) {
  Result<void> usable = options.libraries ? options.libraries->check(step.launch.library)
                                          : errorAt("", "the device has no libraries");
  if (!usable)
    return withPrefix(fmt::format("the step needs the library '{}': ", step.launch.library),
                      usable.diagnostics());
  return createDeviceKernel(step, request);
}

CudaDevice::Kernel CudaDevice::kernel(size_t index) const {
  std::lock_guard lock(mutex);
  return kernels[index];
}

Result<std::unique_ptr<runtime::DeviceQueue>> CudaDevice::createQueue() {
  Result<StreamHandle> stream = driver->createStream();
  if (!stream)
    return stream.diagnostics();
  return std::unique_ptr<runtime::DeviceQueue>(std::make_unique<CudaQueue>(*this, *stream));
}

runtime::DevicePeaks CudaDevice::peaks() const { return peaksOf(driver->properties()); }

runtime::DevicePeaks peaksOf(const DeviceProperties &properties) {
  // Operations of a multiprocessor in a cycle: multiplications and additions of float32, and of 16-bit floats
  // in tensor cores (NVIDIA's tables of throughput and data sheets).
  struct Row {
    int major, minor; ///< compute capability; minor -1: any
    double flops, tensor;
  };
  static constexpr Row rows[] = {{7, 0, 128, 1024},  {7, 5, 128, 1024},  {8, 0, 128, 2048},
                                 {8, -1, 256, 1024}, {9, -1, 256, 4096}, {10, -1, 256, 8192},
                                 {12, -1, 256, 1024}};
  runtime::DevicePeaks peaks;
  // Memory transfers twice in a cycle.
  peaks.bytesPerSecond =
      2e3 * static_cast<double>(properties.memoryClockKilohertz) * properties.memoryBusBits / 8;
  double cycles = 1e3 * static_cast<double>(properties.clockKilohertz) * properties.multiprocessors;
  for (const Row &row : rows)
    if (row.major == properties.major && (row.minor < 0 || row.minor == properties.minor)) {
      peaks.flopsPerSecond = cycles * row.flops;
      peaks.tensorPerSecond = cycles * row.tensor;
      break;
    }
  return peaks;
}

std::string CudaDevice::memoryText() {
  Result<MemoryInfo> info = driver->memoryInfo();
  return info ? fmt::format("{} of {} bytes free", info->freeBytes, info->totalBytes) : "size unknown";
}

} // namespace proa::cuda
