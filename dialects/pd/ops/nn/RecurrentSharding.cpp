//! Sharding rules of recurrent layers.
#include "dialects/pd/ops/nn/RecurrentOps.h"

using namespace mlir;

namespace proa::pd {

/// Whether dropout between layers is random.
template <class Op> static bool dropsOut(Op op) {
  return !op.getIsTest() && op.getDropoutProb().convertToDouble() != 0 && op.getNumLayers() > 1;
}

/// The dimension of the batch in each operand of a recurrent layer: the second of x, states and cotangents,
/// and the only one of the lengths.
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

} // namespace proa::pd
