//! Sharding rules of poolings and resampling: images and channels can be split.
#include "dialects/pd/ops/conv/WindowSharding.h"
#include "dialects/pd/ops/image/InterpolateOps.h"
#include "dialects/pd/ops/image/PoolOps.h"
#include "dialects/pd/sharding/Formula.h"
#include "dialects/pd/sharding/LocalForm.h"

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

/// The pooling of the elements that the shard of the result needs.
template <class Op> static FailureOr<SmallVector<Value>> poolOfWindow(LocalFormBuilder &form) {
  auto op = cast<Op>(form.op());
  bool isMax = op.getPoolingType() == PoolingType::Max;
  return windowOfShard(form, {op.getKernelSize(),
                              op.getStrides(),
                              {},
                              op.getPaddings(),
                              isMax ? -std::numeric_limits<double>::infinity() : 0});
}

/// Whether all means divide by the same number. Paddle's count the padding of a window up to that before the
/// input (PoolElement.cpp).
template <class Op> static bool countsAlike(Op op) {
  llvm::ArrayRef<int64_t> paddings = op.getPaddings();
  if (op.getExclusive())
    return llvm::all_of(paddings, [](int64_t padding) { return padding == 0; });
  bool isPair = static_cast<int64_t>(paddings.size()) == 2 * (tensorType(op.getX()).getRank() - 2);
  for (size_t i = 0; isPair && i < paddings.size(); i += 2)
    if (paddings[i + 1] > paddings[i])
      return false;
  return true;
}

/// Images and channels; and spatial dimensions by exchange of borders, unless means count windows at the
/// border differently.
template <class Op> static bool shardPool(ShardingRuleBuilder &rule, Op op) {
  shardImagesAndChannels(rule);
  bool isUniform = op.getPoolingType() == PoolingType::Max || countsAlike(op);
  if (isUniform && !op.getKernelSizeTensor() && !op.getAdaptive() && !op.getGlobalPooling() &&
      !op.getCeilMode() && op.getPaddingAlgorithm() == PaddingAlgorithm::Explicit &&
      !op.getStrides().empty() && !op.getPaddings().empty())
    shardSpace(rule, isChannelsLast(op), poolOfWindow<Op>);
  return true;
}

bool Pool2dOp::describeSharding(ShardingRuleBuilder &rule) { return shardPool(rule, *this); }
bool Pool3dOp::describeSharding(ShardingRuleBuilder &rule) { return shardPool(rule, *this); }
bool MaxPool2dWithIndexOp::describeSharding(ShardingRuleBuilder &rule) {
  return shardImagesAndChannels(rule);
}
bool MaxPool3dWithIndexOp::describeSharding(ShardingRuleBuilder &rule) {
  return shardImagesAndChannels(rule);
}
/// The cotangent has the images and channels of the input.
static bool shardPoolGradient(ShardingRuleBuilder &rule) {
  int64_t channels = isChannelsLast(rule.op()) ? rule.operandType(0).getRank() - 1 : 1;
  for (int64_t dim : {int64_t(0), channels}) {
    unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(dim));
    for (unsigned operand : {0u, 1u})
      rule.setOperand(operand, dim, factor);
    rule.setResult(0, dim, factor);
  }
  return true;
}
bool Pool2dGradientOp::describeSharding(ShardingRuleBuilder &rule) { return shardPoolGradient(rule); }
bool Pool3dGradientOp::describeSharding(ShardingRuleBuilder &rule) { return shardPoolGradient(rule); }

bool LinearInterpOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }
bool BilinearInterpOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }
bool TrilinearInterpOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }
bool BicubicInterpOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }
bool NearestInterpOp::describeSharding(ShardingRuleBuilder &rule) { return shardImagesAndChannels(rule); }

/// The cotangent has the images and channels of x.
bool InterpolateGradientOp::describeSharding(ShardingRuleBuilder &rule) { return shardPoolGradient(rule); }

} // namespace proa::pd
