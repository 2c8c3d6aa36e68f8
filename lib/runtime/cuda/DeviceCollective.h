/// Collectives of plans between devices.
#pragma once

#include "lib/runtime/ranks/Collective.h"
#include "lib/runtime/run/Device.h"

namespace proa::cuda {

/// The kernel of a step between placements (lib/runtime/ranks/Collective.h) of a value of static dims. Its
/// queues belong to CudaDevice. Error: another kernel, dynamic dims, or a reduction that NCCL lacks.
Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
createDeviceCollective(const runtime::Step &step, const runtime::KernelRequest &request);

/// The same from the placements.
Result<std::shared_ptr<runtime::DeviceLibraryKernel>> createDeviceCollective(runtime::PlacementStep placed,
                                                                             DType dtype);

} // namespace proa::cuda
