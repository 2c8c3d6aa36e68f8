//! generate_proposals as a formula.
#include "dialects/pd/ops/detection/ProposalFormula.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/detection/NmsFormula.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

struct ProposalFormula {
  GenerateProposalsOp op;
  TensorBuilder &e;
  double pixel = op.getPixelOffset() ? 1 : 0;

  /// [N, c A, H, W] as [N, H W A, c] or, for one number each, [N, H W A].
  Expression byAnchor(Expression x, int64_t values) {
    SmallVector<DimSize> dims = dimSizesOf(x);
    int64_t anchors = tensorType(op.getScores()).getDimSize(1);
    x = reshapeTo(x, {dims[0], anchors, values, dims[2], dims[3]});
    x = e.transpose(x, {0, 3, 4, 1, 2});
    return values == 1 ? reshapeTo(x, {dims[0], -1}) : reshapeTo(x, {dims[0], -1, values});
  }

  /// Height (0), width (1) or scale (2) of the images, [N, 1].
  Expression imageSize(int64_t k) { return slice(e.computed(op.getImShape()), 1, k, k + 1); }

  /// The lower and the upper corner along an axis: 0 for x, 1 for y.
  std::pair<Expression, Expression> decoded(Expression anchors, Expression deltas, int64_t axis) {
    Expression low = coordinateOf(anchors, axis), size = coordinateOf(anchors, axis + 2) - low + pixel;
    Expression center = coordinateOf(deltas, axis) * size + low + size * 0.5;
    Expression half = e.exp(e.minimum(std::log(1000.0 / 16), coordinateOf(deltas, axis + 2))) * size * 0.5;
    Expression most = imageSize(1 - axis) - pixel;
    auto clamped = [&](Expression corner) { return e.maximum(e.minimum(corner, most), 0.0); };
    return {clamped(center - half), clamped(center + half - pixel)};
  }

  Expression isLargeEnough(Expression low, Expression high, int64_t axis) {
    double least = std::max(op.getMinSize().convertToDouble(), 1.0);
    Expression size = high - low + pixel, scaled = size;
    if (pixel > 0 && op.getIsScaled())
      scaled = (high - low) / imageSize(2) + 1.0;
    Expression isLarge = scaled >= least;
    return pixel > 0 ? both(isLarge, low + size * 0.5 <= imageSize(1 - axis)) : isLarge;
  }

  ProposalCandidates candidates() {
    Expression variances = e.reshape(e.computed(op.getVariances()), {-1, 4});
    auto most = static_cast<int64_t>(op.getPreNmsTopN());
    Descending best = sortedByScore(byAnchor(e.computed(op.getScores()), 1), most > 0 ? most : -1);
    auto rows = [&](Expression x) { return gatherRows(x, best.indices); };
    Expression anchors = rows(e.reshape(e.computed(op.getAnchors()), {-1, 4}));
    Expression deltas = byAnchor(e.computed(op.getBboxDeltas()), 4);
    deltas = rowsOfLists(deltas, best.indices) * rows(variances);
    auto [left, right] = decoded(anchors, deltas, 0);
    auto [top, bottom] = decoded(anchors, deltas, 1);
    Expression isValid = both(isLargeEnough(left, right, 0), isLargeEnough(top, bottom, 1));
    Expression boxes = boxesFrom({left, top, right, bottom});
    Expression known = e.select(isValid, best.values, noScore);
    Expression hasAny = e.max(e.indicator(isValid, known), {1});
    return {concat({boxes, slice(boxes, 1, 0, 1) * 0.0}, 1),
            concat({known, e.select(hasAny > 0.0, noScore, hasAny)}, 1)};
  }
};

} // namespace

ProposalCandidates proposalCandidates(TensorBuilder &e, GenerateProposalsOp op) {
  return ProposalFormula{op, e}.candidates();
}

FailureOr<SmallVector<Value>> GenerateProposalsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  if (tensorType(getScores()).isDynamicDim(1))
    return notifyDecompositionFailure(builder, *this, "its number of anchors is dynamic");
  ProposalCandidates all = proposalCandidates(e, *this);
  Expression scores = all.scores, isKept = scores > noScore;
  double threshold = getNmsThresh().convertToDouble();
  if (threshold > 0) {
    Suppression suppression{threshold, getEta().convertToDouble(), getPixelOffset() ? 1.0 : 0.0};
    isKept = suppression.select(all.boxes, isKept);
    if (auto most = static_cast<int64_t>(getPostNmsTopN()); most > 0)
      isKept = isAmongBest(e.select(isKept, scores, noScore), most);
  }
  Expression indices = e.wrap(e.create<NonzeroOp>(isKept));
  Expression boxes = e.wrap(e.create<GatherNdOp>(all.boxes, indices));
  Expression probabilities = insertDim(e.wrap(e.create<GatherNdOp>(scores, indices)), 1);
  Expression counts = e.sum(e.cast(isKept, builder.getI64Type()), {1}, /*keepdim=*/false);
  return e.results({boxes, probabilities, e.cast(counts, tensorType(getRpnRoisNum()).getElementType())});
}

} // namespace proa::pd
