/// Gradients of attention as ops.
#pragma once

#include "dialects/pd/ops/attention/FusedAttention.h"
#include "passes/fuse/AttentionGradientMatch.h"
#include "passes/fuse/AttentionStorage.h"

namespace proa {

/// Keys or values as the program repeats their heads for groups of query heads, and before that.
struct AttentionHeads {
  StoredTensor repeated, own;
};

/// An attention that was formed.
struct FormedAttention {
  pd::FusedAttentionOp op;
  StoredTensor q, out;
  AttentionHeads keys, values;
  llvm::ArrayRef<int64_t> batches;
  double queryFactor = 1, keyFactor = 1; ///< of the operands
};

/// Whether the ops of a gradient are after the end of the attention, in its block.
bool isAfter(mlir::Operation *root, const AttentionBackward &backward);

/// Replaces the gradient of an attention.
class AttentionGradientFormer : private AttentionStorage {
public:
  AttentionGradientFormer(const AttentionStorage &storage, const AttentionBackward &backward,
                          const FormedAttention &attention)
      : AttentionStorage(storage), backward(backward), attention(attention) {}

  void create();

private:
  /// A result of the program that a gradient replaces, after constant factors.
  struct Replaced {
    mlir::Value value;
    double factor = 1;
  };

  static bool skipFactor(Replaced &result);
  static Replaced resultOf(const AttentionMatmul &matmul, mlir::Value operand);
  static Replaced sumOfHeads(const AttentionMatmul &matmul, mlir::Value operand, bool isTransposed,
                             const StoredTensor &repeated);
  mlir::Value inOrder(mlir::Value stored, llvm::SmallVector<int64_t> permutation, bool isTransposed);
  mlir::Value withGroups(const Replaced &sum, mlir::Value gradient, const StoredTensor &stored);
  mlir::Value inPlaceOf(mlir::Value value, mlir::Value gradient, double factor);
  void replace(const Replaced &result, mlir::Value gradient, double factor);
  void setPlace();
  void createScoreGradients(pd::FusedAttentionGradOp all);

  const AttentionBackward &backward;
  const FormedAttention &attention;
};

} // namespace proa
