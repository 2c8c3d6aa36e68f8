//! Sharding rules of ops that move elements: dimensions that an op does not change can be split.
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/ops/shape/StridedOps.h"
#include "dialects/pd/ops/shape/View.h"
#include "dialects/pd/sharding/AlongAxes.h"
#include "dialects/pd/sharding/LocalForm.h"

#include <numeric>

using namespace mlir;

namespace proa::pd {
namespace {

bool isKnown(int64_t dim) { return !ShapedType::isDynamic(dim); }

/// Walks the dimensions of both shapes from the outermost on and finds their common factors, as far as the
/// dim sizes are static.
class ReshapeFactors {
public:
  explicit ReshapeFactors(ShardingRuleBuilder &rule)
      : rule(rule), from(rule.operandType(0).getShape()), to(rule.resultType(0).getShape()) {}

  void find() {
    while (in < from.size() && out < to.size() && step())
      ;
    explainRest();
    // The rest of dimensions whose outer dim has a factor.
    if (restIn != 0 && restIn != from[in])
      rule.setOperand(0, static_cast<int64_t>(in), rule.addWholeFactor(restIn, noCommonFactor));
    if (restOut != 0 && restOut != to[out])
      rule.setResult(0, static_cast<int64_t>(out), rule.addWholeFactor(restOut, noCommonFactor));
  }

private:
  void explainRest() {
    for (size_t dim = in; dim < from.size(); ++dim)
      rule.explain(/*isResult=*/false, 0, static_cast<int64_t>(dim), noCommonFactor);
    for (size_t dim = out; dim < to.size(); ++dim)
      rule.explain(/*isResult=*/true, 0, static_cast<int64_t>(dim), noCommonFactor);
  }

  static constexpr const char *noCommonFactor = "the dims before and after have no more factors in common";

  /// Takes a factor from both; false where the next dim sizes have none in common.
  bool step() {
    if (restIn == 0 && restOut == 0 && in == out && isCopied()) {
      take(from[in]);
      ++in, ++out;
      return true;
    }
    if (restIn == 0 && restOut == 0 && !isKnown(from[in]) && !isKnown(to[out]) && hasEqualRest()) {
      take(ShapedType::kDynamic);
      ++in, ++out;
      return true;
    }
    if (!isKnown(from[in]) || !isKnown(to[out]))
      return false;
    restIn = restIn == 0 ? from[in] : restIn;
    restOut = restOut == 0 ? to[out] : restOut;
    if (restIn == 0 || restOut == 0) // no elements
      return false;
    int64_t common = std::gcd(restIn, restOut);
    if (common == 1 && restIn != 1 && restOut != 1)
      return false;
    take(common);
    advance(restIn, in, common);
    advance(restOut, out, common);
    return true;
  }

  /// 0 in the attribute: the dimension of the operand at the same index.
  bool isCopied() const {
    llvm::ArrayRef<int64_t> shape = cast<ReshapeOp>(rule.op()).getShape();
    return shape.size() == to.size() && shape[out] == 0;
  }

  static void advance(int64_t &rest, size_t &dim, int64_t factor) {
    rest /= factor;
    if (rest == 1) {
      rest = 0;
      ++dim;
    }
  }

  /// Whether all following dims are static and their products are equal.
  bool hasEqualRest() const {
    auto product = [](llvm::ArrayRef<int64_t> dims) -> std::optional<int64_t> {
      int64_t out = 1;
      for (int64_t dim : dims) {
        if (!isKnown(dim))
          return std::nullopt;
        out *= dim;
      }
      return out;
    };
    auto restFrom = product(from.drop_front(in + 1)), restTo = product(to.drop_front(out + 1));
    return restFrom && restFrom == restTo;
  }

  void take(int64_t size) {
    if (size == 1)
      return;
    unsigned factor = rule.addFactor(size);
    rule.setOperand(0, static_cast<int64_t>(in), factor);
    rule.setResult(0, static_cast<int64_t>(out), factor);
  }

  ShardingRuleBuilder &rule;
  llvm::ArrayRef<int64_t> from, to;
  size_t in = 0, out = 0;
  /// The rest of the dim sizes at these indices; 0: all.
  int64_t restIn = 0, restOut = 0;
};

/// Dimensions of size 1 come or go, the others keep their order.
bool shardView(ShardingRuleBuilder &rule) {
  auto wide = [](RankedTensorType type) {
    llvm::SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.getDimSize(dim) != 1)
        dims.push_back(dim);
    return dims;
  };
  auto from = wide(rule.operandType(0)), to = wide(rule.resultType(0));
  if (from.size() != to.size())
    return false;
  for (auto [operandDim, resultDim] : llvm::zip(from, to))
    rule.pair(0, operandDim, 0, resultDim);
  return true;
}

/// Pairs the dimensions of the first operand and the result that are not in `touched`.
void keepOthers(ShardingRuleBuilder &rule, llvm::ArrayRef<int64_t> touched) {
  int64_t rank = rule.operandType(0).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(touched, dim) && !llvm::is_contained(touched, dim - rank))
      rule.pair(0, dim, 0, dim);
}

} // namespace

bool ReshapeOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getShapeTensor())
    return false;
  ReshapeFactors(rule).find();
  return true;
}

bool SqueezeOp::describeSharding(ShardingRuleBuilder &rule) { return shardView(rule); }
bool UnsqueezeOp::describeSharding(ShardingRuleBuilder &rule) { return shardView(rule); }

/// A slice of a dimension whose pieces before, in and after it are split: the shard of the piece.
static FailureOr<SmallVector<Value>> sliceOfShard(LocalFormBuilder &form) {
  auto op = cast<SliceOp>(form.op());
  auto type = tensorType(op.getX());
  OpBuilder &builder = form.getBuilder();
  llvm::SmallVector<int64_t> starts(op.getStarts()), ends(op.getEnds());
  for (auto [i, entry] : llvm::enumerate(op.getAxes())) {
    int64_t axis = normalized(entry, type.getRank());
    std::optional<unsigned> factor = form.splitFactor(0, axis);
    if (!factor)
      continue;
    SliceRange range = sliceRange(starts[i], ends[i], 1, type.getDimSize(axis));
    std::optional<int64_t> start = form.countBefore(*factor, range.first),
                           end = form.countBefore(*factor, range.first + range.count);
    if (!start || !end)
      return failure();
    starts[i] = *start, ends[i] = *end;
  }
  auto list = [&](llvm::ArrayRef<int64_t> values) { return builder.getDenseI64ArrayAttr(values); };
  return SmallVector<Value>{SliceOp::create(builder, op.getLoc(), form.operand(0), Value(), Value(), Value(),
                                            op.getAxesAttr(), list(starts), list(ends), list({}))};
}

/// Adds the factor of a sliced dimension: the pieces before, in and after the slice.
static void addSlicedDim(ShardingRuleBuilder &rule, int64_t axis, const SliceRange &range) {
  int64_t size = rule.operandType(0).getDimSize(axis), end = range.first + range.count;
  if (range.count == size)
    return rule.pair(0, axis, 0, axis);
  if (range.count == 0 || rule.resultType(0).getDimSize(axis) != range.count)
    return;
  if (auto factor = rule.addPieces({range.first, range.count, size - end}, sliceOfShard)) {
    rule.setOperand(0, axis, *factor);
    rule.setResultPiece(0, axis, *factor, {range.first, end});
  }
}

bool SliceOp::describeSharding(ShardingRuleBuilder &rule) {
  if (rule.operandType(0).getRank() != rule.resultType(0).getRank())
    return false;
  keepOthers(rule, getAxes());
  bool hasAttributes = !getStartsTensor() && !getEndsTensor() && !getStridesTensor() &&
                       llvm::all_of(getStrides(), [](int64_t stride) { return stride == 1; });
  if (!hasAttributes || getStarts().size() != getAxes().size() || getEnds().size() != getAxes().size())
    return true;
  for (auto [entry, start, end] : llvm::zip_equal(getAxes(), getStarts(), getEnds()))
    if (int64_t axis = normalized(entry, rule.operandType(0).getRank()),
        size = rule.operandType(0).getDimSize(axis);
        isKnown(size))
      addSlicedDim(rule, axis, sliceRange(start, end, 1, size));
  return true;
}

/// The shards of each piece of a split dimension.
static FailureOr<SmallVector<Value>> splitOfShard(LocalFormBuilder &form) {
  auto op = cast<SplitOp>(form.op());
  OpBuilder &builder = form.getBuilder();
  int64_t axis = normalized(op.getAxis(), tensorType(op.getX()).getRank());
  llvm::SmallVector<int64_t> sections;
  llvm::SmallVector<Type> types;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    types.push_back(form.localResultType(i));
    sections.push_back(form.localResultType(i).getDimSize(axis));
    if (!isKnown(sections.back()))
      return failure();
  }
  auto split =
      SplitOp::create(builder, op.getLoc(), types, form.operand(0), Value(), Value(),
                      builder.getDenseI64ArrayAttr(sections), builder.getI64IntegerAttr(0), op.getAxisAttr());
  return SmallVector<Value>(split->getResults());
}

bool SplitOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getSectionsTensor() || getAxisTensor() || getNumResults() == 0)
    return false;
  int64_t rank = rule.operandType(0).getRank(), axis = normalized(getAxis(), rank), begin = 0;
  llvm::SmallVector<int64_t> sizes;
  for (unsigned i = 0; i < getNumResults(); ++i)
    sizes.push_back(rule.resultType(i).getDimSize(axis));
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == axis)
      continue;
    unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(dim));
    rule.setOperand(0, dim, factor);
    for (unsigned i = 0; i < getNumResults(); ++i)
      rule.setResult(i, dim, factor);
  }
  if (rule.operandType(0).isDynamicDim(axis)) // blocks have static dims
    return true;
  std::optional<unsigned> pieces = rule.addPieces(sizes, splitOfShard);
  if (!pieces)
    return true;
  rule.setOperand(0, axis, *pieces);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    rule.setResultPiece(static_cast<unsigned>(i), axis, *pieces, {begin, begin + size});
    begin += size;
  }
  return true;
}

bool PadOp::describeSharding(ShardingRuleBuilder &rule) {
  llvm::ArrayRef<int64_t> paddings = getPaddings();
  llvm::SmallVector<int64_t> padded;
  for (int64_t dim = 0; dim < rule.operandType(0).getRank(); ++dim)
    if (paddings[2 * dim] != 0 || paddings[2 * dim + 1] != 0)
      padded.push_back(dim);
  keepOthers(rule, padded);
  return true;
}

/// The dims of the whole: static ones, and sums of the dims of the shards.
template <class Op> static FailureOr<SmallVector<Value>> dimsOfWhole(LocalFormBuilder &form) {
  auto op = cast<Op>(form.op());
  TensorBuilder e(form.getBuilder(), op);
  auto whole = tensorType(op.getX());
  Expression x = e.wrap(form.operand(0));
  Type index = e.getBuilder().getI64Type();
  llvm::SmallVector<Expression> dims;
  for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
    std::optional<unsigned> factor = form.splitFactor(0, dim);
    if (!whole.isDynamicDim(dim)) {
      dims.push_back(e.constant(static_cast<double>(whole.getDimSize(dim)), index));
      continue;
    }
    Expression own = e.wrap(DimSize(x, dim).getValue(e));
    dims.push_back(factor ? e.wrap(form.reduce(own, ReductionKind::Sum, *factor)) : own);
  }
  if constexpr (std::is_same_v<Op, DimOp>)
    return e.results({dims[static_cast<size_t>(normalized(op.getIndex(), whole.getRank()))]});
  llvm::SmallVector<Expression> entries;
  for (Expression dim : dims)
    entries.push_back(e.reshape(dim, {1}));
  Expression all = entries.size() == 1 ? entries.front() : concat(entries, 0);
  return e.results({e.cast(all, tensorType(op.getOut()).getElementType())});
}

/// No element of x is needed.
template <class Op> static bool shardDims(ShardingRuleBuilder &rule) {
  for (int64_t dim = 0; dim < rule.operandType(0).getRank(); ++dim) {
    unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(dim));
    rule.setOperand(0, dim, factor);
    rule.splitFactorByLocalForm(factor, dimsOfWhole<Op>);
  }
  return true;
}

bool DimOp::describeSharding(ShardingRuleBuilder &rule) { return shardDims<DimOp>(rule); }
bool ShapeOp::describeSharding(ShardingRuleBuilder &rule) { return shardDims<ShapeOp>(rule); }

/// Elements of the last dimension become others, if the element sizes differ.
bool ViewDtypeOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t rank = rule.operandType(0).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim + 1 < rank || rule.operandType(0).getShape() == rule.resultType(0).getShape())
      rule.pair(0, dim, 0, dim);
  return true;
}

/// The shards of each piece, joined.
static FailureOr<SmallVector<Value>> concatOfShards(LocalFormBuilder &form) {
  llvm::SmallVector<Value> shards;
  for (unsigned i = 0; i < form.op()->getNumOperands(); ++i)
    shards.push_back(form.operand(i));
  Operation *local = form.cloneOn(shards);
  if (!local)
    return failure();
  return SmallVector<Value>(local->getResults());
}

/// All operands share the dimensions other than the one along which they are joined. That one is split into
/// the pieces of each.
bool ConcatOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getAxisTensor())
    return false;
  int64_t rank = rule.resultType(0).getRank(), axis = getAxis();
  for (unsigned operand = 0; operand < getX().size(); ++operand)
    if (rule.operandType(operand).getRank() != rank) // of rank 0, beside vectors
      return false;
  axis += axis < 0 ? rank : 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == axis)
      continue;
    unsigned factor = rule.addFactor(rule.resultType(0).getDimSize(dim));
    rule.setResult(0, dim, factor);
    for (unsigned operand = 0; operand < getX().size(); ++operand)
      rule.setOperand(operand, dim, factor);
  }
  llvm::SmallVector<int64_t> sizes;
  for (unsigned operand = 0; operand < getX().size(); ++operand)
    sizes.push_back(rule.operandType(operand).getDimSize(axis));
  if (rule.resultType(0).isDynamicDim(axis)) // blocks have static dims
    return true;
  std::optional<unsigned> pieces = rule.addPieces(sizes, concatOfShards);
  if (!pieces)
    return true;
  rule.setResult(0, axis, *pieces);
  int64_t begin = 0;
  for (auto [operand, size] : llvm::enumerate(sizes)) {
    rule.setOperandPiece(static_cast<unsigned>(operand), axis, *pieces, {begin, begin + size});
    begin += size;
  }
  return true;
}

} // namespace proa::pd
