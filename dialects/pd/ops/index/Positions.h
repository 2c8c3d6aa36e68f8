/// Resolution of index tensors, for the reference evaluator.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// `index` as a non-negative index; nothing if it is out of range.
std::optional<int64_t> positionIn(int64_t index, int64_t dimSize);

/// The offset of `index` in a tensor whose dimensions of size 1 are broadcast.
int64_t broadcastOffset(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> index);

/// The number of leading dimensions of x that the rows of an index tensor address; emits an error if the
/// operands do not match.
mlir::FailureOr<int64_t> addressedDims(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                       mlir::RankedTensorType index);

/// The dims of the elements that `indices` address along `axis` of x, where indices of size 1 are broadcast
/// in other dimensions. Emits an error, C1 to C3 of take_along_axis and put_along_axis, if they do not match.
mlir::FailureOr<llvm::SmallVector<int64_t>> dimsAlongAxis(std::optional<mlir::Location> location,
                                                          int64_t axis, mlir::RankedTensorType x,
                                                          mlir::RankedTensorType indices);

/// The slices of a tensor addressed by the rows of an index tensor.
class RowPositions {
public:
  RowPositions(llvm::ArrayRef<int64_t> dims, const Tensor &index);
  /// Number of elements of a slice.
  int64_t inner() const { return innerSize; }
  int64_t count() const { return depth == 0 ? 1 : index.size() / depth; }
  /// The offset of the slice of a row; nothing if the row is out of range.
  std::optional<int64_t> offset(int64_t row) const;

private:
  llvm::ArrayRef<int64_t> dims;
  const Tensor &index;
  int64_t depth, innerSize = 1;
};

} // namespace proa::pd
