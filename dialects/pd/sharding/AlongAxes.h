/// Sharding rules along axes, shared by op families.
#pragma once

#include "dialects/pd/sharding/ShardingRule.h"

namespace proa::pd {

/// The index of a dimension that may be counted from the end.
inline int64_t normalized(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

/// Adds a factor for each dimension of the first operand; operands and results of that rank and dim size
/// share it. The dimensions in `axes`, which may be negative, are replicated.
void shareDims(ShardingRuleBuilder &rule, llvm::ArrayRef<int64_t> axes);

/// Adds a factor for dimension 0 of these operands, of which some may be absent, and of results by their
/// index.
void shareFirstDim(ShardingRuleBuilder &rule, llvm::ArrayRef<mlir::Value> operands,
                   llvm::ArrayRef<unsigned> results, FactorKind kind = FactorKind::PassThrough);

/// shareDims() for an op along its attribute `axis` (default: last). False with `flatten`, which merges all
/// dimensions.
bool shardAlongAxis(ShardingRuleBuilder &rule);

} // namespace proa::pd
