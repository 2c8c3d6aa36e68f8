/// Forward-mode differentiation of ops of the dialect.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// Tangents by value; a value without one has tangent zero.
using Tangents = llvm::DenseMap<mlir::Value, mlir::Value>;

/// Goes through a block, and the control flow in it, in program order and gives each float that depends on a
/// value with a tangent a tangent too, by ops that it inserts. `tangents` holds those of block arguments and
/// of values from outside. An op is, in this order: linear (LinearOpInterface: the op on tangents),
/// elementwise with a reverse-mode rule (whose Jacobian is its own transpose), one with another reverse-mode
/// rule (which is transposed by reverse mode), or replaced by its decomposition. An error is emitted at an op
/// that is none of these.
mlir::LogicalResult pushForward(mlir::Block &block, Tangents &tangents);

/// Whether a value of the type has a tangent: floats, complex numbers, arrays of them.
bool hasTangent(mlir::Type type);

} // namespace proa::pd
