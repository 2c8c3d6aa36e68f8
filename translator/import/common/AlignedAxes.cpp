#include "translator/import/common/AlignedAxes.h"

#include "llvm/ADT/STLExtras.h"

namespace proa::import {

AlignedAxes alignedAxes(int64_t valueRank, int64_t rank, llvm::ArrayRef<int64_t> decreased,
                        llvm::ArrayRef<int64_t> none) {
  AlignedAxes axes;
  auto count = [](llvm::ArrayRef<int64_t> list) { return static_cast<int64_t>(list.size()); };
  llvm::SmallVector<int64_t> sorted(none);
  llvm::sort(sorted);
  int64_t indexed = rank - count(decreased) + count(none);
  for (int64_t axis : sorted)
    if (axis - (indexed - valueRank) >= 0)
      axes.dropped.push_back(axis - (indexed - valueRank));
  // The value has the last of the remaining dimensions; a decreased dimension before them
  // all is left to broadcasting.
  int64_t missing = rank - count(decreased) - (valueRank - count(axes.dropped));
  // A value of higher rank than the replaced elements has leading dims of size 1.
  for (int64_t axis = 0; missing < 0 && axis < valueRank; ++axis)
    if (!llvm::is_contained(axes.dropped, axis)) {
      axes.dropped.push_back(axis);
      ++missing;
    }
  int64_t seen = 0;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!llvm::is_contained(decreased, axis))
      ++seen;
    else if (seen > missing)
      axes.inserted.push_back(
          axis - missing -
          (llvm::count_if(decreased, [&](int64_t d) { return d < axis; }) - count(axes.inserted)));
  }
  return axes;
}

} // namespace proa::import
