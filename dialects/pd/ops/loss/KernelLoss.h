/// Shared functions of losses with a library kernel that also computes their derivative.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// Whether a type may have this shape.
bool mayHaveShape(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> shape);
/// The gradients of the operands. The first one, of rank 4, is the derivative of each sample times its
/// cotangent; other operands have none.
llvm::SmallVector<mlir::Value> scaledDerivative(mlir::OpBuilder &builder, mlir::Operation *op,
                                                mlir::Value derivative, mlir::Value cotangent);

} // namespace proa::pd
