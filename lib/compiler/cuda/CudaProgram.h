/// The part of a compiled program that runs on a CUDA device.
#pragma once

#include "lib/compiler/codegen/ObjectCache.h"
#include "lib/compiler/codegen/cuda/KernelResources.h"
#include "lib/compiler/cuda/Tuning.h"
#include "lib/compiler/planner/BuildPlan.h"
#include "lib/runtime/cuda/CudaContext.h"
#include "passes/analysis/KernelNeeds.h"
#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace proa {

/// Facts about a compiled kernel for the planner.
planner::KernelFacts kernelFacts(int64_t rows, double work, const KernelNeeds &needs);

struct DeviceKernelSet {
  llvm::StringMap<planner::KernelFacts> facts;
  cuda::DeviceCode code;
  std::vector<std::string> hostArchives; ///< object code of the functions that compute shapes
};

struct DeviceKernelOptions {
  std::string chip;
  std::string dumpDirectory;                  ///< empty: none
  const ObjectCache *cache = nullptr;         ///< machine code by PTX, chip and version of the assembler
  int64_t maxThreads = 256;                   ///< of buildLowerGpuKernelsPipeline
  std::optional<cuda::ResourceBudget> budget; ///< a kernel that exceeds it is an error; nothing: none is
};

/// Compiles the kernels of `kernels` (on linalg) that have a form on the device, and removes them. Kernels
/// with machine code need no toolkit at run time; without an assembler they have PTX, which the driver
/// compiles. Error: a pass, or the assembler.
Result<DeviceKernelSet> takeDeviceKernels(mlir::ModuleOp kernels, const DeviceKernelOptions &options);

/// The same, by the strategies of the database. Error: it has no valid strategy for a kernel.
Result<DeviceKernelSet> takeTunedKernels(mlir::ModuleOp kernels, const DeviceKernelOptions &options,
                                         const TuningDatabase &database);

} // namespace proa
