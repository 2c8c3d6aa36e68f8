/// Fourier transforms of plans by the library of a device.
#pragma once

#include "lib/runtime/run/Device.h"

namespace proa::cuda {

/// The kernel of "fft_c2c", "fft_r2c" (forward, one-sided) or "fft_c2r" (backward). Its queues belong to
/// CudaDevice. Error: other transforms, which cuFFT lacks.
Result<std::shared_ptr<runtime::DeviceLibraryKernel>> createDeviceFft(const runtime::Step &step,
                                                                      const runtime::KernelRequest &request);

} // namespace proa::cuda
