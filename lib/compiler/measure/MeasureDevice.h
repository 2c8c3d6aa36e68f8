/// Measurement of a CUDA device by kernels and a library.
#pragma once

#include "lib/base/target/TargetFacts.h"
#include "lib/runtime/cuda/CudaContext.h"

namespace proa {

/// Measures the facts of a device that its driver does not report: the start of a kernel in a CUDA graph (in
/// a stream, where graphs are off), the bandwidth of its memory and of its L2 cache, and a call of cuBLASLt,
/// if it is found. `gpu` has the multiprocessors and the clock. Error: a kernel cannot be compiled, or the
/// device fails.
Result<void> measureDevice(const cuda::CudaContext &context, GpuFacts &gpu);

} // namespace proa
