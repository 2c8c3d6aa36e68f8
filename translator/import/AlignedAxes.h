/// How the value of a set_value fits the slice that it replaces.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace proa::import {

struct AlignedAxes {
  llvm::SmallVector<int64_t> dropped;  ///< axes that the value loses first
  llvm::SmallVector<int64_t> inserted; ///< then axes of extent 1 that it gets
};

/// The slice as indexed has `none` more axes of extent 1 than that of a tensor of this rank, and lacks the
/// `decreased` ones. What is missing in front is left to broadcasting.
AlignedAxes alignedAxes(int64_t valueRank, int64_t rank, llvm::ArrayRef<int64_t> decreased,
                        llvm::ArrayRef<int64_t> none);

} // namespace proa::import
