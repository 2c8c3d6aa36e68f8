//! Mean average precision as a formula. A detection is right if it has the best score of all that
//! overlap the same true box most: no loop is needed.
#include "dialects/pd/ops/detection/BoxFormula.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/Metrics.h"
#include "dialects/pd/ops/search/Order.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Counted detections: their class, score and whether they are right (1 or 0).
struct Verdicts {
  Expression label, score, isRight;

  Verdicts at(Expression rows) const {
    return {gatherRows(label, rows), gatherRows(score, rows), gatherRows(isRight, rows)};
  }
  /// The rows in the order of classes, equal ones in their order.
  Verdicts byClass() const { return at(descending(-label).indices); }
};

class MapFormula {
public:
  MapFormula(OpBuilder &builder, DetectionMapOp op)
      : op(op), e(builder, op), classes(static_cast<int64_t>(op.getClassNum())),
        integer(builder.getI64Type()), real(builder.getF64Type()) {}

  FailureOr<SmallVector<Value>> build() {
    readTruth();
    Verdicts counted = judged();
    Expression positives = reduceRows(asInts(isPositive), truthLabel, classes, ScatterReduce::Add, 0);
    if (op.getPosCount())
      addState(counted, positives);
    counted = counted.byClass();
    Expression wrong = 1.0 - counted.isRight;
    auto rows = [&](Expression flag) { return concat({insertDim(counted.score, 1), insertDim(flag, 1)}, 1); };
    Expression counts = reduceRows(counted.label * 0.0 + 1.0, counted.label, classes, ScatterReduce::Add, 0);
    Expression offsets = offsetsOfLengths(counts);
    return e.results({insertDim(positives, 1), rows(counted.isRight), rows(wrong),
                      e.reshape(meanPrecision(counted, positives, offsets), {1}), offsets, offsets});
  }

private:
  /// The true boxes of known classes, and those that count.
  void readTruth() {
    Expression rows = e.computed(op.getLabel());
    int64_t width = rows.type().getDimSize(1);
    truthImage = rowPositions(rows, asInts(e.wrap(op.getLabelOffsets()))).sequence;
    truthLabel = asInts(column(rows, 0));
    truthBoxes = slice(rows, 1, width - 4, width);
    Expression isEasy = truthLabel >= 0.0;
    if (width == 6 && !op.getEvaluateDifficult())
      isEasy = e.abs(column(rows, 1)) < 1e-6;
    isPositive = isEasy;
    Expression isKnown = isClass(truthLabel);
    isPositive = both(isPositive, isKnown);
    isDifficult = negation(isEasy);
    truthLabel = e.select(isKnown, truthLabel, 0.0);
    truthClass = e.select(isKnown, truthLabel, -1.0);
  }

  /// The detections in the order of images, then of scores.
  Verdicts judged() {
    Expression rows = e.computed(op.getDetectRes());
    Expression image = rowPositions(rows, asInts(e.wrap(op.getDetectOffsets()))).sequence;
    Expression byScore = descending(column(rows, 1)).indices;
    Expression order = gatherRows(byScore, descending(-gatherRows(image, byScore)).indices);
    rows = gatherRows(rows, order);
    image = gatherRows(image, order);
    Expression label = asInts(column(rows, 0)), box = e.minimum(e.maximum(slice(rows, 1, 2, 6), 0.0), 1.0);
    // [detections, true boxes and one that is none]
    Expression isOwn = both(insertDim(label, 1) == insertDim(truthClass, 0),
                            insertDim(image, 1) == insertDim(truthImage, 0));
    Expression overlap = e.select(isOwn, overlapOf(insertDim(box, 1), insertDim(truthBoxes, 0), 0), -1.0);
    Expression none =
        expandTo(e.constant(-1, overlap.type().getElementType()), {DimSize(overlap, 0), DimSize(int64_t(1))});
    overlap = concat({overlap, none}, 1);
    Expression best = asInts(e.wrap(e.create<ArgmaxOp>(overlap, Value(), int64_t(1), /*keepdims=*/false,
                                                       /*flatten=*/false, TypeAttr())));
    Expression isFound = e.max(overlap, {1}, /*keepdim=*/false) > op.getOverlapThreshold().convertToDouble();
    return verdictsOf(label, column(rows, 1), best, isFound);
  }

  Verdicts verdictsOf(Expression label, Expression score, Expression best, Expression isFound) {
    constexpr double never = 1e9;
    DimSize truths = elementsOf(truthLabel);
    Expression index = iota(e, DimSize(label, 0), integer);
    // The first detection that found each true box. Others go to a box after the last.
    Expression last = e.wrap(truths.getValue(e)), group = e.select(isFound, best, last);
    Expression first = reduceRows(index, group, add(e, truths, 1), ScatterReduce::Amin, never);
    Expression isRight = both(isFound, gatherRows(first, group) == index);
    Expression difficult = concat({asInts(isDifficult), e.reshape(e.constant(0, integer), {1})}, 0);
    Expression isIgnored = both(isFound, gatherRows(difficult, best) > 0.0);
    Expression kept = asVector(e.wrap(e.create<NonzeroOp>(both(isClass(label), negation(isIgnored)))));
    return Verdicts{label, score, e.indicator(isRight, score)}.at(kept);
  }

  /// The detections and counts of earlier calls come first, if has_state is not 0.
  void addState(Verdicts &counted, Expression &positives) {
    Expression right = e.computed(op.getTruePos());
    Expression label = rowPositions(right, asInts(e.wrap(op.getTruePosOffsets()))).sequence;
    Expression counts = e.reshape(asInts(e.wrap(op.getPosCount())), {classes}), isUsed = label >= 0.0;
    if (Value state = op.getHasState()) {
      Expression hasState = negation(e.equal(e.reshape(asInts(e.wrap(state)), {1}), 0.0));
      counts = counts * asInts(hasState);
      isUsed = both(isUsed, hasState);
    }
    positives = positives + counts;
    Verdicts before =
        Verdicts{label, column(right, 0), column(right, 1)}.at(asVector(e.wrap(e.create<NonzeroOp>(isUsed))));
    counted = {concat({before.label, counted.label}, 0), concat({before.score, counted.score}, 0),
               concat({before.isRight, counted.isRight}, 0)};
  }

  Expression meanPrecision(const Verdicts &counted, Expression positives, Expression offsets) {
    Verdicts sorted = counted.at(descending(counted.score).indices).byClass();
    Expression isRight = e.cast(sorted.isRight, real), number = e.cast(positives, real);
    Expression position = iota(e, DimSize(sorted.label, 0), integer) - gatherRows(offsets, sorted.label);
    Expression before = e.wrap(e.create<CumsumOp>(isRight, Value(), int64_t(0), /*flatten=*/false,
                                                  /*exclusive=*/true, /*reverse=*/false));
    // The detections of earlier classes are subtracted.
    Expression ofClass = reduceRows(isRight, sorted.label, classes, ScatterReduce::Add, 0);
    Expression earlier = e.wrap(e.create<CumsumOp>(ofClass, Value(), int64_t(0), /*flatten=*/false,
                                                   /*exclusive=*/true, /*reverse=*/false));
    Expression sum = before + isRight - gatherRows(earlier, sorted.label);
    Expression precision = sum / (e.cast(position, real) + 1.0);
    Expression divisor = e.maximum(number, 1.0);
    Expression area =
        op.getApType() == AveragePrecision::ElevenPoint
            ? elevenPoints(sorted.label, precision, sum / gatherRows(divisor, sorted.label))
            : reduceRows(isRight * precision, sorted.label, classes, ScatterReduce::Add, 0) / divisor;
    auto background = static_cast<double>(static_cast<int64_t>(op.getBackgroundLabel()));
    Expression isCounted = both(positives > 0.0, negation(e.equal(positives, background)));
    Expression count = e.sum(e.indicator(isCounted, area), {0});
    return e.sum(e.select(isCounted, area, 0.0), {0}) / e.maximum(count, 1.0);
  }

  /// The mean over eleven recalls of the largest precision at a recall that is not below.
  Expression elevenPoints(Expression label, Expression precision, Expression recall) {
    Expression point = e.cast(iota(e, int64_t(11), integer), real) * 0.1 - 1e-7;
    Expression isReached = insertDim(recall, 1) >= insertDim(point, 0);
    Expression reached = e.select(isReached, insertDim(precision, 1), 0.0);
    SmallVector<DimSize> shape{DimSize(classes), DimSize(int64_t(11))};
    return e.sum(reduceRows(reached, label, classes, ScatterReduce::Amax, 0), {1}, /*keepdim=*/false) / 11.0;
  }

  Expression column(Expression rows, int64_t k) { return dropDim(slice(rows, 1, k, k + 1), 1); }
  Expression isClass(Expression label) { return both(label >= 0.0, label < static_cast<double>(classes)); }

  DetectionMapOp op;
  TensorBuilder e;
  int64_t classes;
  Type integer, real;
  Expression truthImage{e, Value()}, truthLabel{e, Value()}, truthClass{e, Value()}, truthBoxes{e, Value()},
      isPositive{e, Value()}, isDifficult{e, Value()};
};

} // namespace

FailureOr<SmallVector<Value>> DetectionMapOp::decompose(OpBuilder &builder) {
  int64_t width = tensorType(getLabel()).getDimSize(1);
  if (ShapedType::isDynamic(width))
    return failure();
  return MapFormula(builder, *this).build();
}

} // namespace proa::pd
