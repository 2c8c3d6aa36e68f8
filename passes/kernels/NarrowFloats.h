/// Floats that are stored in 8 or 16 bits and computed in f32.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace proa {

/// Whether a type is f16 or bf16.
inline bool isHalf(mlir::Type type) { return type.isF16() || type.isBF16(); }

/// Whether a type is f8E4M3FN or f8E5M2.
inline bool isFloat8(mlir::Type type) {
  return mlir::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type);
}

/// Whether a type is one of these.
inline bool isNarrowFloat(mlir::Type type) { return isHalf(type) || isFloat8(type); }

} // namespace proa
