/// The gradient of softmax(f(q k^T)) v, as the derivatives of these ops give it.
#pragma once

#include "passes/fuse/AttentionMatch.h"

namespace proa {

/// A use of the gradient of the scores other than a matmul: the gradient of what is added to them.
struct ScoreGradientUse {
  mlir::OpOperand *use;
  double factor;                               ///< of the gradient before the use
  bool sumsBatches = false, sumsHeads = false; ///< the user is the sum over these dims

  /// The value to replace: the used value, or the sum.
  mlir::Value value() const { return sumsBatches || sumsHeads ? use->getOwner()->getResult(0) : use->get(); }
};

/// The matmuls that give the gradients by q, k and v. Those by q and k may be missing.
struct AttentionBackward {
  AttentionMatmul q, k, v;
  mlir::Value outGradient;
  double factor = 1; ///< that multiplies the gradient of the scores before the matmuls
  llvm::SmallVector<ScoreGradientUse> scores;
};

/// The users of the values in between are the ops of the forward pass, and of the gradient if there is one.
/// Returns empty and sets `reason` if there are other users. Without a gradient `v.op` is null.
std::optional<AttentionBackward> matchAttentionGradient(const AttentionForward &forward, std::string &reason);

} // namespace proa
