//! Sharding rules of Fourier transforms: the transformed axes are needed whole.
#include "dialects/pd/ops/signal/FftOps.h"
#include "dialects/pd/sharding/AlongAxes.h"

namespace proa::pd {

bool FftC2cOp::describeSharding(ShardingRuleBuilder &rule) { return shareDims(rule, getAxes()), true; }
bool FftR2cOp::describeSharding(ShardingRuleBuilder &rule) { return shareDims(rule, getAxes()), true; }
bool FftC2rOp::describeSharding(ShardingRuleBuilder &rule) { return shareDims(rule, getAxes()), true; }

} // namespace proa::pd
