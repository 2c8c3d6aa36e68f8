/// The factories of the library's kernels, one for each name in Library.cpp.
#pragma once

#include "lib/runtime/Library.h"

namespace proa::runtime {

Result<std::unique_ptr<LibraryKernel>> makeArrayCreate(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArrayLength(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArrayRead(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArraySlice(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArrayToTensor(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArrayWrite(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeAssert(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArange(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArgmax(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArgmin(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeArgsort(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeBincount(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeConcat(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeConv2d(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeConv2dTranspose(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeConv2dWeightGradient(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeConv3d(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeConv3dTranspose(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeConv3dWeightGradient(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeCummax(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeCummin(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeCumprod(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeCumsum(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeDim(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeEmbedding(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeExpand(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeGather(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeGatherNd(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeInterpolate(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeInterpolateGradient(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeLogcumsumexp(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeMatmul(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeMatrixNms(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeMaxPool2dWithIndex(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeMaxPool3dWithIndex(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeMulticlassNms3(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeNonzero(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makePad(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makePool2d(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makePool2dGradient(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makePool3d(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makePool3dGradient(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makePutAlongAxis(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeRepeatInterleave(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeReshape(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeRnn(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeRnnGradient(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeRoll(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeScatterNd(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeSetValue(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeShape(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeSlice(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeSplit(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeTakeAlongAxis(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeTile(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeTopk(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeTranspose(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeUnique(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeUniqueConsecutive(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeUniqueWithCounts(const KernelRequest &request);
Result<std::unique_ptr<LibraryKernel>> makeYoloBox(const KernelRequest &request);

} // namespace proa::runtime
