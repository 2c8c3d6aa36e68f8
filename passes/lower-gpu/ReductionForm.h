/// The form of a reduction that several threads can compute together.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace proa {

/// A reduction whose results are combined from the terms by an associative and commutative function.
///
/// - Each result has a function of its own: result = combine(result, term),
///   an op of arith with a neutral element.
/// - The results are combined together: each is either the result so far or the term,
///   by a condition on all of them
///   (the greatest element and its index). The op has the field `neutral` of `proa.loops` with the neutral
///   element of each.
/// - A maximum, and a sum that is relative to it (`proa-form-online-sums`).
class Combiner {
public:
  /// The combiner of `op`; nothing if it has another form, or a type that lanes of a warp cannot exchange.
  static std::optional<Combiner> of(mlir::linalg::LinalgOp op);

  llvm::SmallVector<mlir::Type> types() const;
  /// Constants with combine(neutral, x) = x.
  llvm::SmallVector<mlir::Value> neutral(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// The op that combines, if there is one result; null otherwise. Its term.
  mlir::Operation *onlyOp() const { return code.size() == 1 ? code.front() : nullptr; }
  mlir::Value onlyTerm() const { return terms.front(); }
  /// Values of the body that are combined into the results.
  mlir::ValueRange bodyTerms() const { return terms; }
  /// Whether it is a chain of many instructions, so that few of them should depend on each other.
  bool isLong() const { return isOnline; }
  /// Code that combines the results `left` with other results or terms.
  llvm::SmallVector<mlir::Value> build(mlir::OpBuilder &builder, mlir::ValueRange left,
                                       mlir::ValueRange right) const;

private:
  bool readSeparate(mlir::linalg::LinalgOp op);
  bool readTogether(mlir::linalg::LinalgOp op);
  bool readOnline(mlir::linalg::LinalgOp op);
  bool addCode(mlir::Value value, mlir::Block *body, llvm::SmallPtrSetImpl<mlir::Operation *> &needed) const;

  llvm::SmallVector<mlir::Value> accumulators, terms, yielded;
  llvm::SmallVector<mlir::TypedAttr> neutrals;
  llvm::SmallVector<mlir::Operation *> code; ///< the ops that depend on accumulators, in order
  bool isOnline = false;
};

/// Whether loop `loop` of `op` is a reduction.
bool isReductionLoop(mlir::linalg::LinalgOp op, unsigned loop);

/// Whether threads side by side compute elements of the result side by side: the innermost loop is not
/// reduced, and the op has a combiner.
bool reducesColumns(mlir::linalg::LinalgOp op);

/// Whether the element type can be exchanged by `gpu.shuffle`, extended to 32 bits if it is a small integer.
bool canShuffle(mlir::Type type);

} // namespace proa
