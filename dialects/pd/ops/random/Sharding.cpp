//! Sharding rules of random ops: each device samples its shard, with the numbers that the whole tensor has
//! there.
#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/random/DeviceShard.h"
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/sharding/LocalForm.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// A vector of numbers of rank 0.
Value vectorOf(llvm::ArrayRef<Expression> values) {
  llvm::SmallVector<Expression> entries;
  for (Expression value : values)
    entries.push_back(value.owner().reshape(value, {1}));
  return entries.size() == 1 ? entries.front() : concat(entries, 0);
}

} // namespace

DeviceShard shardOfResult(LocalFormBuilder &form, TensorBuilder &e) {
  auto whole = cast<RankedTensorType>(form.op()->getResult(0).getType());
  Type index = e.getBuilder().getI64Type();
  llvm::SmallVector<Expression> begins, sizes;
  for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
    int64_t size = whole.getDimSize(dim);
    std::optional<unsigned> factor = form.splitResultFactor(0, dim);
    begins.push_back(factor ? e.wrap(form.beginOf(*factor, size)) : e.constant(0.0, index));
    sizes.push_back(factor ? e.wrap(form.endOf(*factor, size)) - begins.back()
                           : e.constant(static_cast<double>(size), index));
  }
  return {vectorOf(begins), vectorOf(sizes)};
}

namespace {

/// A clone of the op that samples the shard of the device.
template <class Op> FailureOr<SmallVector<Value>> sampleShard(LocalFormBuilder &form) {
  OpBuilder &builder = form.getBuilder();
  TensorBuilder e(builder, form.op());
  DeviceShard shard = shardOfResult(form, e);
  auto clone = cast<Op>(builder.clone(*form.op()));
  for (unsigned i = 0; i < clone->getNumOperands(); ++i)
    clone->setOperand(i, form.operand(i));
  clone.getPartBeginMutable().assign(shard.begin);
  clone.setWholeShape(cast<RankedTensorType>(form.op()->getResult(0).getType()).getShape());
  if constexpr (requires { clone.getShapeTensorMutable(); }) {
    RankedTensorType local = form.localResultType(0);
    if (local.hasStaticShape())
      clone.setShape(local.getShape());
    else
      clone.getShapeTensorMutable().assign(shard.dims);
  }
  if (failed(inferAgain(clone)))
    return failure();
  return SmallVector<Value>{clone.getOut()};
}

/// An op with a shape: each dimension of the result can be split.
template <class Op> bool shardShape(ShardingRuleBuilder &rule, Op op) {
  if (op.getShapeTensor() || !op.getWholeShape().empty())
    return false;
  for (int64_t dim = 0; dim < rule.resultType(0).getRank(); ++dim)
    rule.splitResultByLocalForm(0, dim, sampleShard<Op>);
  return true;
}

/// An op that samples for each element of its operands.
template <class Op> bool shardEach(ShardingRuleBuilder &rule, Op op) {
  if (!op.getWholeShape().empty() || !rule.resultType(0).hasStaticShape())
    return false;
  for (int64_t dim = 0; dim < rule.resultType(0).getRank(); ++dim)
    if (auto factor = rule.splitResultByLocalForm(0, dim, sampleShard<Op>))
      for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
        rule.setOperand(operand, dim, *factor);
  return true;
}

} // namespace

bool UniformOp::describeSharding(ShardingRuleBuilder &rule) {
  return getDiagNum() == 0 && shardShape(rule, *this);
}
bool GaussianOp::describeSharding(ShardingRuleBuilder &rule) { return shardShape(rule, *this); }
bool TruncatedGaussianRandomOp::describeSharding(ShardingRuleBuilder &rule) {
  return shardShape(rule, *this);
}
bool RandintOp::describeSharding(ShardingRuleBuilder &rule) { return shardShape(rule, *this); }
bool PoissonOp::describeSharding(ShardingRuleBuilder &rule) { return shardEach(rule, *this); }
bool BinomialOp::describeSharding(ShardingRuleBuilder &rule) { return shardEach(rule, *this); }
bool StandardGammaOp::describeSharding(ShardingRuleBuilder &rule) { return shardEach(rule, *this); }

} // namespace proa::pd
