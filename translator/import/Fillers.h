/// Values for variables that are undefined on some way through a program, and values under the types that control flow
/// gives them.
#pragma once

#include "mlir/IR/Builders.h"

namespace proa::import {

/// Whether `value` stands for nothing beside `other`: it is null, or it is the number 1.77113e27 that Paddle's translation of
/// Python gives a variable which only some way defines, in whatever type, where `other` has another one. No correct
/// program reads it.
bool isFiller(mlir::Value value, mlir::Value other);
bool isUndefinedNumber(mlir::Value value);

/// Zeros of the type, of extent 1 where it leaves an extent open.
mlir::Value makeFiller(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type);

/// The value under a type that says less of its dims, or the same.
mlir::Value widened(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, mlir::Type type);

} // namespace proa::import
