//! Sharding rules of poolings, resampling, normalizations and embeddings: images and channels can be split.
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
