/// Trait of losses whose kernels give their derivative too.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace proa::pd {

/// The last result is the derivative by the first operand, and has no derivative itself
/// (KeepsDerivative.td).
template <class ConcreteOp>
class KeepsDerivative : public mlir::OpTrait::TraitBase<ConcreteOp, KeepsDerivative> {};

/// Gives what uses the op's last result the derivative by way of the op's formula, which can be
/// differentiated, instead. Failure, with nothing changed, where the formula needs something that is not
/// known.
llvm::LogicalResult splitDerivative(mlir::Operation *op);

/// The error that the derivative of such a derivative is asked for.
inline mlir::InFlightDiagnostic noSecondDerivative(mlir::Operation *op) {
  return op->emitError() << "'" << op->getName().getStringRef() << "' has no second derivative";
}

} // namespace proa::pd
