//! Sharding rules of convolutions and of their gradients by the filter.
#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/conv/IntegerConvOps.h"
#include "dialects/pd/ops/conv/WindowSharding.h"

using namespace mlir;

namespace proa::pd {

/// `filterOut` and `filterIn` are the dimensions of the filter with the channels of the result and of the
/// image. The channels that are summed over can be split, and the terms are added; with groups they are
/// needed whole.
template <class Op>
static bool shardConv(ShardingRuleBuilder &rule, Op op, int64_t filterOut, int64_t filterIn) {
  int64_t channels = channelsAreLast(op.getDataFormat()) ? rule.resultType(0).getRank() - 1 : 1;
  rule.pair(0, 0, 0, 0);
  if (op.getGroups() != 1)
    return true;
  rule.pair(1, filterOut, 0, channels);
  unsigned summed = rule.addFactor(rule.operandType(0).getDimSize(channels), FactorKind::Reduction);
  rule.setOperand(0, channels, summed);
  rule.setOperand(1, filterIn, summed);
  return true;
}

/// The convolution of the elements that the shard of the result needs.
template <class Op> static FailureOr<SmallVector<Value>> convOfWindow(LocalFormBuilder &form) {
  auto op = cast<Op>(form.op());
  llvm::ArrayRef<int64_t> kernel = cast<RankedTensorType>(op.getFilter().getType()).getShape().drop_front(2);
  return windowOfShard(form, {kernel, op.getStrides(), op.getDilations(), op.getPaddings(), 0});
}

/// As shardConv(), with spatial dimensions by exchange of their borders.
template <class Op> static bool shardConvAndSpace(ShardingRuleBuilder &rule, Op op) {
  shardConv(rule, op, 0, 1);
  if (op.getPaddingAlgorithm() == PaddingAlgorithm::Explicit && rule.operandType(1).hasStaticShape())
    shardSpace(rule, channelsAreLast(op.getDataFormat()), convOfWindow<Op>);
  return true;
}

// The filter of a convolution is [out channels, in channels / groups, ...].
bool Conv2dOp::describeSharding(ShardingRuleBuilder &rule) { return shardConvAndSpace(rule, *this); }
bool IntegerConv2dOp::describeSharding(ShardingRuleBuilder &rule) { return shardConv(rule, *this, 0, 1); }
bool Conv3dOp::describeSharding(ShardingRuleBuilder &rule) { return shardConvAndSpace(rule, *this); }
// The filter of a transposed one is [in channels, out channels / groups, ...].
bool Conv2dTransposeOp::describeSharding(ShardingRuleBuilder &rule) { return shardConv(rule, *this, 1, 0); }
bool Conv3dTransposeOp::describeSharding(ShardingRuleBuilder &rule) { return shardConv(rule, *this, 1, 0); }

/// The images are summed over. The filter's gradient has the channels of the result and of the image; with
/// groups they are needed whole.
template <class Op> static bool shardWeightGradient(ShardingRuleBuilder &rule, Op op) {
  unsigned images = rule.addFactor(rule.operandType(0).getDimSize(0), FactorKind::Reduction);
  rule.setOperand(0, 0, images);
  rule.setOperand(1, 0, images);
  if (op.getGroups() != 1)
    return true;
  int64_t channels = channelsAreLast(op.getDataFormat()) ? rule.operandType(0).getRank() - 1 : 1;
  rule.pair(1, channels, 0, 0);
  rule.pair(0, channels, 0, 1);
  return true;
}

bool Conv2dWeightGradientOp::describeSharding(ShardingRuleBuilder &rule) {
  return shardWeightGradient(rule, *this);
}
bool Conv3dWeightGradientOp::describeSharding(ShardingRuleBuilder &rule) {
  return shardWeightGradient(rule, *this);
}

} // namespace proa::pd
