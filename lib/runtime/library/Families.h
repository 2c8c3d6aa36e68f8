/// The factories of the library's kernels, one for each name in Library.cpp.
#pragma once

#include "lib/runtime/Library.h"

namespace proa::runtime {

Result<std::unique_ptr<LibraryKernel>> makeMatmul(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeConv2d(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeConv3d(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeConv2dTranspose(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeConv3dTranspose(const KernelRequest &request);

} // namespace proa::runtime
