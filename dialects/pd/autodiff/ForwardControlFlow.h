/// Forward mode through scf.if, scf.while and scf.for, and zero tangents.
#pragma once

#include "dialects/pd/autodiff/ForwardMode.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace proa::pd {

/// Replaces an scf.if, scf.while or scf.for by one that also returns the tangents of its active results.
mlir::LogicalResult pushThroughControlFlow(mlir::Operation *op, Tangents &tangents);

/// Whether the op, or an op in its regions, has an operand that satisfies the predicate.
bool readsAny(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> predicate);

/// The tangent of a value, or new zeros of its shape. Zeros of an array have the array's length.
mlir::Value tangentOrZero(mlir::OpBuilder &builder, mlir::Value value, const Tangents &tangents);

} // namespace proa::pd
