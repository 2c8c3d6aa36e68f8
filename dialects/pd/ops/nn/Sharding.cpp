//! Sharding rules of poolings, resampling, normalizations and embeddings: images and channels can be split.
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/ops/nn/InterpolateOps.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/nn/PoolOps.h"
#include "dialects/pd/ops/nn/RecurrentOps.h"
#include "dialects/pd/ops/nn/WindowSharding.h"
#include "dialects/pd/ops/shape/DimSize.h"
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

/// The pooling of the elements that the part of the result needs.
template <class Op> static FailureOr<SmallVector<Value>> poolOfWindow(LocalFormBuilder &form) {
  auto op = cast<Op>(form.op());
  bool isMax = op.getPoolingType() == PoolingType::Max;
  return windowOfPart(form, {op.getKernelSize(),
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

/// The rows that the device has; the others are zero. The sum over devices has each row once.
static FailureOr<SmallVector<Value>> embeddingOfPart(LocalFormBuilder &form) {
  auto op = cast<EmbeddingOp>(form.op());
  TensorBuilder e(form.getBuilder(), op);
  int64_t rows = form.globalDim(1, 0);
  unsigned factor = *form.splitFactor(1, 0);
  if (rows < form.partsOf(factor)) // a part has no row
    return failure();
  auto [index, isHeld] = indicesInPart(form, e, form.operand(0), factor, rows);
  if (op.getPaddingIdx() != -1) {
    Expression ids = e.wrap(form.operand(0));
    isHeld = e.wrap(e.create<LogicalAndOp>(
        isHeld, e.wrap(e.create<LogicalNotOp>(e.equal(ids, static_cast<double>(op.getPaddingIdx()))))));
  }
  Expression found =
      e.wrap(e.create<EmbeddingOp>(index, form.operand(1), /*padding_idx=*/int64_t(-1), false));
  return SmallVector<Value>{termOf(e, insertDim(isHeld, isHeld.rank()), found)};
}

/// A row of the weight for each id.
bool EmbeddingOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t rank = rule.operandType(0).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    rule.pair(0, dim, 0, dim);
  rule.pair(1, 1, 0, rank);
  rule.splitByLocalForm(1, 0, embeddingOfPart, FactorKind::Reduction);
  return true;
}

/// Whether dropout between layers is random.
template <class Op> static bool dropsOut(Op op) {
  return !op.getIsTest() && op.getDropoutProb().convertToDouble() != 0 && op.getNumLayers() > 1;
}

/// The dimension of the batch in each operand of a recurrent layer: the second of x, states and cotangents,
/// and that of the lengths.
static void shareBatch(ShardingRuleBuilder &rule, unsigned factor, unsigned firstWeight, unsigned weights) {
  for (unsigned operand = 0; operand < rule.op()->getNumOperands(); ++operand)
    if (operand < firstWeight || operand >= firstWeight + weights)
      rule.setOperand(operand, rule.operandType(operand).getRank() == 1 ? 0 : 1, factor);
}

/// Samples are independent.
bool RnnOp::describeSharding(ShardingRuleBuilder &rule) {
  if (dropsOut(*this))
    return false;
  unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(1));
  shareBatch(rule, factor, 1 + static_cast<unsigned>(getPreState().size()),
             static_cast<unsigned>(getWeightList().size()));
  for (unsigned result = 0; result < getNumResults(); ++result)
    rule.setResult(result, 1, factor);
  return true;
}

/// The gradients of the weights are sums over samples.
bool RnnGradientOp::describeSharding(ShardingRuleBuilder &rule) {
  if (dropsOut(*this))
    return false;
  auto states = static_cast<unsigned>(getPreState().size());
  unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(1), FactorKind::Reduction);
  shareBatch(rule, factor, 1 + states, static_cast<unsigned>(getWeightList().size()));
  for (unsigned result = 0; result <= states; ++result)
    rule.setResult(result, 1, factor);
  return true;
}

/// The dimensions from begin_norm_axis on are needed whole, for sums over devices in the local form; scale
/// and bias have them as one.
bool LayerNormOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t begin = getBeginNormAxis(), rank = rule.operandType(0).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = rule.operandType(0).getDimSize(dim);
    unsigned factor = dim < begin
                          ? rule.addFactor(size)
                          : rule.addWholeFactor(size, "the statistics are those of the whole dimension");
    rule.setOperand(0, dim, factor);
    rule.setResult(0, dim, factor);
    for (unsigned statistic : {1u, 2u})
      if (dim < begin && rule.resultType(statistic).getRank() == begin)
        rule.setResult(statistic, dim, factor);
    if (dim >= begin)
      for (unsigned operand = 1; operand < getNumOperands(); ++operand)
        rule.setOperand(operand, 0, factor);
  }
  for (int64_t dim = begin; dim < rank; ++dim)
    rule.splitByLocalForm(0, dim, localDecomposition);
  return true;
}

} // namespace proa::pd
