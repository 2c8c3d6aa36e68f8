/// Times of compiled kernels, which proa-tune compares.
#pragma once

#include "lib/compiler/cuda/CudaProgram.h"

#include <memory>

namespace proa {

class KernelTimer {
public:
  virtual ~KernelTimer() = default;
  /// Microseconds of a launch of the only kernel of `compiled`, which is `kernel` on tensors. Error: the
  /// device refuses it.
  virtual Result<double> microseconds(mlir::func::FuncOp kernel, const DeviceKernelSet &compiled) = 0;
};

/// Launches on a device, each with cold caches; the median counts.
std::unique_ptr<KernelTimer> createDeviceTimer(cuda::CudaContext context, int launches);

/// Replaces a device in tests of the search: a nanosecond for each instruction of the PTX
/// and each thread of the launch. It does not tell which strategy is fast.
std::unique_ptr<KernelTimer> createInstructionCounter();

} // namespace proa
