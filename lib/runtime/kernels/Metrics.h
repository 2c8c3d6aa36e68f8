/// The factories of kernels that count: measures of predictions, neighbours in graphs.
#pragma once

#include "lib/runtime/Library.h"

namespace proa::runtime {

Result<std::unique_ptr<LibraryKernel>> makeAuc(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeChunkEval(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeGraphSampleNeighbors(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makePrecisionRecall(const KernelRequest &request);

} // namespace proa::runtime
