/// Dense linear algebra of plans by the library of a device.
#pragma once

#include "lib/runtime/run/Device.h"

namespace proa::cuda {

/// The kernel of "cholesky", "lu", "qr", "svd", "eigh", "solve", "inverse", "cholesky_solve" or
/// "triangular_solve" on stacks of matrices of float32, float64, complex64 or complex128, one matrix after
/// the other. A matrix that cannot be treated makes the next wait fail. Its queues belong to CudaDevice.
/// Error: another kernel or type.
Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
createDeviceSolver(const runtime::Step &step, const runtime::KernelRequest &request);

} // namespace proa::cuda
