#include "lib/runtime/cuda/CudaContext.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>

namespace proa::cuda {
namespace {

std::mutex contextMutex;
/// By the number of the device. Never destroyed: the libraries of CUDA have exit handlers of their own, after
/// which their handles must not be used.
std::map<int, CudaContext> &openContexts() {
  static auto &contexts = *new std::map<int, CudaContext>();
  return contexts;
}

} // namespace

Result<CudaContext> cudaContext(int device) {
  std::lock_guard lock(contextMutex);
  if (auto found = openContexts().find(device); found != openContexts().end())
    return found->second;
  auto driver = openDriver(device);
  if (!driver)
    return driver.diagnostics();
  return openContexts()[device] = {*driver, std::make_shared<Libraries>(*driver)};
}

void setCudaContext(CudaContext context, int device) {
  std::lock_guard lock(contextMutex);
  if (context.driver)
    openContexts()[device] = std::move(context);
  else
    openContexts().erase(device);
}

CudaDeviceOptions deviceOptions(const CudaContext &context) {
  CudaDeviceOptions options;
  const char *graphs = std::getenv("PROA_CUDA_GRAPHS");
  options.usesGraphs = !graphs || std::string_view(graphs) != "off";
  options.libraries = context.libraries;
  return options;
}

std::string chipOf(const DeviceProperties &properties) {
  std::string chip = "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
  // Features of one architecture only, such as wgmma.
  bool hasOwnFeatures = properties.minor == 0 && (properties.major == 9 || properties.major == 10);
  return hasOwnFeatures ? chip + "a" : chip;
}

int fitOf(const DeviceCode &code, const DeviceProperties &properties) {
  auto all = [&](auto has) { return std::ranges::all_of(code.kernels, has); };
  if (runsOn(code.chip, properties.major, properties.minor) &&
      all([](const KernelImage &kernel) { return !kernel.cubin.empty() || !kernel.ptx.empty(); }))
    return 2;
  constexpr std::string_view prefix = "sm_";
  int count = 0;
  const char *end = code.chip.data() + code.chip.size();
  bool isPortable = code.chip.starts_with(prefix) &&
                    std::from_chars(code.chip.data() + prefix.size(), end, count).ptr == end &&
                    count <= 10 * properties.major + properties.minor;
  return isPortable && all([](const KernelImage &kernel) { return !kernel.ptx.empty(); }) ? 1 : 0;
}

} // namespace proa::cuda
