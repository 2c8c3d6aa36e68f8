/// Attention over keys and values that are gathered, in steps around a ring.
#pragma once

#include "passes/spmd/Ring.h"

namespace proa {

/// The ops of softmax(f(q k^T)) v, where keys and values are gathered along the sequence, f is a chain of ops
/// on elements (a scale, a mask), and nothing else uses the intermediate values.
class RingAttention {
public:
  /// Whether the collective, an all_gather, gives the keys of an attention.
  bool match(dist::StepOpInterface gatherOfKeys, const EvenCollective &collective, MeshPlacements &meshes);

  /// The other all_gather that rewrite() removes.
  dist::StepOpInterface gatherOfValues() const { return values; }

  /// Each device combines the softmax over the keys of one part after the other: with the maximum m, the sum
  /// of exponentials and the weighted sum of values so far, a part with a larger maximum m' scales both sums
  /// by exp(m - m'). Keys and values travel around the ring.
  void rewrite(Ring ring);

private:
  bool matchChain(mlir::Operation *first);
  bool matchValues(const EvenCollective &ofKeys, MeshPlacements &meshes);
  /// Of the keys so far: the maximum of the scores, the sum of exp(score - maximum), and that of the values
  /// with these weights.
  struct Partial {
    mlir::Value maximum, sum, weighted;
  };
  Partial combined(mlir::OpBuilder &builder, const Partial &before, mlir::Value scoresOfPart,
                   mlir::Value ofValues);
  mlir::Value scoresOfPart(mlir::OpBuilder &builder, Ring &ring, mlir::Value keys, int64_t step);

  dist::StepOpInterface keys, values;
  mlir::Operation *scores = nullptr, *softmax = nullptr, *product = nullptr;
  Rows rows;
  /// The ops between scores and softmax, with the operand that continues the chain and those that have the
  /// dimension of the keys too.
  struct Link {
    mlir::Operation *op;
    unsigned operand;
    llvm::SmallVector<std::pair<unsigned, int64_t>, 1> others;
  };
  llvm::SmallVector<Link> chain;
};

} // namespace proa
