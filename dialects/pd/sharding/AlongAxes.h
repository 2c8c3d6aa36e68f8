/// Sharding rules along axes, which families share.
#pragma once

#include "dialects/pd/sharding/ShardingRule.h"

namespace proa::pd {

/// Adds a factor for each dimension of the first operand; operands and results of that rank and dim size
/// share it. The dimensions in `axes`, which may count from the end, are needed whole.
void shareDims(ShardingRuleBuilder &rule, llvm::ArrayRef<int64_t> axes);

/// An op along its attribute `axis` (the last by default), which is needed whole. False with `flatten`, which
/// makes one dimension of all.
bool shardAlongAxis(ShardingRuleBuilder &rule);

} // namespace proa::pd
