/// The three kinds of ops. Each op of the dialect is of one kind.
#pragma once

#include "mlir/IR/OperationSupport.h"

namespace proa::pd {

enum class OpKind {
  /// An op that every transform handles by itself: reference evaluation, derivatives, batching, sharding,
  /// lowering.
  /// Decompositions end in primitives.
  Primitive,
  /// An op whose decomposition into other ops defines it. Transforms without a rule for it use the
  /// decomposition.
  Composite,
  /// An opaque op that a kernel of the runtime computes: detection, sampling, dense factorizations,
  /// convolutions. Its
  /// record states which transforms it supports.
  Library,
};

OpKind kindOf(mlir::RegisteredOperationName op);

} // namespace proa::pd
