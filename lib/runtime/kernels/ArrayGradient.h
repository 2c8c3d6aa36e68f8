/// Factories of the library kernels that gradients through tensor arrays need.
#pragma once

#include "lib/runtime/Library.h"

namespace proa::runtime {

Result<std::unique_ptr<LibraryKernel>> makeArrayAdd(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArrayConcat(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArrayReadOr(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArraySplit(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArrayZerosLike(const KernelRequest &request);

} // namespace proa::runtime
