//! Sharding rules of ops along axes: scans, sorting, transforms. The others of their dimensions can be split.
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/signal/FftOps.h"
#include "dialects/pd/sharding/ShardingRule.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// A factor for each dimension, which all operands and results of that rank and extent have; of those in
/// `axes` it is needed whole.
void shareDims(ShardingRuleBuilder &rule, llvm::ArrayRef<int64_t> axes) {
  Operation *op = rule.op();
  int64_t rank = rule.operandType(0).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isAxis = llvm::is_contained(axes, dim) || llvm::is_contained(axes, dim - rank);
    int64_t size = rule.operandType(0).getDimSize(dim);
    auto hasDim = [&](RankedTensorType type) {
      return type.getRank() == rank && type.getDimSize(dim) == size;
    };
    unsigned factor = rule.addFactor(size, isAxis ? FactorKind::Replicated : FactorKind::PassThrough);
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (hasDim(rule.operandType(i)))
        rule.setOperand(i, dim, factor);
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      if (hasDim(rule.resultType(i)))
        rule.setResult(i, dim, factor);
  }
}

bool isFlat(Operation *op) {
  auto flatten = op->getAttrOfType<BoolAttr>("flatten");
  return flatten && flatten.getValue();
}

/// One axis, the last by default; with `flatten` there is one dimension alone.
bool alongAxis(ShardingRuleBuilder &rule) {
  auto given = rule.op()->getAttrOfType<IntegerAttr>("axis");
  bool isTensor = rule.op()->getNumOperands() > 1 && !isa<LinearRecurrenceOp>(rule.op());
  if (isFlat(rule.op()) || isTensor)
    return false;
  shareDims(rule, {given ? given.getInt() : -1});
  return true;
}

/// One axis, which the result has with an extent of 1 or not at all.
bool withoutAxis(ShardingRuleBuilder &rule) {
  Operation *op = rule.op();
  if (isFlat(op) || op->getNumOperands() > 1)
    return false;
  int64_t rank = rule.operandType(0).getRank(), axis = op->getAttrOfType<IntegerAttr>("axis").getInt(),
          next = 0;
  axis += axis < 0 ? rank : 0;
  bool keeps = rule.resultType(0).getRank() == rank;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != axis)
      rule.pair(0, dim, 0, next);
    next += dim != axis || keeps;
  }
  return true;
}

bool transform(ShardingRuleBuilder &rule) {
  shareDims(rule, rule.op()->getAttrOfType<DenseI64ArrayAttr>("axes").asArrayRef());
  return true;
}

/// The dimensions from begin_norm_axis on are needed whole; scale and bias have them as one.
bool layerNorm(ShardingRuleBuilder &rule) {
  int64_t begin = cast<LayerNormOp>(rule.op()).getBeginNormAxis();
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

} // namespace

void addAxisSharding(ShardingRules &rules) {
  rules.add<ArgsortOp, TopkOp, CumsumOp, CumprodOp, LogcumsumexpOp, CummaxOp, CumminOp, LinearRecurrenceOp>(
      alongAxis);
  rules.add<LayerNormOp>(layerNorm);
  rules.add<ArgmaxOp, ArgminOp>(withoutAxis);
  rules.add<FftC2cOp, FftR2cOp, FftC2rOp>(transform);
}

} // namespace proa::pd
