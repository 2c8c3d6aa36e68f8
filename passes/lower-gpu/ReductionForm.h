/// The form of a reduction that several threads can compute together.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace proa {

/// One result of a reduction: result = combine(result, term), where `combine` is associative and commutative.
struct Combiner {
  mlir::Operation *op = nullptr;   ///< the op in the body that combines
  mlir::BlockArgument accumulator; ///< the operand of `op` that is the result so far
  mlir::Value term;                ///< the other operand
  mlir::TypedAttr neutral;         ///< combine(neutral, x) = x

  /// A copy of the op that combines two values.
  mlir::Value build(mlir::OpBuilder &builder, mlir::Value left, mlir::Value right) const;
};

/// The combiners of all results of `op`; nothing if one of them has another form, or a type that lanes of a
/// warp cannot exchange.
std::optional<llvm::SmallVector<Combiner>> combinersOf(mlir::linalg::LinalgOp op);

/// Whether loop `loop` of `op` is a reduction.
bool isReductionLoop(mlir::linalg::LinalgOp op, unsigned loop);

/// Whether the element type can be exchanged by `gpu.shuffle`, extended to 32 bits if it is a small integer.
bool canShuffle(mlir::Type type);

} // namespace proa
