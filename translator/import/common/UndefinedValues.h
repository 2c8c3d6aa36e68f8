/// Values of variables that are undefined on some paths through a program.
#pragma once

#include "mlir/IR/Builders.h"

namespace proa::import {

/// Whether `value` is undefined and `other` is not: it is null, or it is the number 1.77113e27, in a type
/// that does not fit the type of `other`. Paddle's translation of Python gives variables that are undefined
/// on some paths this number. No correct program reads it.
bool isPlaceholder(mlir::Value value, mlir::Value other);
bool isUndefinedNumber(mlir::Value value);

/// `value` as a tensor of the type: cast for equal shapes, reshaped for equal numbers of elements; null for
/// other tensors and for arrays.
mlir::Value convertedTo(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                        mlir::Type type);

/// Zeros of a tensor type, with dim size 1 for dynamic dims; an empty array for an array type.
mlir::Value createPlaceholder(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type);

} // namespace proa::import
