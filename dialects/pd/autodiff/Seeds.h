/// Marks of the cotangents with which the backward part of a training step begins.
#pragma once

#include "dialects/pd/ops/autodiff/RecomputeOps.h"

#include <limits>

namespace proa::pd {

/// The number of a pd.optimization_barrier after which the backward part begins. It keeps the cotangent of a
/// loss from being folded into other ops, so that ops that depend on it are those of the backward part.
inline constexpr int64_t seedNumber = std::numeric_limits<int64_t>::max();

inline bool isSeed(OptimizationBarrierOp op) { return op.getNumber() == static_cast<uint64_t>(seedNumber); }

} // namespace proa::pd
