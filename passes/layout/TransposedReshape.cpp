#include "passes/layout/TransposedReshape.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"

#include <numeric>

using namespace mlir;

namespace proa {
namespace {

/// A factor of a dimension that a reshape keeps together, by the indices of its dimension before and after.
struct Factor {
  size_t before, after;
};

/// The common factors of the dims of two shapes in row-major order, without factors of 1; nothing where
/// dims share a factor only in part.
std::optional<SmallVector<Factor>> commonFactors(ArrayRef<int64_t> before, ArrayRef<int64_t> after) {
  SmallVector<Factor> factors;
  size_t i = 0, j = 0;
  int64_t left = 1, right = 1; // of the dims i - 1 and j - 1, which are not yet taken
  while (true) {
    while (left == 1 && i < before.size())
      left = before[i++];
    while (right == 1 && j < after.size())
      right = after[j++];
    if (left == 1 && right == 1)
      return factors;
    int64_t common = std::gcd(left, right);
    if (common != std::min(left, right) || common < 2)
      return std::nullopt;
    factors.push_back({i - 1, j - 1});
    left /= common;
    right /= common;
  }
}

size_t sourceOf(pd::TransposeOp op, size_t dim) {
  int64_t source = op.getPerm()[dim];
  return static_cast<size_t>(source < 0 ? source + static_cast<int64_t>(op.getPerm().size()) : source);
}

/// The factors in the order of a tensor whose dimensions are in the order `dims`.
SmallVector<size_t> inOrder(ArrayRef<Factor> factors, size_t Factor::*dim, ArrayRef<size_t> dims) {
  SmallVector<size_t> order;
  for (size_t next : dims)
    for (auto [index, factor] : llvm::enumerate(factors))
      if (factor.*dim == next)
        order.push_back(index);
  return order;
}

class TransposedReshapePattern : public OpRewritePattern<pd::TransposeOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(pd::TransposeOp op, PatternRewriter &rewriter) const override {
    Operation *reshape = op.getX().getDefiningOp();
    if (!isa_and_present<pd::ReshapeOp, pd::FlattenOp, pd::SqueezeOp, pd::UnsqueezeOp>(reshape))
      return failure();
    auto inner = reshape->getOperand(0).getDefiningOp<pd::TransposeOp>();
    if (!inner)
      return failure();
    RankedTensorType before = pd::tensorType(inner.getOut()), after = pd::tensorType(op.getX());
    if (!before.hasStaticShape() || !after.hasStaticShape() || before.getNumElements() == 0)
      return rewriter.notifyMatchFailure(
          op, "the reshape between two transposes has dynamic dims or no elements");
    auto factors = commonFactors(before.getShape(), after.getShape());
    if (!factors)
      return rewriter.notifyMatchFailure(
          op, "the reshape between two transposes neither splits nor joins whole dims");
    SmallVector<size_t> first(before.getRank()), last;
    for (size_t dim = 0; dim < first.size(); ++dim)
      first[sourceOf(inner, dim)] = dim;
    for (size_t dim = 0; dim < op.getPerm().size(); ++dim)
      last.push_back(sourceOf(op, dim));
    if (inOrder(*factors, &Factor::before, first) != inOrder(*factors, &Factor::after, last))
      return rewriter.notifyMatchFailure(op, "the transposes on both sides of a reshape move elements");
    rewriter.replaceOpWithNewOp<pd::ReshapeOp>(
        op, op.getType(), inner.getX(), Value(),
        rewriter.getDenseI64ArrayAttr(pd::tensorType(op.getOut()).getShape()));
    return success();
  }
};

} // namespace

void addTransposedReshapePattern(RewritePatternSet &patterns) {
  patterns.add<TransposedReshapePattern>(patterns.getContext());
}

} // namespace proa
