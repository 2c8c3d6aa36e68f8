//! Sharding rules of gathers and scatters: what is indexed is needed whole, all other dimensions can be
//! split.
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/sharding/ShardingRule.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// out: the dimensions of x before the axis, those of the index, those of x behind the axis.
bool gather(ShardingRuleBuilder &rule) {
  auto op = cast<GatherOp>(rule.op());
  if (op.getAxisTensor())
    return false;
  int64_t rank = rule.operandType(0).getRank(), indexRank = rule.operandType(1).getRank();
  int64_t axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  if (rule.resultType(0).getRank() != rank - 1 + indexRank)
    return false;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      rule.pair(0, dim, 0, dim < axis ? dim : dim - 1 + indexRank);
  for (int64_t dim = 0; dim < indexRank; ++dim)
    rule.pair(1, dim, 0, axis + dim);
  return true;
}

/// The rows of the index, and the dimensions of x that it does not reach.
bool gatherNd(ShardingRuleBuilder &rule) {
  int64_t rows = rule.operandType(1).getRank() - 1, depth = rule.operandType(1).getDimSize(rows);
  if (ShapedType::isDynamic(depth))
    return false;
  for (int64_t dim = 0; dim < rows; ++dim)
    rule.pair(1, dim, 0, dim);
  for (int64_t dim = depth; dim < rule.operandType(0).getRank(); ++dim)
    rule.pair(0, dim, 0, rows + dim - depth);
  return true;
}

/// A row of the weight for each id.
bool embedding(ShardingRuleBuilder &rule) {
  int64_t rank = rule.operandType(0).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    rule.pair(0, dim, 0, dim);
  rule.pair(1, 1, 0, rank);
  return true;
}

/// The dimensions of x that the rows of the index do not reach.
bool scatterNd(ShardingRuleBuilder &rule) {
  int64_t rows = rule.operandType(1).getRank() - 1, depth = rule.operandType(1).getDimSize(rows);
  if (ShapedType::isDynamic(depth))
    return false;
  for (int64_t dim = depth; dim < rule.operandType(0).getRank(); ++dim) {
    unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(dim));
    rule.setOperand(0, dim, factor);
    rule.setResult(0, dim, factor);
    if (rule.operandType(2).getDimSize(rows + dim - depth) == rule.operandType(0).getDimSize(dim))
      rule.setOperand(2, rows + dim - depth, factor);
  }
  return true;
}

/// Other dimensions than the axis are the same in all operands; along it the result is as long as `along`.
template <unsigned along> bool alongAxis(ShardingRuleBuilder &rule) {
  Operation *op = rule.op();
  int64_t rank = rule.operandType(0).getRank(), axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  axis += axis < 0 ? rank : 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = rule.resultType(0).getDimSize(dim);
    auto hasDim = [&](unsigned operand) {
      RankedTensorType type = rule.operandType(operand);
      return type.getRank() == rank && type.getDimSize(dim) == size;
    };
    bool isShared = dim != axis;
    for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
      isShared &= hasDim(operand);
    if (dim == axis && along == 1 && hasDim(1))
      rule.pair(1, dim, 0, dim);
    if (!isShared)
      continue;
    unsigned factor = rule.addFactor(size);
    rule.setResult(0, dim, factor);
    for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
      rule.setOperand(operand, dim, factor);
  }
  return true;
}

} // namespace

void addIndexSharding(ShardingRules &rules) {
  rules.add<GatherOp>(gather);
  rules.add<GatherNdOp>(gatherNd);
  rules.add<EmbeddingOp>(embedding);
  rules.add<ScatterNdOp>(scatterNd);
  rules.add<TakeAlongAxisOp>(alongAxis<1>);
  rules.add<PutAlongAxisOp>(alongAxis<0>);
}

} // namespace proa::pd
