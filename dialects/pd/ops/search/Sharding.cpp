//! Sharding rules of searches. Over a split axis each device searches its part, and then all devices search
//! the results of the parts.
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/sharding/AlongAxes.h"
#include "dialects/pd/sharding/LocalForm.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

static Expression along(TensorBuilder &e, Value x, Value indices, int64_t axis) {
  return e.wrap(e.create<TakeAlongAxisOp>(x, indices, axis));
}

/// The first extremum among the first extrema of the parts, which are in order.
template <class Op> static FailureOr<SmallVector<Value>> argOfParts(LocalFormBuilder &form) {
  auto op = cast<Op>(form.op());
  OpBuilder &builder = form.getBuilder();
  TensorBuilder e(builder, op);
  Expression x = e.wrap(form.operand(0));
  int64_t axis = normalized(op.getAxis(), x.rank());
  unsigned factor = *form.splitFactor(0, axis);
  int64_t size = form.globalDim(0, axis), parts = form.partsOf(factor);
  if (size < parts)
    return failure();
  auto arg = [&](Value of) {
    return e.create<Op>(of, Value(), axis, /*keepdims=*/true, /*flatten=*/false,
                        TypeAttr::get(builder.getI64Type()));
  };
  Value index = arg(x);
  Expression found = e.wrap(index) + e.wrap(form.beginOf(factor, size));
  Value indices = form.gather(found, axis, factor, parts);
  Value values = form.gather(along(e, x, index, axis), axis, factor, parts);
  Expression out = e.cast(along(e, indices, arg(values), axis), getElementTypeOrSelf(op.getOut()));
  return SmallVector<Value>{op.getKeepdims() ? out : dropDim(out, axis)};
}

/// The best of the best elements of the parts.
static FailureOr<SmallVector<Value>> topkOfParts(LocalFormBuilder &form) {
  auto op = cast<TopkOp>(form.op());
  TensorBuilder e(form.getBuilder(), op);
  Expression x = e.wrap(form.operand(0));
  int64_t axis = normalized(op.getAxis(), x.rank()), k = op.getK();
  unsigned factor = *form.splitFactor(0, axis);
  int64_t size = form.globalDim(0, axis), parts = form.partsOf(factor), own = x.type().getDimSize(axis);
  if (size < parts || (ShapedType::isDynamic(own) && size < parts * k)) // a part has fewer elements
    return failure();
  int64_t ofPart = ShapedType::isDynamic(own) ? k : std::min(k, own), ofAll = 0;
  for (int64_t part = 0; part < parts; ++part)
    ofAll += std::min(k, beginOfPart(size, parts, part + 1) - beginOfPart(size, parts, part));
  auto best = [&](Value of, int64_t count) {
    return TopkOp::create(form.getBuilder(), op.getLoc(), of, Value(), count, axis, op.getLargest(),
                          op.getSorted());
  };
  TopkOp local = best(x, ofPart);
  Type indexType = getElementTypeOrSelf(op.getIndices());
  Expression found = e.wrap(local.getIndices()) + e.cast(e.wrap(form.beginOf(factor, size)), indexType);
  Value indices = form.gather(found, axis, factor, ofAll);
  TopkOp chosen = best(form.gather(local.getOut(), axis, factor, ofAll), k);
  return SmallVector<Value>{chosen.getOut(), along(e, indices, chosen.getIndices(), axis)};
}

/// The result has the axis with size 1 or not at all.
template <class Op> static bool shardArg(ShardingRuleBuilder &rule, Op op) {
  if (op.getFlatten() || op.getAxisTensor())
    return false;
  int64_t rank = rule.operandType(0).getRank(), axis = op.getAxis(), next = 0;
  axis += axis < 0 ? rank : 0;
  bool keepsAxis = rule.resultType(0).getRank() == rank;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != axis)
      rule.pair(0, dim, 0, next);
    next += dim != axis || keepsAxis;
  }
  if (rank > 0)
    rule.splitByLocalForm(0, axis, argOfParts<Op>);
  return true;
}

bool ArgmaxOp::describeSharding(ShardingRuleBuilder &rule) { return shardArg(rule, *this); }
bool ArgminOp::describeSharding(ShardingRuleBuilder &rule) { return shardArg(rule, *this); }
bool ArgsortOp::describeSharding(ShardingRuleBuilder &rule) { return shardAlongAxis(rule); }
bool TopkOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getKTensor() || !shardAlongAxis(rule))
    return false;
  int64_t rank = rule.operandType(0).getRank(), axis = normalized(getAxis(), rank);
  // With as many results as elements, the results have the factor too. The order of results that are not
  // sorted is that of an algorithm on all elements.
  if (rank > 0 && getSorted() && rule.operandType(0).getDimSize(axis) > static_cast<int64_t>(getK()))
    rule.splitByLocalForm(0, axis, topkOfParts);
  return true;
}

} // namespace proa::pd
