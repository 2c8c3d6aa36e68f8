#include "dialects/pd/ops/detection/Matching.h"

using namespace mlir;

namespace proa::pd {

LogicalResult inferSimilarityFocusOf(std::optional<Location> location, RankedTensorType x, int64_t axis,
                                     llvm::ArrayRef<int64_t> indexes, Results &results) {
  if (x.getRank() != 4 || axis < 1 || axis > 3)
    return inferenceError(location, "C1: x must have rank 4 and axis be 1, 2 or 3, found rank " +
                                        llvm::Twine(x.getRank()) + " and axis " + llvm::Twine(axis));
  bool isWithin = llvm::all_of(indexes, [&](int64_t index) {
    return index >= 0 && (x.isDynamicDim(axis) || index < x.getDimSize(axis));
  });
  if (indexes.empty() || !isWithin)
    return inferenceError(location, "C2: there must be an index, and all must be within the dim of the axis");
  results.push_back(x);
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/detection/Matching.cpp.inc"
#include "dialects/pd/ops/detection/Matching.methods.inc"
#include "dialects/pd/ops/detection/Matching.scalar.inc"
