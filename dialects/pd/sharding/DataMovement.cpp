//! Sharding rules of ops that move elements: dimensions that they leave alone can be split.
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/ops/shape/ViewOps.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include <numeric>

using namespace mlir;

namespace proa::pd {
namespace {

bool isKnown(int64_t extent) { return !ShapedType::isDynamic(extent); }

/// Walks the dimensions of both shapes from the outermost on and finds the factors that they have in common,
/// as far as the extents are known.
class ReshapeFactors {
public:
  explicit ReshapeFactors(ShardingRuleBuilder &rule)
      : rule(rule), from(rule.operandType(0).getShape()), to(rule.resultType(0).getShape()) {}

  void find() {
    while (in < from.size() && out < to.size() && step())
      ;
    // What is left of dimensions whose outer part has a factor.
    if (restIn != 0 && restIn != from[in])
      rule.setOperand(0, static_cast<int64_t>(in), rule.addFactor(restIn, FactorKind::Replicated));
    if (restOut != 0 && restOut != to[out])
      rule.setResult(0, static_cast<int64_t>(out), rule.addFactor(restOut, FactorKind::Replicated));
  }

private:
  /// Takes a factor from both; false where the next extents have none in common.
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

  /// 0 in the attribute: the dimension of the operand at the same place.
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

  /// Whether behind this place all extents are known and their products are equal.
  bool hasEqualRest() const {
    auto product = [](llvm::ArrayRef<int64_t> extents) -> std::optional<int64_t> {
      int64_t out = 1;
      for (int64_t extent : extents) {
        if (!isKnown(extent))
          return std::nullopt;
        out *= extent;
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
  /// What is left of the extents at these places; 0: all.
  int64_t restIn = 0, restOut = 0;
};

bool reshape(ShardingRuleBuilder &rule) {
  if (rule.op()->getNumOperands() > 1) // the shape is a tensor
    return false;
  ReshapeFactors(rule).find();
  return true;
}

/// Dimensions of extent 1 come or go, the others keep their order.
bool view(ShardingRuleBuilder &rule) {
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

/// Dimensions with known equal extents, but those in `touched`.
void keepOthers(ShardingRuleBuilder &rule, unsigned operand, llvm::ArrayRef<int64_t> touched) {
  int64_t rank = rule.operandType(operand).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(touched, dim) && !llvm::is_contained(touched, dim - rank))
      rule.pair(operand, dim, 0, dim);
}

bool slice(ShardingRuleBuilder &rule) {
  auto op = cast<SliceOp>(rule.op());
  if (rule.operandType(0).getRank() != rule.resultType(0).getRank())
    return false;
  keepOthers(rule, 0, op.getAxes());
  return true;
}

bool pad(ShardingRuleBuilder &rule) {
  llvm::ArrayRef<int64_t> paddings = cast<PadOp>(rule.op()).getPaddings();
  llvm::SmallVector<int64_t> padded;
  for (int64_t dim = 0; dim < rule.operandType(0).getRank(); ++dim)
    if (paddings[2 * dim] != 0 || paddings[2 * dim + 1] != 0)
      padded.push_back(dim);
  keepOthers(rule, 0, padded);
  return true;
}

/// All parts share the dimensions other than that along which they are joined.
bool concat(ShardingRuleBuilder &rule) {
  auto op = cast<ConcatOp>(rule.op());
  if (op.getAxisTensor())
    return false;
  int64_t rank = rule.resultType(0).getRank(), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == axis)
      continue;
    unsigned factor = rule.addFactor(rule.resultType(0).getDimSize(dim));
    rule.setResult(0, dim, factor);
    for (unsigned part = 0; part < op.getX().size(); ++part)
      rule.setOperand(part, dim, factor);
  }
  return true;
}

/// The values broadcast to what they replace.
bool setValue(ShardingRuleBuilder &rule) {
  auto op = cast<SetValueOp>(rule.op());
  int64_t rank = rule.operandType(0).getRank(), added = rank - rule.operandType(1).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(op.getAxes(), dim) || llvm::is_contained(op.getAxes(), dim - rank))
      continue;
    unsigned factor = rule.addFactor(rule.operandType(0).getDimSize(dim));
    rule.setOperand(0, dim, factor);
    rule.setResult(0, dim, factor);
    if (dim >= added && rule.operandType(1).getDimSize(dim - added) != 1)
      rule.setOperand(1, dim - added, factor);
  }
  return true;
}

} // namespace

void setLocalShape(Operation *op, llvm::ArrayRef<int64_t> dims) {
  if (!isa<ReshapeOp, ExpandOp>(op))
    return;
  auto given = op->getAttrOfType<DenseI64ArrayAttr>("shape");
  if (!given || given.size() != static_cast<int64_t>(dims.size()))
    return;
  llvm::SmallVector<int64_t> shape(given.asArrayRef());
  for (auto [extent, local] : llvm::zip(shape, dims))
    if (extent > 0) // others say that the dimension follows from the operand
      extent = local;
  op->setAttr("shape", Builder(op->getContext()).getDenseI64ArrayAttr(shape));
}

void addMoveSharding(ShardingRules &rules) {
  rules.add<ReshapeOp>(reshape);
  rules.add<SqueezeOp, UnsqueezeOp>(view);
  rules.add<SliceOp>(slice);
  rules.add<PadOp>(pad);
  rules.add<ConcatOp>(concat);
  rules.add<SetValueOp>(setValue);
}

} // namespace proa::pd
