#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/image/Image.h"
#include "dialects/pd/ops/image/PoolOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {

llvm::SmallVector<int64_t> kernelFromTensor(Value tensor, int64_t spatial) {
  auto elements = knownElements(tensor);
  return succeeded(elements) ? *elements : llvm::SmallVector<int64_t>(spatial, ShapedType::kDynamic);
}

LogicalResult inferPoolOf(std::optional<Location> location, RankedTensorType x, const PoolWindow &pool,
                          Results &results) {
  const Window &window = pool.window;
  int64_t rank = window.spatial + 2;
  if (x.getRank() != rank)
    return inferenceError(location, "C1: x must have rank " + llvm::Twine(rank) + ", found rank " +
                                        llvm::Twine(x.getRank()));
  llvm::SmallVector<int64_t> input = spatialDims(x.getShape(), pool.dataFormat), out;
  bool isKernelGood = static_cast<int64_t>(window.kernel.size()) == window.spatial &&
                      llvm::all_of(window.kernel, [](int64_t dimSize) {
                        return dimSize > 0 || ShapedType::isDynamic(dimSize);
                      });
  if ((pool.isGlobal || pool.isAdaptive) &&
      failed(checkUnusedStrides(location, window, pool.isGlobal && !pool.isAdaptive, "C3")))
    return failure();
  if (pool.isGlobal) {
    out.assign(window.spatial, 1);
  } else if (!isKernelGood) {
    return inferenceError(location,
                          "C2: kernel_size must be " + llvm::Twine(window.spatial) + " positive numbers");
  } else if (pool.isAdaptive) {
    out = window.kernel;
  } else {
    if (failed(checkWindow(location, window, "C3")))
      return failure();
    auto counts = windowCounts(location, window, input, pool.ceilMode, "C5");
    if (failed(counts))
      return failure();
    out = *counts;
  }
  int64_t channels = x.getDimSize(channelsAreLast(pool.dataFormat) ? rank - 1 : 1);
  results.push_back(
      RankedTensorType::get(shapeOf(x.getDimSize(0), channels, out, pool.dataFormat), x.getElementType()));
  return success();
}

namespace {

/// Replaces global pooling by a window of the static dims of the input; whether it did.
template <class PoolOp> bool makeGlobalExplicit(PoolOp op, const PoolWindow &pool, size_t paddingsPerDim) {
  llvm::SmallVector<int64_t> input = spatialDims(tensorType(op.getX()).getShape(), pool.dataFormat);
  if (!pool.isGlobal ||
      llvm::any_of(input, [](int64_t dim) { return ShapedType::isDynamic(dim) || dim == 0; }))
    return false;
  op.setGlobalPooling(false);
  op.setAdaptive(false);
  op.setKernelSize(input);
  op.setStrides(llvm::SmallVector<int64_t>(input.size(), 1));
  op.setPaddings(llvm::SmallVector<int64_t>(input.size() * paddingsPerDim, 0));
  return true;
}

template <class PoolOp> OpFoldResult foldPool(PoolOp op) {
  RankedTensorType x = tensorType(op.getX());
  PoolWindow pool = poolWindow(op, x.getRank() - 2);
  if (makeGlobalExplicit(op, pool, 2)) {
    op.getKernelSizeTensorMutable().clear(); // it would override the window
    op.setPaddingAlgorithm(PaddingAlgorithm::Explicit);
    return op.getOut();
  }
  if (pool.isGlobal || pool.isAdaptive)
    return {};
  llvm::SmallVector<int64_t> paddings =
      pool.window.resolvedPaddings(spatialDims(x.getShape(), pool.dataFormat));
  if (llvm::is_contained(paddings, ShapedType::kDynamic) ||
      (op.getPaddingAlgorithm() == PaddingAlgorithm::Explicit &&
       llvm::ArrayRef(paddings) == op.getPaddings()))
    return {};
  op.setPaddings(paddings);
  op.setPaddingAlgorithm(PaddingAlgorithm::Explicit);
  return op.getOut();
}

} // namespace

OpFoldResult Pool2dOp::fold(FoldAdaptor) { return foldPool(*this); }
OpFoldResult Pool3dOp::fold(FoldAdaptor) { return foldPool(*this); }

LogicalResult MaxPool2dWithIndexOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  return success(makeGlobalExplicit(*this, maxPoolWindow(*this, 2), 1));
}
LogicalResult MaxPool3dWithIndexOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  return success(makeGlobalExplicit(*this, maxPoolWindow(*this, 3), 1));
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/image/Pool.cpp.inc"
#include "dialects/pd/ops/image/Pool.methods.inc"
#include "dialects/pd/ops/image/Pool.scalar.inc"
