/// Measurement of kernels with several strategies on a device.
#pragma once

#include "lib/compiler/cuda/Tuning.h"
#include "lib/runtime/cuda/CudaContext.h"

#include <functional>

namespace proa {

struct TuneOptions {
  cuda::CudaContext context;
  int launches = 20;  ///< of a measurement, each with cold caches; the median counts
  bool again = false; ///< measures kernels that the database has already
  /// Called for each kernel with what was found, or why it was not measured.
  std::function<void(const std::string &text)> report;
};

/// The strategies that are tried for a kernel on linalg; the first one is the default.
std::vector<KernelStrategy> strategiesOf(mlir::func::FuncOp kernel);

/// Measures each kernel of the module (on linalg) that has static dims and a form on the device, and puts the
/// fastest strategy into the database. Operands are random. Strategies that the device refuses are left out.
/// Returns the number of measured kernels. Error: the device refuses the default.
Result<size_t> tuneKernels(mlir::ModuleOp kernels, TuningDatabase &database, const TuneOptions &options);

} // namespace proa
