/// Forward mode through scf.if, scf.while and scf.for, and zero tangents.
#pragma once

#include "dialects/pd/autodiff/ForwardMode.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace proa::pd {

/// Replaces an scf.if, scf.while or scf.for by one that gives the tangents of its results too, where they
/// have any.
mlir::LogicalResult pushThroughControlFlow(mlir::Operation *op, Tangents &tangents);

/// Whether the op, or one in its regions, reads such a value.
bool readsAny(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> isOne);

/// The tangent of a value, with zeros made where it has none. Those of an array are an array as long.
mlir::Value tangentOrZero(mlir::OpBuilder &builder, mlir::Value value, const Tangents &tangents);

} // namespace proa::pd
