//! Sharding rules of scans: the scanned axis is needed whole.
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/sharding/AlongAxes.h"

namespace proa::pd {

bool CumsumOp::describeSharding(ShardingRuleBuilder &rule) {
  return !getAxisTensor() && shardAlongAxis(rule);
}
bool CumprodOp::describeSharding(ShardingRuleBuilder &rule) { return shardAlongAxis(rule); }
bool LogcumsumexpOp::describeSharding(ShardingRuleBuilder &rule) { return shardAlongAxis(rule); }
bool CummaxOp::describeSharding(ShardingRuleBuilder &rule) { return shardAlongAxis(rule); }
bool CumminOp::describeSharding(ShardingRuleBuilder &rule) { return shardAlongAxis(rule); }
bool LinearRecurrenceOp::describeSharding(ShardingRuleBuilder &rule) { return shardAlongAxis(rule); }

} // namespace proa::pd
