/// Interface of contractions: matmuls and convolutions.
#pragma once

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace proa::pd {

/// Number of elements of a shape; empty if a dim is dynamic or the number does not fit in 64 bits.
std::optional<int64_t> productOfDims(llvm::ArrayRef<int64_t> dimSizes);

} // namespace proa::pd

#include "dialects/pd/ir/Contraction.h.inc"
