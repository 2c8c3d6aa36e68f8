#include "dialects/pd/ir/RandomShard.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::pd {

bool isShard(Value begin, llvm::ArrayRef<int64_t> whole, int64_t rank) {
  if (whole.empty())
    return !begin;
  auto type = begin ? tensorType(begin) : RankedTensorType();
  bool isVector = type && type.getRank() == 1 && (type.isDynamicDim(0) || type.getDimSize(0) == rank);
  return isVector && static_cast<int64_t>(whole.size()) == rank;
}

std::string expectedShard(int64_t rank) {
  return "whole_shape and part_begin must have an entry for each of the " + std::to_string(rank) +
         " dimensions, or be absent";
}

LogicalResult checkShard(std::optional<Location> location, Value begin, llvm::ArrayRef<int64_t> whole,
                         int64_t rank, llvm::StringRef constraint) {
  return isShard(begin, whole, rank) ? success()
                                     : inferenceError(location, constraint + ": " + expectedShard(rank));
}

} // namespace proa::pd
