/// Ops on complex numbers as ops on their real and imaginary components, because ONNX computes with real
/// numbers only.
///
/// - An elementwise op: its scalar function (ScalarOpInterface),
///   with the arithmetic of MLIR's complex dialect lowered to arithmetic of floats,
///   as ops of pd.
/// - An op that is linear in its complex operands (LinearOpInterface): the op on each component.
/// - An op that is linear in each of two groups: a product.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::exporter {

/// Whether an operand or a result of the op is a tensor of complex numbers.
bool isOnComplex(mlir::Operation *op);

/// Creates ops on real numbers that compute the op, and returns its results: real tensors, or pd.complex of
/// two components. Failure, without a message, for other kinds of ops, and for the ops that take and build
/// components.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> splitComplex(mlir::OpBuilder &builder, mlir::Operation *op);

/// The numbers as pairs of real ones in one more dimension of size 2; the tensor itself if it is real.
Tensor asPairs(const Tensor &tensor);

} // namespace proa::exporter
