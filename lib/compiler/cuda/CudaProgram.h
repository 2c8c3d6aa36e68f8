/// The part of a compiled program that runs on a CUDA device.
#pragma once

#include "lib/compiler/codegen/ObjectCache.h"
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

/// Compiles the kernels of `kernels` (on linalg) that have a form on the device, and removes them. Kernels
/// with machine code need no toolkit at run time; without an assembler they have PTX, which the driver
/// compiles. Error: a pass, or the assembler.
///
/// `cache` keeps machine code by PTX, chip and version of the assembler; null: none.
Result<DeviceKernelSet> takeDeviceKernels(mlir::ModuleOp kernels, const std::string &chip,
                                          const std::string &dumpDirectory,
                                          const ObjectCache *cache = nullptr,
                                          const KernelStrategy &strategy = {});

/// The same, by the strategies of the database.
Result<DeviceKernelSet> takeTunedKernels(mlir::ModuleOp kernels, const std::string &chip,
                                         const std::string &dumpDirectory, const ObjectCache *cache,
                                         const TuningDatabase &database);

} // namespace proa
