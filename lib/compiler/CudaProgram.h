/// The part of a compiled program that runs on a CUDA device.
#pragma once

#include "lib/planner/BuildPlan.h"
#include "lib/runtime/cuda/CudaDevice.h"
#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace proa {

/// The device that this process uses, and its libraries.
struct CudaContext {
  std::shared_ptr<cuda::Driver> driver;
  std::shared_ptr<cuda::Blas> blas; ///< null: cuBLASLt was not found, and matrix products run on the host
};

/// The context of device 0, opened by the first call that succeeds. Error: "no CUDA device: REASON".
Result<CudaContext> cudaContext();

/// Makes cudaContext() return another one, such as doubles for tests.
void setCudaContext(CudaContext context);

/// "sm_90a" of a device of compute capability 9.0.
std::string chipOf(const cuda::DeviceProperties &properties);

struct DeviceKernelSet {
  llvm::StringMap<planner::KernelFacts> facts;
  cuda::DeviceCode code;
  std::string hostArchive; ///< object code of the functions that compute shapes; may be empty
};

/// Compiles the kernels of `kernels` (on linalg) that have a form on the device, and removes them. Kernels
/// with machine code need no toolkit at run time; without an assembler they have PTX, which the driver
/// compiles. Error: a pass, or the assembler.
Result<DeviceKernelSet> takeDeviceKernels(mlir::ModuleOp kernels, const std::string &chip,
                                          const std::string &dumpDirectory);

} // namespace proa
