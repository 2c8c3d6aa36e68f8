/// Trait of losses whose kernels give their derivative too.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace proa::pd {

/// The last result is the derivative by the first operand, and has no derivative itself
/// (KeepsDerivative.td).
template <class ConcreteOp>
class KeepsDerivative : public mlir::OpTrait::TraitBase<ConcreteOp, KeepsDerivative> {};

/// The error that the derivative of such a derivative is asked for.
inline mlir::InFlightDiagnostic noSecondDerivative(mlir::Operation *op) {
  return op->emitError() << "'" << op->getName().getStringRef() << "' has no second derivative";
}

} // namespace proa::pd
