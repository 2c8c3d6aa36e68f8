//! Sharding rules of searches. Over a split axis each device searches its shard, and then all devices search
//! the results of the shards.
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/sharding/AlongAxes.h"
#include "dialects/pd/sharding/LocalForm.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

static Expression along(TensorBuilder &e, Value x, Value indices, int64_t axis) {
  return e.wrap(e.create<TakeAlongAxisOp>(x, indices, axis));
}

/// The first extremum among the first extrema of the shards, which are in order.
template <class Op> static FailureOr<SmallVector<Value>> argOfShards(LocalFormBuilder &form) {
  auto op = cast<Op>(form.op());
  OpBuilder &builder = form.getBuilder();
  TensorBuilder e(builder, op);
  Expression x = e.wrap(form.operand(0));
  int64_t axis = normalized(op.getAxis(), x.rank());
  unsigned factor = *form.splitFactor(0, axis);
  int64_t size = form.globalDim(0, axis), shards = form.shardCount(factor);
  if (size < shards)
    return failure();
  auto arg = [&](Value of) {
    return e.create<Op>(of, Value(), axis, /*keepdims=*/true, /*flatten=*/false,
                        TypeAttr::get(builder.getI64Type()));
  };
  Value index = arg(x);
  Expression found = e.wrap(index) + e.wrap(form.beginOf(factor, size));
  Value indices = form.gather(found, axis, factor, shards);
  Value values = form.gather(along(e, x, index, axis), axis, factor, shards);
  Expression out = e.cast(along(e, indices, arg(values), axis), getElementTypeOrSelf(op.getOut()));
  return SmallVector<Value>{op.getKeepdims() ? out : dropDim(out, axis)};
}

/// The best of the best elements of the shards.
static FailureOr<SmallVector<Value>> topkOfShards(LocalFormBuilder &form) {
  auto op = cast<TopkOp>(form.op());
  TensorBuilder e(form.getBuilder(), op);
  Expression x = e.wrap(form.operand(0));
  int64_t axis = normalized(op.getAxis(), x.rank()), k = op.getK();
  unsigned factor = *form.splitFactor(0, axis);
  int64_t size = form.globalDim(0, axis), shards = form.shardCount(factor), own = x.type().getDimSize(axis);
  if (size < shards || (ShapedType::isDynamic(own) && size < shards * k)) // a shard has fewer elements
    return failure();
  int64_t ofShard = ShapedType::isDynamic(own) ? k : std::min(k, own), ofAll = 0;
  for (int64_t shard = 0; shard < shards; ++shard)
    ofAll += std::min(k, beginOfShard(size, shards, shard + 1) - beginOfShard(size, shards, shard));
  auto best = [&](Value of, int64_t count) {
    return TopkOp::create(form.getBuilder(), op.getLoc(), of, Value(), count, axis, op.getLargest(),
                          op.getSorted(), op.getStable());
  };
  TopkOp local = best(x, ofShard);
  Type indexType = getElementTypeOrSelf(op.getIndices());
  Expression found = e.wrap(local.getIndices()) + e.cast(e.wrap(form.beginOf(factor, size)), indexType);
  Value indices = form.gather(found, axis, factor, ofAll);
  TopkOp chosen = best(form.gather(local.getOut(), axis, factor, ofAll), k);
  return SmallVector<Value>{chosen.getOut(), along(e, indices, chosen.getIndices(), axis)};
}

//===-- Sorting -----------------------------------------------------------------------------------------===//

namespace {

/// Comparators of different shards: shard i exchanges with `partners[i]`, or not with itself.
using Round = llvm::SmallVector<int64_t>;

/// Batcher's merge exchange for any number of keys (Knuth, TAOCP 3, algorithm 5.2.2M). It sorts shards of
/// equal sizes too, if a comparator gives one shard the smaller half of both, and the other the larger half.
llvm::SmallVector<Round> mergeExchange(int64_t shards) {
  llvm::SmallVector<Round> rounds;
  auto top = static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(shards)) / 2);
  for (int64_t p = top; p > 0; p /= 2)
    for (int64_t q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
      Round &round = rounds.emplace_back(llvm::to_vector(llvm::seq<int64_t>(shards)));
      for (int64_t i = 0; i + d < shards; ++i)
        if ((i & p) == r)
          std::swap(round[static_cast<size_t>(i)], round[static_cast<size_t>(i + d)]);
      if (q == p)
        break;
    }
  return rounds;
}

/// Elements with their indices in the whole, in order.
struct Sorted {
  Expression values, indices;
};

/// Sorts the shards of the devices together: a device sorts its shard, and exchanges it with others.
class ShardSorter {
public:
  ShardSorter(LocalFormBuilder &form, ArgsortOp op, int64_t axis, unsigned factor, int64_t ofShard)
      : form(form), op(op), e(form.getBuilder(), op), axis(axis), factor(factor), ofShard(ofShard) {}

  Sorted run(Expression x, Type indexType) {
    ArgsortOp local = sort(x, op.getDescending());
    Expression begin = e.wrap(form.beginOf(factor, ofShard * form.shardCount(factor)));
    Sorted own{e.wrap(local.getOut()), e.cast(e.wrap(local.getIndices()) + begin, indexType)};
    for (const Round &round : mergeExchange(form.shardCount(factor)))
      own = exchange(own, round);
    return own;
  }

private:
  ArgsortOp sort(Value x, bool descending) {
    return ArgsortOp::create(form.getBuilder(), op.getLoc(), x, axis, descending, /*stable=*/true);
  }

  /// By value, and equal values by index.
  Sorted sortBoth(const Sorted &x) {
    ArgsortOp byIndex = sort(x.indices, false);
    ArgsortOp byValue = sort(along(e, x.values, byIndex.getIndices(), axis), op.getDescending());
    return {e.wrap(byValue.getOut()), along(e, byIndex.getOut(), byValue.getIndices(), axis)};
  }

  Expression half(Expression x, int64_t begin) {
    OpBuilder &builder = form.getBuilder();
    auto list = [&](int64_t value) { return builder.getDenseI64ArrayAttr({value}); };
    return e.wrap(SliceOp::create(builder, op.getLoc(), x, Value(), Value(), Value(), list(axis), list(begin),
                                  list(begin + ofShard), builder.getDenseI64ArrayAttr({})));
  }

  /// The half that the shard keeps: the first one if its partner is a later shard.
  Sorted exchange(const Sorted &own, const Round &partners) {
    auto received = [&](Expression x) { return e.wrap(form.permute(x, factor, partners)); };
    Sorted both = sortBoth({concat({own.values, received(own.values)}, axis),
                            concat({own.indices, received(own.indices)}, axis)});
    llvm::SmallVector<int64_t> isFirst, isAlone;
    for (auto [shard, partner] : llvm::enumerate(partners)) {
      isFirst.push_back(static_cast<int64_t>(shard) < partner);
      isAlone.push_back(static_cast<int64_t>(shard) == partner);
    }
    auto isShard = [&](llvm::ArrayRef<int64_t> flags) {
      return e.cast(e.wrap(form.byShard(factor, flags)), form.getBuilder().getI1Type());
    };
    Expression first = isShard(isFirst);
    std::optional<Expression> alone;
    if (llvm::is_contained(isAlone, 1))
      alone = isShard(isAlone);
    auto kept = [&](Expression all, Expression previous) {
      Expression half = e.select(first, this->half(all, 0), this->half(all, ofShard));
      return alone ? e.select(*alone, previous, half) : half;
    };
    return {kept(both.values, own.values), kept(both.indices, own.indices)};
  }

  LocalFormBuilder &form;
  ArgsortOp op;
  TensorBuilder e;
  int64_t axis;
  unsigned factor;
  int64_t ofShard;
};

/// For equal shards of static dims: messages have them.
FailureOr<SmallVector<Value>> sortOfShards(LocalFormBuilder &form) {
  auto op = cast<ArgsortOp>(form.op());
  OpBuilder &builder = form.getBuilder();
  TensorBuilder e(builder, op);
  Expression x = e.wrap(form.operand(0));
  int64_t axis = normalized(op.getAxis(), x.rank());
  unsigned factor = *form.splitFactor(0, axis);
  int64_t size = form.globalDim(0, axis), shards = form.shardCount(factor);
  if (size % shards != 0 || !form.blocksOf(factor).empty() || !x.type().hasStaticShape())
    return failure();
  bool isSmall = size <= std::numeric_limits<int32_t>::max();
  Type indexType = isSmall ? builder.getI32Type() : builder.getI64Type();
  Sorted sorted = ShardSorter(form, op, axis, factor, size / shards).run(x, indexType);
  return SmallVector<Value>{sorted.values, e.cast(sorted.indices, getElementTypeOrSelf(op.getIndices()))};
}

} // namespace

//===-- Rules -------------------------------------------------------------------------------------------===//

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
    rule.splitByLocalForm(0, axis, argOfShards<Op>);
  return true;
}

bool ArgmaxOp::describeSharding(ShardingRuleBuilder &rule) { return shardArg(rule, *this); }
bool ArgminOp::describeSharding(ShardingRuleBuilder &rule) { return shardArg(rule, *this); }
bool ArgsortOp::describeSharding(ShardingRuleBuilder &rule) {
  if (!shardAlongAxis(rule))
    return false;
  if (int64_t rank = rule.operandType(0).getRank())
    rule.splitByLocalForm(0, normalized(getAxis(), rank), sortOfShards);
  return true;
}
bool TopkOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getKTensor() || !shardAlongAxis(rule))
    return false;
  int64_t rank = rule.operandType(0).getRank(), axis = normalized(getAxis(), rank);
  // With as many results as elements, the results have the factor too. The order of results that are not
  // sorted depends on an algorithm on all elements.
  if (rank > 0 && (getSorted() || getStable()) &&
      rule.operandType(0).getDimSize(axis) > static_cast<int64_t>(getK()))
    rule.splitByLocalForm(0, axis, topkOfShards);
  return true;
}

} // namespace proa::pd
