//! Sharding rules of products and convolutions: what is summed over can be split, and the parts added.
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/nn/ConvOps.h"
#include "dialects/pd/ops/nn/InterpolateOps.h"
#include "dialects/pd/ops/nn/PoolOps.h"
#include "dialects/pd/sharding/ShardingRule.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Where the rows (columns) of a factor stand; -1: a vector does not have them.
struct MatrixDims {
  int64_t kept, summed;
  MatrixDims(int64_t rank, bool isSummedLast) {
    summed = rank == 1 ? 0 : isSummedLast ? rank - 1 : rank - 2;
    kept = rank == 1 ? -1 : isSummedLast ? rank - 2 : rank - 1;
  }
};

bool matmul(ShardingRuleBuilder &rule) {
  auto op = cast<MatmulOp>(rule.op());
  RankedTensorType x = rule.operandType(0), y = rule.operandType(1), out = rule.resultType(0);
  MatrixDims ofX(x.getRank(), !op.getTransposeX()), ofY(y.getRank(), op.getTransposeY());
  int64_t next = out.getRank();
  if (ofY.kept >= 0)
    rule.pair(1, ofY.kept, 0, --next);
  if (ofX.kept >= 0)
    rule.pair(0, ofX.kept, 0, --next);
  unsigned summed = rule.addFactor(x.getDimSize(ofX.summed), FactorKind::Reduction);
  rule.setOperand(0, ofX.summed, summed);
  rule.setOperand(1, ofY.summed, summed);
  for (int64_t fromBack = 0; next-- > 0; ++fromBack) {
    unsigned batch = rule.addFactor(out.getDimSize(next));
    rule.setResult(0, next, batch);
    for (unsigned operand : {0u, 1u}) {
      RankedTensorType type = rule.operandType(operand);
      int64_t dim = type.getRank() - 3 - fromBack;
      if (dim >= 0 && type.getDimSize(dim) != 1)
        rule.setOperand(operand, dim, batch);
    }
  }
  return true;
}

bool isChannelsLast(Operation *op) {
  auto format = op->getAttrOfType<DataFormatAttr>("data_format");
  return format && channelsAreLast(format.getValue());
}

int64_t channelsOf(ShardingRuleBuilder &rule) {
  return isChannelsLast(rule.op()) ? rule.resultType(0).getRank() - 1 : 1;
}

/// [batch, channels, ...] and a filter of [out channels, in channels / groups, ...], or of a transposed one
/// of [in channels, out channels / groups, ...]. Of groups the channels are needed whole.
template <int64_t filterOut, int64_t filterIn> bool convolution(ShardingRuleBuilder &rule) {
  int64_t channels = channelsOf(rule);
  rule.pair(0, 0, 0, 0);
  auto groups = rule.op()->getAttrOfType<IntegerAttr>("groups");
  if (groups && groups.getInt() != 1)
    return true;
  rule.pair(1, filterOut, 0, channels);
  unsigned summed = rule.addFactor(rule.operandType(0).getDimSize(channels), FactorKind::Reduction);
  rule.setOperand(0, channels, summed);
  rule.setOperand(1, filterIn, summed);
  return true;
}

/// What is done with each image and channel by itself; other operands are sizes and scales.
bool perImageAndChannel(ShardingRuleBuilder &rule) {
  for (int64_t dim : {int64_t(0), channelsOf(rule)}) {
    unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(dim));
    rule.setOperand(0, dim, factor);
    for (unsigned result = 0; result < rule.op()->getNumResults(); ++result)
      rule.setResult(result, dim, factor);
  }
  return true;
}

} // namespace

void addProductSharding(ShardingRules &rules) {
  rules.add<MatmulOp>(matmul);
  rules.add<Conv2dOp, Conv3dOp>(convolution<0, 1>);
  rules.add<Conv2dTransposeOp, Conv3dTransposeOp>(convolution<1, 0>);
  rules.add<Pool2dOp, Pool3dOp, MaxPool2dWithIndexOp, MaxPool3dWithIndexOp, LinearInterpOp, BilinearInterpOp,
            TrilinearInterpOp, BicubicInterpOp, NearestInterpOp>(perImageAndChannel);
}

} // namespace proa::pd
