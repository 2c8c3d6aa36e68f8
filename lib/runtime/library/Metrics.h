/// The factories of kernels that measure predictions.
#pragma once

#include "lib/runtime/Library.h"

namespace proa::runtime {

Result<std::unique_ptr<LibraryKernel>> makeAuc(const KernelRequest &request);

} // namespace proa::runtime
