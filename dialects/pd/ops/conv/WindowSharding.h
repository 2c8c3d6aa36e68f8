/// Local forms of ops on windows: devices exchange the borders of their shards of spatial dimensions.
#pragma once

#include "dialects/pd/sharding/LocalForm.h"

namespace proa::pd {

/// The windows of an op, with one entry for each spatial dimension; paddings may have two. `fill` is what
/// padding counts as.
struct Windows {
  llvm::ArrayRef<int64_t> kernel, strides, dilations, paddings;
  double fill;
};

/// The op on the elements that its shard of the result needs. Failure if a shard of the result is empty.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> windowOfShard(LocalFormBuilder &form, const Windows &windows);

/// Adds a factor for each spatial dimension of the first operand and the result, which the form splits.
void shardSpace(ShardingRuleBuilder &rule, bool channelsAreLast, LocalForm form);

} // namespace proa::pd
