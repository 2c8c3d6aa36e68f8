/// The masks of an attention as operands of its op.
#pragma once

#include "passes/fuse/AttentionMatch.h"
#include "passes/fuse/AttentionTarget.h"

#include "mlir/IR/PatternMatch.h"

namespace proa {

/// Chooses and creates the operands `mask` and `key_mask` of pd.fused_attention. Kernels read masks of keys
/// and others, so that no mask of all scores is formed of both.
class AttentionMasks {
public:
  /// `scores` are [batch, heads, queries, keys].
  AttentionMasks(const AttentionForward &forward, llvm::ArrayRef<int64_t> scores, AttentionTarget target,
                 bool hasGradient, bool isDynamic);

  /// Whether each mask broadcasts to the scores as attention does. The other methods need it.
  bool fit() const;
  /// Why the op cannot have the masks; null if it has.
  const char *whyNot() const;

  struct Operands {
    mlir::Value mask, keyMask; ///< with four dims, or null
    double fill = 0;           ///< of scores that a condition excludes
  };
  Operands create(mlir::PatternRewriter &rewriter, mlir::Operation *root) const;

private:
  /// How a mask that is added to scores with other batch dims, as windows have them, becomes one of
  /// [batch, heads, rows, elements].
  struct RaisedMask {
    /// Dims that it is repeated to first, as it repeats along parts of a dim.
    llvm::SmallVector<int64_t> expanded;
    llvm::SmallVector<int64_t> shape;
  };

  /// From the matmul to the softmax: a selection replaces the masks before it.
  llvm::SmallVector<AttentionMask> masks;
  mlir::Type element; ///< of the scores
  llvm::SmallVector<int64_t> scores;
  AttentionTarget target;
  bool hasGradient, isDynamic;

  void add(const AttentionMask &mask);
  std::optional<RaisedMask> raise(const AttentionMask &mask) const;
  bool fits(const AttentionMask &mask) const;
  bool isOfKeys(const AttentionMask &mask) const;
  bool isOnlyCondition(const AttentionMask &mask) const;
  bool isReadAsCondition() const;
  bool areSeparable() const;
  static double greatestOf(const AttentionMask &mask);
  mlir::Value raised(const AttentionMask &mask, mlir::PatternRewriter &rewriter, mlir::Operation *root) const;
  mlir::Value sumOf(llvm::ArrayRef<AttentionMask> addends, mlir::PatternRewriter &rewriter,
                    mlir::Operation *root) const;
};

} // namespace proa
