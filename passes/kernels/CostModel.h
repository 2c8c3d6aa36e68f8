/// A rough estimate of how long an operation takes.
#pragma once

#include "lib/base/target/TargetFacts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace proa {

/// Nanoseconds that one element of `op`'s loops takes on one thread, when the loop is vectorized where it can
/// be.
double elementNanoseconds(mlir::linalg::LinalgOp op, const CpuFacts &cpu);

/// Elements of `op`'s loops; a dynamic loop counts as `assumed`.
double loopElements(mlir::linalg::LinalgOp op, int64_t assumed);

} // namespace proa
