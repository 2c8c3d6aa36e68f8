//! Sharding rules of ops that move elements: dimensions that an op does not change can be split.
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/ops/shape/View.h"
#include "dialects/pd/sharding/ShardingRule.h"

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
    // The rest of dimensions whose outer part has a factor.
    if (restIn != 0 && restIn != from[in])
      rule.setOperand(0, static_cast<int64_t>(in), rule.addFactor(restIn, FactorKind::Replicated));
    if (restOut != 0 && restOut != to[out])
      rule.setResult(0, static_cast<int64_t>(out), rule.addFactor(restOut, FactorKind::Replicated));
  }

private:
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

bool SliceOp::describeSharding(ShardingRuleBuilder &rule) {
  if (rule.operandType(0).getRank() != rule.resultType(0).getRank())
    return false;
  keepOthers(rule, getAxes());
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

/// All parts share the dimensions other than the one along which they are joined.
bool ConcatOp::describeSharding(ShardingRuleBuilder &rule) {
  if (getAxisTensor())
    return false;
  int64_t rank = rule.resultType(0).getRank(), axis = getAxis();
  axis += axis < 0 ? rank : 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == axis)
      continue;
    unsigned factor = rule.addFactor(rule.resultType(0).getDimSize(dim));
    rule.setResult(0, dim, factor);
    for (unsigned part = 0; part < getX().size(); ++part)
      rule.setOperand(part, dim, factor);
  }
  return true;
}

} // namespace proa::pd
