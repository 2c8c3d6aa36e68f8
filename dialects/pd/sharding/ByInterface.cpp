//! Sharding rules of elementwise ops, reductions and data-movement ops, from their interfaces; and the order
//! of the sources of rules.
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

bool areTensors(ValueRange values) {
  return llvm::all_of(values.getTypes(), llvm::IsaPred<RankedTensorType>);
}

/// Dimensions are aligned at the end. A dim of size 1 is broadcast and gets no factor.
void elementwise(ShardingRuleBuilder &rule) {
  Operation *op = rule.op();
  int64_t rank = rule.resultType(0).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = rule.resultType(0).getDimSize(dim);
    unsigned factor = rule.addFactor(size);
    for (unsigned result = 0; result < op->getNumResults(); ++result)
      if (rule.resultType(result).getRank() == rank)
        rule.setResult(result, dim, factor);
    for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
      int64_t own = dim - (rank - rule.operandType(operand).getRank());
      if (own >= 0 && rule.operandType(operand).getDimSize(own) != 1)
        rule.setOperand(operand, own, factor);
    }
  }
}

void reduction(ShardingRuleBuilder &rule, ReductionOpInterface op) {
  llvm::SmallVector<int64_t> reduced = op.getReducedDims();
  int64_t rank = rule.operandType(0).getRank();
  bool keepsDims = rule.resultType(0).getRank() == rank;
  int64_t next = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isReduced = llvm::is_contained(reduced, dim);
    if (isReduced && op.propagatesNan()) // collectives lose NaNs of shards
      continue;
    unsigned factor =
        rule.addFactor(rule.operandType(0).getDimSize(dim),
                       isReduced ? FactorKind::Reduction : FactorKind::PassThrough, op.getReductionKind());
    rule.setOperand(0, dim, factor);
    if (!isReduced)
      rule.setResult(0, keepsDims ? dim : next, factor);
    next += !isReduced;
  }
}

/// One factor per result dimension, shared with the operand dimension that it indexes. A result dimension
/// that indexes no operand dimension can still be split.
bool movement(ShardingRuleBuilder &rule, IndexingMapOpInterface op) {
  auto map = op.getIndexingMap();
  if (failed(map) || op->getNumOperands() > 1) // a second operand is the shape
    return false;
  llvm::SmallVector<unsigned> factors;
  for (int64_t dim = 0; dim < rule.resultType(0).getRank(); ++dim) {
    factors.push_back(rule.addFactor(rule.resultType(0).getDimSize(dim)));
    rule.setResult(0, dim, factors.back());
  }
  for (auto [dim, expression] : llvm::enumerate(map->getResults()))
    if (auto source = dyn_cast<AffineDimExpr>(expression))
      if (rule.operandType(0).getDimSize(dim) != 1)
        rule.setOperand(0, static_cast<int64_t>(dim), factors[source.getPosition()]);
  return true;
}

/// Describes the rule that follows from an interface; false if there is none.
bool describe(ShardingRuleBuilder &rule) {
  Operation *op = rule.op();
  bool isFormula = op->hasTrait<ElementwiseTrait>() && op->getNumOperands() == 1;
  if (isa<ScalarOpInterface, CastOp>(op) || isFormula) {
    elementwise(rule);
    return true;
  }
  if (auto reductionOp = dyn_cast<ReductionOpInterface>(op)) {
    reduction(rule, reductionOp);
    return true;
  }
  auto movementOp = dyn_cast<IndexingMapOpInterface>(op);
  return movementOp && movement(rule, movementOp);
}

} // namespace

llvm::StringRef shardingSource(Operation *op) {
  if (!wholeReasonOf(op).empty())
    return "none";
  if (hasRecordedSharding(op))
    return "record";
  if (isa<ShardableOpInterface>(op))
    return "code";
  if (isa<ScalarOpInterface, CastOp, ReductionOpInterface, IndexingMapOpInterface>(op) ||
      op->hasTrait<ElementwiseTrait>())
    return "interface";
  return isa<DecomposableOpInterface>(op) ? "decomposition" : "none";
}

llvm::SmallVector<llvm::SmallVector<unsigned>> partialGroupsOf(Operation *op) {
  auto isExact = [](Type type) { return isa<FloatType, ComplexType>(getElementTypeOrSelf(type)); };
  auto linear = dyn_cast<LinearOpInterface>(op);
  if (!linear || !llvm::all_of(op->getResultTypes(), isExact))
    return {};
  auto groups = linear.getLinearGroups();
  llvm::erase_if(groups, [&](llvm::ArrayRef<unsigned> group) {
    return llvm::any_of(group, [&](unsigned operand) { return !isExact(op->getOperand(operand).getType()); });
  });
  return groups;
}

std::optional<ShardingRule> shardingRuleOf(Operation *op) {
  if (op->getNumRegions() > 0 || op->getNumResults() == 0 || !areTensors(op->getOperands()) ||
      !areTensors(op->getResults()) || !wholeReasonOf(op).empty())
    return std::nullopt;
  if (auto recorded = shardingOfRecord(op))
    return fitted(op, *recorded);
  if (auto shardable = dyn_cast<ShardableOpInterface>(op))
    if (ShardingRuleBuilder rule(op); shardable.describeSharding(rule))
      return fitted(op, rule.take());
  if (ShardingRuleBuilder rule(op); describe(rule))
    return fitted(op, rule.take());
  auto derived = shardingOfDecomposition(op);
  return derived ? std::optional(fitted(op, *derived)) : std::nullopt;
}

} // namespace proa::pd
