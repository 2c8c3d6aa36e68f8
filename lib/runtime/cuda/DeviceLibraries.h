/// Library steps of plans that libraries of a CUDA device compute.
#pragma once

#include "lib/runtime/cuda/Libraries.h"
#include "lib/runtime/run/Device.h"

namespace proa::cuda {

/// The library of a step, or the reason why none computes it.
struct LibraryChoice {
  std::string library; ///< empty: the step runs on the host
  std::string reason;
};

/// The choice between a library of the device and the host, for planner::buildPlan. The field `cudaLibrary`
/// of the op's record names the library; the step stays on the host if that library cannot be used, or does
/// not take the step's attributes or types. `libraries` null: the program is for a device that is not here,
/// and has all of them.
LibraryChoice chooseLibrary(const runtime::Step &step, const runtime::Plan &plan, Libraries *libraries);

/// The kernel of a step with DeviceLaunch::library. Error: attributes or operands that the library does not
/// take.
Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
createDeviceKernel(const runtime::Step &step, const runtime::KernelRequest &request);

} // namespace proa::cuda
