/// The factories of kernels that compute losses.
#pragma once

#include "lib/runtime/Library.h"

namespace proa::runtime {

Result<std::unique_ptr<LibraryKernel>> makeWarprnnt(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeYoloLoss(const KernelRequest &request);

} // namespace proa::runtime
