/// Convolution steps of plans by the library of a device.
#pragma once

#include "lib/runtime/run/Device.h"

namespace proa::cuda {

/// The kernel of a convolution of two or three spatial axes, a transposed one, or a filter's gradient, in
/// float16, bfloat16, float32 or float64. Post-ops are at most one bias and one addition of a tensor with the
/// dims of the result, then at most one relu. Its queues belong to CudaDevice. Error: attributes or
/// operands that the library does not take, such as paddings that differ on the two sides of an axis and
/// matter.
Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
createDeviceConvolution(const runtime::Step &step, const runtime::KernelRequest &request);

} // namespace proa::cuda
