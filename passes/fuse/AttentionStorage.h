/// Operands and results of an attention as a program stores them.
#pragma once

#include "dialects/pd/ops/shape/ShapeOps.h"
#include "passes/fuse/AttentionMatch.h"
#include "passes/fuse/AttentionTarget.h"

#include "mlir/IR/PatternMatch.h"

namespace proa {

/// A tensor as attention reads it: dim i of [batch, heads, rows, elements] is dim permutation[i] of `value`.
struct StoredTensor {
  mlir::Value value;
  llvm::SmallVector<int64_t> permutation{0, 1, 2, 3};

  mlir::DenseI64ArrayAttr attribute(mlir::Builder &b) const {
    return b.getDenseI64ArrayAttr(llvm::is_sorted(permutation) ? llvm::ArrayRef<int64_t>() : permutation);
  }
};

llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

/// Finds where operands and results of an attention are stored, for the op and for its gradient.
class AttentionStorage {
protected:
  AttentionStorage(mlir::Operation *root, mlir::PatternRewriter &rewriter, AttentionTarget target)
      : root(root), rewriter(rewriter), target(target) {}

  /// Whether a dim of the operands or the scores is dynamic.
  bool isDynamic() const;
  /// Where the elements of a matrix [.., rows, elements], or transposed, are before transposes. Anywhere:
  /// only the matrices are transposed back, so that the dims of operands and scores are the same.
  StoredTensor store(mlir::Value value, bool isTransposed, llvm::ArrayRef<int64_t> batches);
  /// Keys or values whose heads were repeated for groups of query heads, before that. False if they
  /// were not.
  static bool readUnrepeatedHeads(StoredTensor &stored);
  /// The only user of the result, if it is a transpose that the attention can do; its order goes to `out`.
  static pd::TransposeOp transposeOf(mlir::Value result, StoredTensor &out);
  /// A value with the dims of another one, which has the same elements.
  mlir::Value withDimsOf(mlir::Value other, mlir::Value value);
  mlir::Value scaled(mlir::Value value, double factor);

  mlir::Operation *root; ///< the matmul that ends the attention
  mlir::PatternRewriter &rewriter;
  AttentionTarget target;
  AttentionForward forward;
};

} // namespace proa
