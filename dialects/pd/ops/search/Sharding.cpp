//! Sharding rules of searches: the searched axis is needed whole.
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/sharding/AlongAxes.h"

using namespace mlir;

namespace proa::pd {

/// The result has the axis with size 1 or not at all.
template <class Op> static bool shardArg(ShardingRuleBuilder &rule, Op op) {
  if (op.getFlatten() || op.getAxisTensor())
    return false;
  int64_t rank = rule.operandType(0).getRank(), axis = op.getAxis(), next = 0;
  axis += axis < 0 ? rank : 0;
  bool keepsAxis = rule.resultType(0).getRank() == rank;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != axis)
      rule.pair(0, dim, 0, next);
    next += dim != axis || keepsAxis;
  }
  return true;
}

bool ArgmaxOp::describeSharding(ShardingRuleBuilder &rule) { return shardArg(rule, *this); }
bool ArgminOp::describeSharding(ShardingRuleBuilder &rule) { return shardArg(rule, *this); }
bool ArgsortOp::describeSharding(ShardingRuleBuilder &rule) { return shardAlongAxis(rule); }
bool TopkOp::describeSharding(ShardingRuleBuilder &rule) { return !getKTensor() && shardAlongAxis(rule); }

} // namespace proa::pd
