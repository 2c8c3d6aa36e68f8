/// Elementwise ops that compute an operand of a contraction while it is copied to shared memory.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace proa {

/// An operand of a contraction on memory that an op that is fused with it computes: a view of a buffer that
/// only this op writes.
class Prologue {
public:
  /// Nothing if the operand is computed in another way.
  static std::optional<Prologue> of(mlir::OpOperand &operand);

  /// `count` elements of the operand, the first of which is at `indices`, and which differ in its last index.
  llvm::SmallVector<mlir::Value> elementsAt(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange indices,
                                            int64_t count) const;

private:
  mlir::Value view; ///< what the contraction reads
  mlir::linalg::LinalgOp op;
};

/// Whether only contractions with `proa.contraction` read what an op that is fused with it computes: then no
/// buffer is needed.
bool isOnlyPrologue(mlir::Operation *op);

} // namespace proa
