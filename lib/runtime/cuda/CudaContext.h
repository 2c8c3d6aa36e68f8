/// The CUDA devices of this process.
#pragma once

#include "lib/runtime/cuda/CudaDevice.h"

#include <memory>
#include <string>

namespace proa::cuda {

/// A device that this process uses, and its libraries.
struct CudaContext {
  std::shared_ptr<Driver> driver;
  std::shared_ptr<Libraries> libraries;
};

/// The context of a device, opened by the first call that succeeds. Error: "no CUDA device: REASON".
Result<CudaContext> cudaContext(int device = 0);

/// Makes cudaContext(device) return another one, such as doubles for tests; without a driver the next call
/// opens the device.
void setCudaContext(CudaContext context, int device = 0);

/// Settings of the programs on a device, from the environment. PROA_CUDA_GRAPHS=off runs steps one after
/// the other.
CudaDeviceOptions deviceOptions(const CudaContext &context);

/// "sm_90a" of a device of compute capability 9.0.
std::string chipOf(const DeviceProperties &properties);

/// How well code runs on a device: 2: machine code for it; 1: PTX that its driver compiles, of a chip without
/// features of one architecture (sm_80, not sm_90a) that is not newer; 0: not at all.
int fitOf(const DeviceCode &code, const DeviceProperties &properties);

} // namespace proa::cuda
