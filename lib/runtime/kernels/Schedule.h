/// The factory of the kernel that plans the way back through a loop.
#pragma once

#include "lib/runtime/Library.h"

namespace proa::runtime {

Result<std::unique_ptr<LibraryKernel>> makeBinomialSchedule(const KernelRequest &request);

} // namespace proa::runtime
