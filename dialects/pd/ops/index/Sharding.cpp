//! Sharding rules of gathers and scatters: indexed dimensions are needed whole, the others can be split.
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/sharding/AlongAxes.h"
#include "dialects/pd/sharding/LocalForm.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

static ReductionKind kindOfTerms(Type type) {
  return getElementTypeOrSelf(type).isInteger(1) ? ReductionKind::Or : ReductionKind::Sum;
}

/// A split of the indexed axis: each device takes the elements that it has, and zeros for the others.
template <class Op> static FailureOr<SmallVector<Value>> gatherFromShard(LocalFormBuilder &form) {
  auto op = cast<Op>(form.op());
  TensorBuilder e(form.getBuilder(), op);
  Expression x = e.wrap(form.operand(0));
  int64_t axis = normalized(op.getAxis(), x.rank());
  unsigned factor = *form.splitFactor(0, axis);
  int64_t size = form.globalDim(0, axis);
  if (size < form.shardCount(factor)) // a shard has no element
    return failure();
  auto [index, isHeld] = indicesInShard(form, e, form.operand(1), factor, size);
  Operation *local = form.cloneOn({x, index});
  if (!local)
    return failure();
  if (isa<GatherOp>(op)) // the dimensions after the index's
    for (int64_t dim = axis + 1; dim < x.rank(); ++dim)
      isHeld = insertDim(isHeld, isHeld.rank());
  return SmallVector<Value>{termOf(e, isHeld, e.wrap(local->getResult(0)))};
}

/// out: the dimensions of x before the axis, of the index, and of x after the axis.
bool GatherOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getAxisTensor())
    return false;
  int64_t rank = rule.operandType(0).getRank(), indexRank = rule.operandType(1).getRank();
  int64_t axis = getAxis();
  axis += axis < 0 ? rank : 0;
  if (rule.resultType(0).getRank() != rank - 1 + indexRank)
    return false;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      rule.pair(0, dim, 0, dim < axis ? dim : dim - 1 + indexRank);
  for (int64_t dim = 0; dim < indexRank; ++dim)
    rule.pair(1, dim, 0, axis + dim);
  rule.splitByLocalForm(0, axis, gatherFromShard<GatherOp>, FactorKind::Reduction,
                        kindOfTerms(rule.operandType(0)));
  return true;
}

/// The rows of the index, and the dimensions of x after the indexed ones.
bool GatherNdOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t rows = rule.operandType(1).getRank() - 1, depth = rule.operandType(1).getDimSize(rows);
  if (ShapedType::isDynamic(depth))
    return false;
  for (int64_t dim = 0; dim < rows; ++dim)
    rule.pair(1, dim, 0, dim);
  for (int64_t dim = depth; dim < rule.operandType(0).getRank(); ++dim)
    rule.pair(0, dim, 0, rows + dim - depth);
  return true;
}

/// Whether all elements are the constant 0: what each device adds to it is then a term of a sum. Ops of the
/// dialect `dist` keep zeros.
static bool isZero(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getName().getDialectNamespace() != "dist" || op->getNumOperands() != 1)
      break;
    value = op->getOperand(0);
  }
  if (auto full = value.getDefiningOp<FullOp>())
    return !full.getValueTensor() && full.getIntegerValue().value_or(0) == 0 && full.getValue().isZero();
  if (auto full = value.getDefiningOp<FullLikeOp>())
    return !full.getValueTensor() && full.getValue().isZero();
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// The dimensions of x after the indexed ones, and rows that are added to zeros.
bool ScatterNdOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t rows = rule.operandType(1).getRank() - 1, depth = rule.operandType(1).getDimSize(rows);
  if (ShapedType::isDynamic(depth))
    return false;
  if (getReduce() == ScatterReduce::Add && isZero(getX()))
    for (int64_t dim = 0; dim < rows; ++dim) {
      unsigned factor = rule.addFactor(rule.operandType(1).getDimSize(dim), FactorKind::Reduction);
      rule.setOperand(1, dim, factor);
      rule.setOperand(2, dim, factor);
    }
  for (int64_t dim = depth; dim < rule.operandType(0).getRank(); ++dim) {
    unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(dim));
    rule.setOperand(0, dim, factor);
    rule.setResult(0, dim, factor);
    if (rule.operandType(2).getDimSize(rows + dim - depth) == rule.operandType(0).getDimSize(dim))
      rule.setOperand(2, rows + dim - depth, factor);
  }
  return true;
}

/// The dimensions of x other than the axis. Rows that are added to zeros can be split: the results are terms
/// of a sum.
bool IndexAddOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t rank = rule.operandType(0).getRank(), axis = normalized(getAxis(), rank);
  if (rule.operandType(2).getRank() != rank)
    return false;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == axis || rule.operandType(0).getDimSize(dim) != rule.operandType(2).getDimSize(dim))
      continue;
    unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(dim));
    for (unsigned operand : {0u, 2u})
      rule.setOperand(operand, dim, factor);
    rule.setResult(0, dim, factor);
  }
  if (isZero(getX())) {
    unsigned rows = rule.addFactor(rule.operandType(1).getDimSize(0), FactorKind::Reduction);
    rule.setOperand(1, 0, rows);
    rule.setOperand(2, axis, rows);
  }
  return true;
}

/// Dimensions other than the axis are the same in all operands. The axis itself can be split if the result
/// has the dim of the indices there.
static bool shardAlongIndexedAxis(ShardingRuleBuilder &rule, int64_t axis, bool resultHasDimOfIndices) {
  Operation *op = rule.op();
  int64_t rank = rule.operandType(0).getRank();
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
    if (dim == axis && resultHasDimOfIndices && hasDim(1))
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

bool TakeAlongAxisOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t axis = normalized(getAxis(), rule.operandType(0).getRank());
  shardAlongIndexedAxis(rule, axis, /*resultHasDimOfIndices=*/true);
  rule.splitByLocalForm(0, axis, gatherFromShard<TakeAlongAxisOp>, FactorKind::Reduction,
                        kindOfTerms(rule.operandType(0)));
  return true;
}
bool PutAlongAxisOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t rank = rule.operandType(0).getRank(), axis = normalized(getAxis(), rank);
  shardAlongIndexedAxis(rule, axis, /*resultHasDimOfIndices=*/false);
  RankedTensorType indices = rule.operandType(1), values = rule.operandType(2);
  if (getReduce() != ScatterReduce::Add || !isZero(getX()) || values.getRank() != rank ||
      values.getDimSize(axis) != indices.getDimSize(axis))
    return true;
  unsigned factor = rule.addFactor(indices.getDimSize(axis), FactorKind::Reduction);
  rule.setOperand(1, axis, factor);
  rule.setOperand(2, axis, factor);
  return true;
}

/// The values broadcast to the slice that they replace.
bool SetValueOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t rank = rule.operandType(0).getRank(), added = rank - rule.operandType(1).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(getAxes(), dim) || llvm::is_contained(getAxes(), dim - rank))
      continue;
    unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(dim));
    rule.setOperand(0, dim, factor);
    rule.setResult(0, dim, factor);
    if (dim >= added && rule.operandType(1).getDimSize(dim - added) != 1)
      rule.setOperand(1, dim - added, factor);
  }
  return true;
}

} // namespace proa::pd
