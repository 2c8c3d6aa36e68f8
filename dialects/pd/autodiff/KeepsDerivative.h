/// Trait of losses whose kernel also returns their derivative.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace proa::pd {

/// The last result is the derivative by the first operand. It is not differentiable itself
/// (KeepsDerivative.td).
template <class ConcreteOp>
class KeepsDerivative : public mlir::OpTrait::TraitBase<ConcreteOp, KeepsDerivative> {};

/// Replaces the uses of the op's last result by the derivative from the op's decomposition, which can be
/// differentiated again. Failure, without changes, if the op cannot be decomposed.
llvm::LogicalResult splitDerivative(mlir::Operation *op);

/// Emits the error that the op's second derivative does not exist.
inline mlir::InFlightDiagnostic noSecondDerivative(mlir::Operation *op) {
  return op->emitError() << "'" << op->getName().getStringRef() << "' has no second derivative";
}

} // namespace proa::pd
