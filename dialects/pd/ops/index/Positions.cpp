#include "dialects/pd/ops/index/Positions.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {

std::optional<int64_t> positionIn(int64_t index, int64_t dimSize) {
  if (index < -dimSize || index >= dimSize)
    return std::nullopt;
  return index < 0 ? index + dimSize : index;
}

int64_t broadcastOffset(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> index) {
  int64_t at = 0;
  size_t skipped = index.size() - dims.size();
  for (auto [d, dimSize] : llvm::enumerate(dims))
    at = at * dimSize + (dimSize == 1 ? 0 : index[skipped + d]);
  return at;
}

FailureOr<int64_t> addressedDims(std::optional<Location> location, RankedTensorType x,
                                 RankedTensorType index) {
  int64_t depth = index.getRank() == 0 ? ShapedType::kDynamic : index.getShape().back();
  if (ShapedType::isDynamic(depth))
    return inferenceError(location, "C1: the last dim of index must be static");
  if (depth > x.getRank())
    return inferenceError(location, "C2: the last dim of index must be at most " + llvm::Twine(x.getRank()) +
                                        ", the rank of x, found " + llvm::Twine(depth));
  return depth;
}

FailureOr<llvm::SmallVector<int64_t>> dimsAlongAxis(std::optional<Location> location, int64_t axis,
                                                    RankedTensorType x, RankedTensorType indices) {
  auto along = normalizeAxis(location, axis, x.getRank(), "C1");
  if (failed(along))
    return failure();
  if (indices.getRank() != x.getRank())
    return inferenceError(location, "C2: x and indices must have the same rank, found " +
                                        llvm::Twine(x.getRank()) + " and " + llvm::Twine(indices.getRank()));
  llvm::SmallVector<int64_t> dims(indices.getShape());
  for (auto [d, dimSize] : llvm::enumerate(dims)) {
    int64_t own = x.getDimSize(d);
    if (static_cast<int64_t>(d) == *along || own == 1)
      continue;
    if (dimSize == 1)
      dimSize = own;
    else if (!ShapedType::isDynamic(dimSize) && !ShapedType::isDynamic(own) && dimSize > own)
      return inferenceError(location, "C3: dimension " + llvm::Twine(d) + " of the indices is " +
                                          llvm::Twine(dimSize) + ", the operand's " + llvm::Twine(own));
  }
  return dims;
}

RowPositions::RowPositions(llvm::ArrayRef<int64_t> dims, const Tensor &index)
    : dims(dims), index(index), depth(index.dims().back()) {
  for (int64_t dimSize : dims.drop_front(depth))
    innerSize *= dimSize;
}

std::optional<int64_t> RowPositions::offset(int64_t row) const {
  int64_t at = 0;
  for (int64_t d = 0; d < depth; ++d) {
    auto position = positionIn(loadScalar(index, row * depth + d).integer, dims[d]);
    if (!position)
      return std::nullopt;
    at = at * dims[d] + *position;
  }
  return at * innerSize;
}

} // namespace proa::pd
