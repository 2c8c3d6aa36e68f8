//! Sharding rules of layers: images can be split, and so can channels that are summed over, whose parts are
//! added.
#include "dialects/pd/ops/nn/ConvOps.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/ops/nn/InterpolateOps.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/nn/PoolOps.h"
#include "dialects/pd/sharding/ShardingRule.h"

using namespace mlir;

namespace proa::pd {
namespace {

bool isChannelsLast(Operation *op) {
  auto format = op->getAttrOfType<DataFormatAttr>("data_format");
  return format && channelsAreLast(format.getValue());
}

int64_t channelsOf(ShardingRuleBuilder &rule) {
  return isChannelsLast(rule.op()) ? rule.resultType(0).getRank() - 1 : 1;
}

/// `filterOut` and `filterIn` are the dimensions of the filter with the channels of the result and of the
/// image. With groups the channels are needed whole.
template <class Op> bool shardConv(ShardingRuleBuilder &rule, Op op, int64_t filterOut, int64_t filterIn) {
  int64_t channels = channelsOf(rule);
  rule.pair(0, 0, 0, 0);
  if (op.getGroups() != 1)
    return true;
  rule.pair(1, filterOut, 0, channels);
  unsigned summed = rule.addFactor(rule.operandType(0).getDimSize(channels), FactorKind::Reduction);
  rule.setOperand(0, channels, summed);
  rule.setOperand(1, filterIn, summed);
  return true;
}

/// An op on each image and channel by itself; operands other than the first are sizes and scales.
bool shardImagesAndChannels(ShardingRuleBuilder &rule) {
  for (int64_t dim : {int64_t(0), channelsOf(rule)}) {
    unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(dim));
    rule.setOperand(0, dim, factor);
    for (unsigned result = 0; result < rule.op()->getNumResults(); ++result)
      rule.setResult(result, dim, factor);
  }
  return true;
}

} // namespace

// The filter of a convolution is [out channels, in channels / groups, ...].
bool Conv2dOp::describeSharding(ShardingRuleBuilder &rule) { return shardConv(rule, *this, 0, 1); }
bool Conv3dOp::describeSharding(ShardingRuleBuilder &rule) { return shardConv(rule, *this, 0, 1); }
// That of a transposed one is [in channels, out channels / groups, ...].
bool Conv2dTransposeOp::describeSharding(ShardingRuleBuilder &rule) { return shardConv(rule, *this, 1, 0); }
bool Conv3dTransposeOp::describeSharding(ShardingRuleBuilder &rule) { return shardConv(rule, *this, 1, 0); }

bool Pool2dOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }
bool Pool3dOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }
bool MaxPool2dWithIndexOp::describeSharding(ShardingRuleBuilder &rule) {
  return shardImagesAndChannels(rule);
}
bool MaxPool3dWithIndexOp::describeSharding(ShardingRuleBuilder &rule) {
  return shardImagesAndChannels(rule);
}
bool LinearInterpOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }
bool BilinearInterpOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }
bool TrilinearInterpOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }
bool BicubicInterpOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }
bool NearestInterpOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }

/// A row of the weight for each id.
bool EmbeddingOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t rank = rule.operandType(0).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    rule.pair(0, dim, 0, dim);
  rule.pair(1, 1, 0, rank);
  return true;
}

/// The dimensions from begin_norm_axis on are needed whole; scale and bias have them as one.
bool LayerNormOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t begin = getBeginNormAxis();
  for (int64_t dim = 0; dim < rule.operandType(0).getRank(); ++dim) {
    unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(dim),
                                     dim < begin ? FactorKind::PassThrough : FactorKind::Replicated);
    rule.setOperand(0, dim, factor);
    rule.setResult(0, dim, factor);
    for (unsigned statistic : {1u, 2u})
      if (dim < begin && rule.resultType(statistic).getRank() == begin)
        rule.setResult(statistic, dim, factor);
  }
  return true;
}

} // namespace proa::pd
