/// Types that control flow gives to values that come from several places.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace proa::pd {

/// The narrowest type that both have: dims that differ are open; null where rank or element type differ.
mlir::Type joinedTypes(mlir::Type a, mlir::Type b);

} // namespace proa::pd
