/// Gradients by the formulas of Paddle's gradient kernels, for ops where they differ from the derivative.
#pragma once

#include "mlir/IR/Operation.h"

namespace proa::pd {

/// Attribute of ops with such a formula: true selects it.
inline constexpr llvm::StringLiteral paddleGradientAttribute = "paddle_gradient";

/// Sets the attribute on all ops in the regions of `op` whose records declare it. `op` is a pd.vjp imported
/// from a gradient op of a program.
void usePaddleGradients(mlir::Operation *op);

/// Whether the op has such a formula and does not use it, so that its gradient differs from Paddle's
/// gradient op.
bool differsFromPaddleGradient(mlir::Operation *op);

} // namespace proa::pd
