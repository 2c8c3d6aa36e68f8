/// The floats of 16 bits.
#pragma once

#include "mlir/IR/Types.h"

namespace proa {

/// Whether a type is f16 or bf16.
inline bool isHalf(mlir::Type type) { return type.isF16() || type.isBF16(); }

} // namespace proa
