//! Sharding rules of ops on padded sequences: a device has some of the sequences. Sequences by offsets are
//! rows of one tensor, which a shard could cut.
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/sharding/AlongAxes.h"

using namespace mlir;

namespace proa::pd {

bool LinearChainCrfOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getOffsets())
    return false;
  // Also of transition_exps, which are equal on all devices.
  shareFirstDim(rule, {getEmission(), getLabel(), getLength()}, {0, 1, 3});
  return true;
}

bool LinearChainCrfGradOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getOffsets())
    return false;
  shareFirstDim(rule, {getEmission(), getLabel(), getLength(), getLogLikelihoodGrad()}, {0},
                FactorKind::Reduction);
  return true;
}

bool CrfDecodingOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getOffsets())
    return false;
  shareFirstDim(rule, {getEmission(), getLabel(), getLength()}, {0});
  return true;
}

bool CtcAlignOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getOffsets())
    return false;
  shareFirstDim(rule, {getX(), getLength()}, {0, 1});
  return true;
}

/// The number of sequences is the sum of the devices' numbers of sequences.
bool EditDistanceOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getHypsOffsets() || getRefsOffsets())
    return false;
  shareFirstDim(rule, {getHyps(), getRefs(), getHypsLength(), getRefsLength()}, {1}, FactorKind::Reduction);
  return true;
}

} // namespace proa::pd
