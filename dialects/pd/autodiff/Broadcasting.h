/// Gradients of operands that are broadcast, statically or perhaps at run time.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace proa::pd {

/// See Broadcasting.td.
template <class ConcreteOp>
class BroadcastsOperands : public mlir::OpTrait::TraitBase<ConcreteOp, BroadcastsOperands> {};

/// `gradient` summed along the dimensions that `like` lacks or in which it has size 1: the transpose of a
/// static broadcast.
mlir::Value sumToShapeOf(mlir::OpBuilder &builder, mlir::Location location, mlir::Value gradient,
                         mlir::Value like);

/// The gradient in the operand's shape, from the result of the op's rule, which has the operand's shape or
/// one that it broadcasts to. If dynamic dims hide which, the sum is a pd.reduce_as.
mlir::Value gradientOfOperand(mlir::OpBuilder &builder, mlir::OpOperand &operand, mlir::Value gradient);

/// Whether the op may broadcast an operand along a dynamic dim.
bool mayBroadcast(mlir::Operation *op);

} // namespace proa::pd
