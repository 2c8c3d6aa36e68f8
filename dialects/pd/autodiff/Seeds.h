/// Marks of the cotangents with which the backward region of a training step begins.
#pragma once

#include "dialects/pd/ops/autodiff/RecomputeOps.h"

#include <limits>

namespace proa::pd {

/// The label of a pd.optimization_barrier after which the backward region begins. It keeps the cotangent of a
/// loss from being folded into other ops, so that the backward region is the ops that depend on it.
inline constexpr int64_t seedLabel = std::numeric_limits<int64_t>::max();

inline bool isSeed(OptimizationBarrierOp op) { return op.getNumber() == static_cast<uint64_t>(seedLabel); }

} // namespace proa::pd
