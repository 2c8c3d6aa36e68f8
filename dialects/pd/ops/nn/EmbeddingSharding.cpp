//! Sharding rules of embeddings.
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/sharding/Formula.h"
#include "dialects/pd/sharding/LocalForm.h"

using namespace mlir;

namespace proa::pd {

/// The rows that the device has; the others are zero. The sum over devices has each row once.
static FailureOr<SmallVector<Value>> embeddingOfShard(LocalFormBuilder &form) {
  auto op = cast<EmbeddingOp>(form.op());
  TensorBuilder e(form.getBuilder(), op);
  int64_t rows = form.globalDim(1, 0);
  unsigned factor = *form.splitFactor(1, 0);
  if (rows < form.shardCount(factor)) // a shard has no row
    return failure();
  auto [index, isHeld] = indicesInShard(form, e, form.operand(0), factor, rows);
  if (static_cast<int64_t>(op.getPaddingIdx()) != -1) {
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
  rule.splitByLocalForm(1, 0, embeddingOfShard, FactorKind::Reduction);
  return true;
}

} // namespace proa::pd
