/// Finds softmax(f(q k^T)) v in its many forms.
#pragma once

#include "dialects/pd/ops/nn/DropoutOps.h"
#include "passes/fuse/AttentionMatmuls.h"

#include <string>

namespace proa {

/// An addend of the scores, `factor` times a tensor of floats; or a condition that selects them, a tensor of
/// i1: where it is not `kept`, they are `fill`.
struct AttentionMask {
  mlir::Value value;
  mlir::Value masked; ///< the scores after it: the mask broadcasts to their dims
  double factor = 1;
  bool kept = true;
  double fill = 0;
  bool isAdded = false; ///< `fill` is added where the condition does not hold

  /// Whether it is a condition that selects.
  bool isCondition() const;
  /// Whether adding `fill` to a score gives `fill` again, so that a condition is an addend too.
  bool isAddend() const;
};

/// The ops of an attention, without its gradient. The scores are scoreFactor times the first matmul, plus
/// the masks. With a soft cap they are softCap tanh(scoreFactor / softCap times the first matmul) instead.
/// With a factor of heads the first matmul is multiplied by it.
struct AttentionForward {
  AttentionMatmul first, second;
  mlir::Value weights;                    ///< result of the softmax
  mlir::Value scores;                     ///< operand of the softmax
  pd::DropoutOp dropout;                  ///< in training, of the weights; null: none
  llvm::SmallVector<mlir::Value> between; ///< all values from the first matmul to the operand of the second
  llvm::SmallVector<AttentionMask> masks; ///< from the softmax to the matmul
  double scoreFactor = 1, softCap = 0;    ///< a soft cap of 0: none
  mlir::Value capped;                     ///< result of the hyperbolic tangent; null: none
  /// A factor of the scores that is equal for all queries and keys of a head; null: none.
  mlir::Value headFactor;
  double outFactor = 1; ///< of the weights after the softmax
  bool isCausal = false;
  /// Weights of queries without keys, which are not numbers, are replaced by zero.
  bool hasZeroRows = false;
};

/// The attention of which `op` is the matmul with the values. If there is none, `reason` says why; it is
/// empty for a matmul that does not follow a softmax.
std::optional<AttentionForward> matchAttention(mlir::Operation *op, std::string &reason);

} // namespace proa
