/// The last step of compilation: the program, cut into kernel calls and library ops, becomes a plan for the
/// runtime.
#pragma once

#include "lib/runtime/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>

namespace proa::planner {

/// Facts about a compiled kernel, from the code generator.
struct KernelFacts {
  int64_t rows = 1; ///< number of parallel rows; runtime::dynamicDim: the shape function computes it
  double work = 0;  ///< estimated nanoseconds on one thread
  double flops = 0; ///< arithmetic operations of all rows; 0: not known
  runtime::DeviceLaunch launch; ///< of a kernel that runs on a device
  /// Dims of the buffers of scratch memory, in bytes, that follow the results; runtime::dynamicDim: the shape
  /// function computes it.
  std::vector<std::vector<int64_t>> scratch;
  bool hasCounters = false; ///< Step::hasCounters
  std::vector<runtime::IndexCheck> checks;
  std::vector<runtime::DimCheck> dimChecks;
};

using DeviceLibraryChoice = std::function<std::string(const runtime::Step &step, const runtime::Plan &plan)>;

/// Plans `main`. Values that depend on nothing but parameters and constants are computed once, in
/// Plan::prepare. Kernels with a launch run on a device (PlaceOnDevice.h). An op that is neither a kernel
/// call nor a library op is an error that names it.
///
/// `deviceLibrary` names the library of the device that computes a library step (DeviceLaunch::library), or
/// returns an empty string; null: none does.
Result<runtime::Plan> buildPlan(mlir::func::FuncOp main,
                                const std::function<KernelFacts(llvm::StringRef)> &kernelFacts,
                                const DeviceLibraryChoice &deviceLibrary = nullptr);

/// The user's lines of a location, as in Step::location: "net.py:42", "net.py:42, net.py:44", or "".
std::string lineOf(mlir::Location location);

} // namespace proa::planner
