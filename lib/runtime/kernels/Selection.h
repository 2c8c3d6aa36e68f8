/// The factories of kernels that select by scores or weigh by them, look up codes, and print.
#pragma once

#include "lib/runtime/Library.h"

namespace proa::runtime {

Result<std::unique_ptr<LibraryKernel>> makeAttentionLstm(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeBeamSearch(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeBoxDecoderAndAssign(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeHash(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeLocalityAwareNms(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeLookupTableDequant(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeMineHardExamples(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makePrint(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeRetinanetDetectionOutput(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeSimilarityFocus(const KernelRequest &request);

} // namespace proa::runtime
