/// Values for variables that are undefined on some way through a program.
#pragma once

#include "mlir/IR/Builders.h"

namespace proa::import {

/// Whether `value` stands for nothing beside `other`: it is null, or it is the number 1.77113e27 that
/// Paddle's translation of Python gives a variable which only some way defines, in whatever type, where
/// `other` has another one. No correct program reads it.
bool isFiller(mlir::Value value, mlir::Value other);
bool isUndefinedNumber(mlir::Value value);

/// `value` as a tensor of the type: cast where the shapes are alike, reshaped where the numbers of elements
/// are; null for other tensors and for arrays.
mlir::Value convertedTo(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                        mlir::Type type);

/// Zeros of the type, of extent 1 where it leaves an extent open; an empty array.
mlir::Value makeFiller(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type);

} // namespace proa::import
