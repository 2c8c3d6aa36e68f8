/// Gradients by the formulas of Paddle's gradient kernels, where those are not the derivative of the op.
#pragma once

#include "mlir/IR/Operation.h"

namespace proa::pd {

/// The attribute of the ops that have such a formula.
inline constexpr llvm::StringLiteral paddleGradientAttribute = "paddle_gradient";

/// Sets it on all ops in the regions of `op`, a pd.vjp that a gradient op of a program becomes, whose records
/// have it.
void usePaddleGradients(mlir::Operation *op);

/// Whether the op has such a formula and does not use it: its gradient is not what Paddle's gradient op
/// computes.
bool differsFromPaddleGradient(mlir::Operation *op);

} // namespace proa::pd
