/// Gradients of operands that are broadcast, perhaps only as the run finds.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace proa::pd {

/// See Broadcasting.td.
template <class ConcreteOp>
class BroadcastsOperands : public mlir::OpTrait::TraitBase<ConcreteOp, BroadcastsOperands> {};

/// `gradient` summed along the dimensions that `like` has not, or of size 1: the transpose of a
/// broadcast, where types tell all of it.
mlir::Value sumToShapeOf(mlir::OpBuilder &builder, mlir::Location location, mlir::Value gradient,
                         mlir::Value like);

/// The gradient of an operand, from the one that its op's rule gives: in the shape of the operand, or in one
/// that it broadcasts to. Where dynamic dims leave that to the run the sum is a pd.reduce_as.
mlir::Value gradientOfOperand(mlir::OpBuilder &builder, mlir::OpOperand &operand, mlir::Value gradient);

/// Whether dynamic dims leave it to the run if the op broadcasts an operand.
bool mayBroadcast(mlir::Operation *op);

} // namespace proa::pd
