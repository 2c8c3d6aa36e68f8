/// Matmul steps of plans by the matrix library of a device.
#pragma once

#include "lib/runtime/Device.h"
#include "lib/runtime/Library.h"
#include "lib/runtime/Plan.h"

#include <memory>
#include <string>

namespace proa::cuda {

/// DeviceLaunch::library of a matmul step.
inline constexpr const char *matmulLibrary = "cublaslt";

/// The library of a CUDA device that computes the step: matmulLibrary for steps "matmul" and "fused_matmul"
/// of float16, bfloat16, float32 and float64 whose post-ops are at most one bias and one addition of a tensor
/// with the dims of the result, then at most one activation, relu or gelu_tanh; an empty string for others.
/// For planner::buildPlan.
std::string deviceLibraryOf(const runtime::Step &step, const runtime::Plan &plan);

/// The kernel of such a step; its queues are those of CudaDevice. Error: attributes or operands that it does
/// not take.
Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
createDeviceMatmul(const runtime::Step &step, const runtime::KernelRequest &request);

} // namespace proa::cuda
