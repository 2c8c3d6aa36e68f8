/// The interface of contractions that can be fused with neighbouring ops into an op of rt.
#pragma once

#include "dialects/rt/Rt.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace proa::rt {

/// Which neighbouring ops can be fused with a contraction. A text is the reason why one cannot; null: it can.
struct FusionLimits {
  /// Any op.
  const char *all = nullptr;
  /// A scaling of the result (`alpha`).
  const char *factor = nullptr;
  /// An activation of the result.
  const char *activation = nullptr;
  /// The addition of a tensor with the result's type.
  const char *residual = nullptr;
  /// The dimension of the result to which a bias vector is added.
  int64_t channelDim = 0;
  /// Whether transposes and scalings of the operands, and a transpose of the result, can be fused.
  bool permutes = false;
  /// The activations that CUDA's library for the op applies after a bias and a residual.
  llvm::SmallVector<PostOpKind, 2> deviceActivations;
};

/// The operands and attributes of a fused op of rt.
struct FusedOperands {
  /// The location and type of the result.
  mlir::Location location;
  mlir::Type type;
  /// The two operands of the contraction, before any transpose.
  mlir::Value x, y;
  /// The permutations of the operands before the contraction and of the result after it; empty: identity.
  llvm::SmallVector<int64_t> xPermutation, yPermutation, outPermutation;
  /// Scale of the contraction's result.
  double alpha = 1;
  /// Post-ops, applied to the result in order; `extras` are their operands.
  mlir::ArrayAttr postOps;
  llvm::SmallVector<mlir::Value> extras;
};

/// The reason why a result of this element type is not fused; null for f32 and bf16.
const char *elementTypeLimit(mlir::Value result);

} // namespace proa::rt

#include "dialects/rt/Fusable.h.inc"
