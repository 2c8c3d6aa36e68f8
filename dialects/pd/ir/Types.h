/// Array types, and the join of types at control flow.
#pragma once

#include "dialects/pd/ir/Pd.h"

#define GET_TYPEDEF_CLASSES
#include "dialects/pd/ir/ArrayType.h.inc"

namespace proa::pd {

inline bool isArray(mlir::Value value) { return mlir::isa<ArrayType>(value.getType()); }

/// The most specific type that covers both: dims that differ become dynamic. Null if rank or element type
/// differ. An array without writes joins with any array type.
mlir::Type joinedTypes(mlir::Type a, mlir::Type b);

/// `given` with its dynamic dims replaced by the dims of `inferred`, in tensors and in elements of arrays.
mlir::Type moreSpecific(mlir::Type given, mlir::Type inferred);

/// The value cast to a type with fewer static dims; the value itself if the types are equal.
mlir::Value widened(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, mlir::Type type);
/// The operand of widened(), or the value itself if it was not widened.
mlir::Value beforeWidening(mlir::Value value);

} // namespace proa::pd
