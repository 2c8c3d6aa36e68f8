//! Sharding rule of the matmul: the summed dimension can be split, and the terms are added.
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/linalg/IntegerMatmul.h"
#include "dialects/pd/ops/linalg/SolveOps.h"
#include "dialects/pd/sharding/ShardingRule.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The dimensions of a factor that the result keeps and that is summed over. A vector has no kept one: -1.
struct MatrixDims {
  int64_t kept, summed;
  MatrixDims(int64_t rank, bool isSummedLast) {
    summed = rank == 1 ? 0 : isSummedLast ? rank - 1 : rank - 2;
    kept = rank == 1 ? -1 : isSummedLast ? rank - 2 : rank - 1;
  }
};

} // namespace

static bool shardMatmul(ShardingRuleBuilder &rule, bool transposeX, bool transposeY) {
  RankedTensorType x = rule.operandType(0), y = rule.operandType(1), out = rule.resultType(0);
  MatrixDims ofX(x.getRank(), !transposeX), ofY(y.getRank(), transposeY);
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

bool MatmulOp::describeSharding(ShardingRuleBuilder &rule) {
  return shardMatmul(rule, getTransposeX(), getTransposeY());
}
bool IntegerMatmulOp::describeSharding(ShardingRuleBuilder &rule) {
  return shardMatmul(rule, getTransposeX(), getTransposeY());
}

/// Each system of a batch by itself. Results that a driver does not compute are empty.
bool LstsqOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t batchRank = rule.operandType(0).getRank() - 2;
  for (int64_t dim = 0; dim < batchRank; ++dim) {
    int64_t size = rule.operandType(0).getDimSize(dim);
    unsigned factor = rule.addFactor(size);
    for (unsigned operand : {0u, 1u})
      rule.setOperand(operand, dim, factor);
    for (unsigned result = 0; result < getOperation()->getNumResults(); ++result)
      if (rule.resultType(result).getRank() >= batchRank && rule.resultType(result).getDimSize(dim) == size)
        rule.setResult(result, dim, factor);
  }
  return true;
}

} // namespace proa::pd
