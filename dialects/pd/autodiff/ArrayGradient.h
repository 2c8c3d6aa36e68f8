/// Cotangents of tensor arrays: arrays of the cotangents of their elements. An element that one lacks is
/// zero.
#pragma once

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/control/ArrayOps.h"

namespace proa::pd {

/// A cotangent of zero: zeros like a tensor, or an array without elements.
mlir::Value noCotangent(mlir::OpBuilder &builder, mlir::Location location, mlir::Value like);

/// Zeros like a tensor, or an array of zeros like the elements of an array.
mlir::Value zerosLikeAny(mlir::OpBuilder &builder, mlir::Location location, mlir::Value like);

/// The sum of two cotangents of one array.
mlir::Value sumOfArrays(mlir::OpBuilder &builder, mlir::Location location, mlir::Value x, mlir::Value y);

/// The number of the element that the op reads, counted from the array's start; ops go before the op.
mlir::Value indexFromStart(ArrayReadOp read);

/// Whether the op is one of those on arrays that have a rule.
bool isOnArrays(mlir::Operation *op);

/// The rule of an op on arrays: the gradients of its operands, given the cotangent of its results (null:
/// zero). `soFar` holds what has already come to the array that it reads, or null: the gradient of an array
/// includes it.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> differentiateOnArrays(mlir::OpBuilder &builder,
                                                                      mlir::Operation *op,
                                                                      llvm::ArrayRef<mlir::Value> cotangents,
                                                                      mlir::Value soFar);

} // namespace proa::pd
