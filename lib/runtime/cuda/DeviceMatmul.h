/// Matmul steps of plans by the matrix library of a device.
#pragma once

#include "lib/runtime/plan/Library.h"
#include "lib/runtime/plan/Plan.h"
#include "lib/runtime/run/Device.h"

#include <memory>
#include <string>

namespace proa::cuda {

/// The kernel of a step "matmul" or "fused_matmul" of float16, bfloat16, float32 or float64 whose post-ops
/// are at most one bias and one addition of a tensor with the dims of the result, then at most one
/// activation, relu or gelu_tanh. Its queues belong to CudaDevice. Error: attributes or operands that
/// cuBLASLt does not take.
Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
createDeviceMatmul(const runtime::Step &step, const runtime::KernelRequest &request);

} // namespace proa::cuda
