/// Execution of plans on a CUDA device.
#pragma once

#include "lib/runtime/cuda/DeviceCode.h"
#include "lib/runtime/cuda/Driver.h"
#include "lib/runtime/cuda/Libraries.h"
#include "lib/runtime/run/Device.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace proa::cuda {

struct CudaDeviceOptions {
  /// Waits after each launch, so that the error of a kernel is reported for its step.
  bool waitsAfterLaunch = false;
  /// Copies of at most this size use pinned memory of the queue; larger ones are left to the driver.
  size_t stagingBytes = size_t(16) << 20;
  /// Sessions record graphs of steps with static dims.
  bool usesGraphs = true;
  /// Null: plans with library steps cannot be loaded.
  std::shared_ptr<Libraries> libraries = nullptr;
};

/// Peaks of a device from its attributes; zeros for what is not known.
runtime::DevicePeaks peaksOf(const DeviceProperties &properties);

/// The kernels of a program on one device. Each queue has a stream of its own. Thread-safe.
class CudaDevice final : public runtime::Device {
public:
  /// `code` belongs to the program; kernels are loaded when they are bound.
  CudaDevice(std::shared_ptr<Driver> driver, DeviceCode code, const CudaDeviceOptions &options = {});
  ~CudaDevice() override;

  const std::string &name() const override { return title; }
  Result<size_t> bind(const std::string &symbol, const runtime::DeviceLaunch &launch) override;
  Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
  bindLibrary(const runtime::Step &step, const runtime::KernelRequest &request) override;
  Result<std::unique_ptr<runtime::DeviceQueue>> createQueue() override;
  bool recordsGraphs() const override { return options.usesGraphs && !options.waitsAfterLaunch; }
  runtime::DevicePeaks peaks() const override;
  std::string memoryText() override;

  /// A bound kernel.
  struct Kernel {
    std::string symbol;
    FunctionHandle function;
    uint32_t threads = 1, sharedBytes = 0, residentBlocks = 0;
    std::string parameters; ///< as runtime::DeviceLaunch::parameters
    std::vector<runtime::TensorMapParameter> tensorMaps;
  };

  Kernel kernel(size_t index) const;
  const CudaDeviceOptions &settings() const { return options; }
  const std::shared_ptr<Driver> &sharedDriver() const { return driver; }

private:
  Result<FunctionHandle> load(const std::string &symbol);
  Diagnostics loadError(const KernelImage &image, const Diagnostics &diagnostics, bool isPtx) const;

  std::shared_ptr<Driver> driver;
  DeviceCode code;
  CudaDeviceOptions options;
  std::string title;
  mutable std::mutex mutex;
  std::map<std::string, FunctionHandle> functions; ///< by symbol, of loaded kernels
  std::vector<ModuleHandle> modules;
  std::vector<Kernel> kernels;
};

} // namespace proa::cuda
