/// Cotangents of tensor arrays: arrays of the cotangents of their elements. A missing element means a zero
/// cotangent.
#pragma once

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/control/ArrayOps.h"

namespace proa::pd {

/// A zero cotangent of `like`: zeros like a tensor, or an array without elements.
mlir::Value noCotangent(mlir::OpBuilder &builder, mlir::Location location, mlir::Value like);

/// Zeros like a tensor, or an array of zeros like the elements of an array.
mlir::Value zerosLikeAny(mlir::OpBuilder &builder, mlir::Location location, mlir::Value like);

/// The sum of two cotangents of one array.
mlir::Value sumOfArrays(mlir::OpBuilder &builder, mlir::Location location, mlir::Value x, mlir::Value y);

/// The index of the element that the op reads, counted from the array's start. New ops are inserted before
/// the read.
mlir::Value indexFromStart(ArrayReadOp read);

} // namespace proa::pd
