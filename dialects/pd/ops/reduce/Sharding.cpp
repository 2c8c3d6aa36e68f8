//! Sharding rules of scans. The scanned axis is needed whole, except where the totals of the shards before
//! can be combined with the scan of a shard.
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/sharding/AlongAxes.h"
#include "dialects/pd/sharding/LocalForm.h"

using namespace mlir;

namespace proa::pd {

/// The combination of the totals of the shards before this one (after it, in reverse), with dim 1 along the
/// axis. `combine` reduces the axis to dim 1.
static Expression totalOfOthers(LocalFormBuilder &form, Expression x, int64_t axis, bool reverse,
                                double neutral, llvm::function_ref<Expression(Expression)> combine) {
  TensorBuilder &e = x.owner();
  unsigned factor = *form.splitFactor(0, axis);
  int64_t shards = form.shardCount(factor);
  llvm::SmallVector<int64_t> dims(static_cast<size_t>(x.rank()), 1);
  dims[static_cast<size_t>(axis)] = shards;
  Expression all = e.wrap(form.gather(combine(x), axis, factor, shards));
  Expression order = e.reshape(iota(e, shards, e.getBuilder().getI64Type()), dims);
  Expression own = e.wrap(form.indexOf(factor));
  return combine(e.select(reverse ? order > own : order < own, all, neutral));
}

/// The scan of the shard, combined with the total of the shards before it.
template <class Op, class Combine>
static FailureOr<SmallVector<Value>>
scanOfShard(LocalFormBuilder &form, double neutral, Combine combine,
            llvm::function_ref<Expression(Expression, Expression)> apply) {
  auto op = cast<Op>(form.op());
  TensorBuilder e(form.getBuilder(), op);
  Operation *local = form.cloneOn(form.operand(0));
  if (!local)
    return failure();
  Expression scan = e.computed(local->getResult(0)), x = e.computed(form.operand(0));
  int64_t axis = normalized(op.getAxis(), x.rank());
  Expression total = totalOfOthers(form, x, axis, op.getReverse(), neutral,
                                   [&](Expression value) { return combine(e, value, axis); });
  return e.results({apply(scan, total)});
}

static FailureOr<SmallVector<Value>> cumsumOfShard(LocalFormBuilder &form) {
  auto sum = [](TensorBuilder &e, Expression x, int64_t axis) { return e.sum(x, axis); };
  return scanOfShard<CumsumOp>(form, 0, sum, [](Expression a, Expression b) { return a + b; });
}

static FailureOr<SmallVector<Value>> cumprodOfShard(LocalFormBuilder &form) {
  auto product = [](TensorBuilder &e, Expression x, int64_t axis) {
    return e.wrap(e.create<ProdOp>(x, llvm::ArrayRef(axis), true));
  };
  return scanOfShard<CumprodOp>(form, 1, product, [](Expression a, Expression b) { return a * b; });
}

bool CumsumOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getAxisTensor() || !shardAlongAxis(rule))
    return false;
  if (int64_t rank = rule.operandType(0).getRank())
    rule.splitByLocalForm(0, normalized(getAxis(), rank), cumsumOfShard);
  return true;
}
bool CumprodOp::describeSharding(ShardingRuleBuilder &rule) {
  if (!shardAlongAxis(rule))
    return false;
  if (int64_t rank = rule.operandType(0).getRank())
    rule.splitByLocalForm(0, normalized(getAxis(), rank), cumprodOfShard);
  return true;
}
bool LogcumsumexpOp::describeSharding(ShardingRuleBuilder &rule) { return shardAlongAxis(rule); }
bool CummaxOp::describeSharding(ShardingRuleBuilder &rule) { return shardAlongAxis(rule); }
bool CumminOp::describeSharding(ShardingRuleBuilder &rule) { return shardAlongAxis(rule); }
bool LinearRecurrenceOp::describeSharding(ShardingRuleBuilder &rule) { return shardAlongAxis(rule); }

} // namespace proa::pd
