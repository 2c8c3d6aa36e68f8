/// Forward-mode differentiation of ops of the dialect.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// Tangents by value; a value without one has tangent zero.
using Tangents = llvm::DenseMap<mlir::Value, mlir::Value>;

/// Inserts ops that compute the tangents of a block, including its control flow, and adds them to `tangents`.
/// `tangents` holds the tangents of block arguments and captured values. An op uses the first of these that
/// applies:
/// - linear (LinearOpInterface): the op applied to the tangents;
/// - elementwise with a reverse-mode rule: that rule, since the Jacobian is its own transpose;
/// - another reverse-mode rule: transposed by reverse mode;
/// - a decomposition: replaced by it.
/// Any other active op gets an error.
mlir::LogicalResult pushForward(mlir::Block &block, Tangents &tangents);

/// Whether values of the type have tangents: float and complex tensors, and arrays of them.
bool hasTangent(mlir::Type type);

} // namespace proa::pd
