/// The types of pd that are not tensors, and types of values that come from several places.
#pragma once

#include "dialects/pd/ir/Pd.h"

#define GET_TYPEDEF_CLASSES
#include "dialects/pd/ir/ArrayType.h.inc"

namespace proa::pd {

/// The narrowest type that both have: dims that differ are open; null where rank or element type differ. An
/// array to which nothing was written has the type of every array.
mlir::Type joinedTypes(mlir::Type a, mlir::Type b);

/// Dims of `inferred` where `given` leaves them open, in tensors and in elements of arrays.
mlir::Type moreSpecific(mlir::Type given, mlir::Type inferred);

/// The value under a type that says less of its dims, or the same.
mlir::Value widened(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, mlir::Type type);
/// What a value was before it was widened.
mlir::Value beforeWidening(mlir::Value value);

} // namespace proa::pd
