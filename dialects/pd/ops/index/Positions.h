/// Where index tensors point to, for the reference evaluator.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// `index` counted from the front; nothing where it is outside of the dimension.
std::optional<int64_t> positionIn(int64_t index, int64_t extent);

/// The place of `index` in a tensor whose dimensions of extent 1 are broadcast.
int64_t broadcastOffset(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> index);

/// How many of x's first dimensions the rows of an index tensor address; emits an error where the operands
/// don't fit.
mlir::FailureOr<int64_t> addressedDims(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                       mlir::RankedTensorType index);

/// The slices of a tensor that the rows of an index tensor address.
class RowPositions {
public:
  RowPositions(llvm::ArrayRef<int64_t> dims, const Tensor &index);
  /// Elements of one slice.
  int64_t inner() const { return innerSize; }
  int64_t count() const { return depth == 0 ? 1 : index.size() / depth; }
  /// Where the slice of a row begins; nothing where the row points outside.
  std::optional<int64_t> offset(int64_t row) const;

private:
  llvm::ArrayRef<int64_t> dims;
  const Tensor &index;
  int64_t depth, innerSize = 1;
};

} // namespace proa::pd
