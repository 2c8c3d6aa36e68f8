/// The factories of the library's kernels, one for each name in Library.cpp.
#pragma once

#include "lib/runtime/Library.h"

namespace proa::runtime {

Result<std::unique_ptr<LibraryKernel>> makeMatmul(const KernelRequest &request);

} // namespace proa::runtime
