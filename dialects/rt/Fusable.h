/// The interface of contractions that an op of rt computes together with their neighbours.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace proa::rt {

/// The neighbours of a contraction that the op of rt can compute. A text is the reason why it cannot; null:
/// it can.
struct FusionLimits {
  /// Any fusion at all.
  const char *all = nullptr;
  /// A factor of the result (`alpha`).
  const char *factor = nullptr;
  /// An activation of the result.
  const char *activation = nullptr;
  /// The sum of the result and a tensor of the same type.
  const char *residual = nullptr;
  /// The dimension of the result that a bias runs along.
  int64_t channelDim = 0;
  /// Whether it reads scaled and transposed operands, and stores its result transposed.
  bool permutes = false;
};

/// A contraction and the neighbours that one op of rt computes.
struct FusedParts {
  /// The location and type of the result.
  mlir::Location location;
  mlir::Type type;
  /// The two factors as they are stored.
  mlir::Value x, y;
  /// How each stored factor is transposed before the contraction, and the result after it; empty: not at all.
  llvm::SmallVector<int64_t> xPermutation, yPermutation, outPermutation;
  /// Factor of the contraction's result.
  double alpha = 1;
  /// Applied to the result in order; `extras` are their operands.
  mlir::ArrayAttr postOps;
  llvm::SmallVector<mlir::Value> extras;
};

/// The reason why a result of this element type is not fused; null for f32 and bf16.
const char *elementTypeLimit(mlir::Value result);

} // namespace proa::rt

#include "dialects/rt/Fusable.h.inc"
