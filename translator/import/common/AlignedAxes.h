/// How the value of a set_value fits the slice that it replaces.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace proa::import {

struct AlignedAxes {
  llvm::SmallVector<int64_t> dropped;  ///< axes to remove from the value first
  llvm::SmallVector<int64_t> inserted; ///< then axes of size 1 to insert
};

/// How to align a value with the slice of a tensor that it is assigned to. The index expression of the slice
/// adds the axes `none` of size 1 and removes the axes `decreased`. Broadcasting adds missing leading axes.
AlignedAxes alignedAxes(int64_t valueRank, int64_t rank, llvm::ArrayRef<int64_t> decreased,
                        llvm::ArrayRef<int64_t> none);

} // namespace proa::import
