/// The interface of ops that sum products.
#pragma once

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace proa::pd {

/// Product of extents; nothing where one is dynamic or the product does not fit.
std::optional<int64_t> productOfExtents(llvm::ArrayRef<int64_t> extents);

} // namespace proa::pd

#include "dialects/pd/ir/Contraction.h.inc"
