/// The ops of which attention consists: matmuls, and ops between them that scale, cast or
/// reshape.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include <optional>

namespace proa {

/// The factor of an op that multiplies its operand 0 by a constant. `op` may be null.
std::optional<double> factorOf(mlir::Operation *op);

/// Whether an op casts floating-point numbers to another type, or to the same.
bool isFloatCast(mlir::Operation *op);

/// Whether an op, which may be null, is a reshape that keeps the last two dims: it only merges or splits
/// batch and heads.
bool keepsMatrices(mlir::Operation *op);

/// The tensor to whose dims an op sums a gradient of dynamic dims, which has them where no operands of
/// attention broadcast; null for another op, which may be null.
mlir::Value targetOfSum(mlir::Operation *op, mlir::Value gradient);

/// A value with other static dims, without the reshapes of which it is the result.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// `factor` times a value.
mlir::Value scaledBy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, double factor);

/// A matmul x [.., m, k], or transposed [.., k, m], and y [.., k, n] or, transposed, [.., n, k],
/// with equal batches. With `sharesHead` x is [batch, heads, m, k], and y has one head.
struct AttentionMatmul {
  mlir::Operation *op = nullptr;
  bool isXTransposed = false, isYTransposed = false, sharesHead = false;

  /// Empty if the op, which may be null, is another one.
  static std::optional<AttentionMatmul> of(mlir::Operation *op, bool mayShareHead = false);

  mlir::Value x() const { return op->getOperand(0); }
  mlir::Value y() const { return op->getOperand(1); }
  mlir::Value result() const { return op->getResult(0); }
};

} // namespace proa
