//! Non-maximum suppression as formulas: one loop over the boxes of all images and classes in parallel.
#include "dialects/pd/ops/detection/NmsFormula.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/detection/Nms.h"
#include "dialects/pd/ops/loss/LogSpace.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {

Expression rowsOfLists(Expression x, Expression indices) {
  TensorBuilder &e = x.owner();
  SmallVector<DimSize> dims = dimSizesOf(x), picked = dimSizesOf(indices);
  Expression list = insertDim(iota(e, dims[0], e.getBuilder().getI64Type()), 1);
  Expression flat = indices + list * e.wrap(dims[1].getValue(e));
  dims[0] = multiply(e, dims[0], dims[1]);
  dims.erase(dims.begin() + 1);
  Expression rows = gatherRows(reshapeTo(x, dims), reshapeTo(flat, {elementsOf(flat)}));
  dims[0] = picked[1];
  dims.insert(dims.begin(), picked[0]);
  return reshapeTo(rows, dims);
}

namespace {

using Values = FailureOr<SmallVector<Value>>;

Type int64Of(TensorBuilder &e) { return e.getBuilder().getI64Type(); }

Expression countAlongLast(Expression isTrue) {
  return isTrue.owner().sum(isTrue.owner().cast(isTrue, int64Of(isTrue.owner())), {isTrue.rank() - 1}, false);
}

/// The element -1 instead of no rows [rows, 6].
Expression rowsOrNone(Expression rows) {
  TensorBuilder &e = rows.owner();
  Expression none = e.reshape(e.constant(-1, rows.type().getElementType()), {1});
  Expression hasRows = e.minimum(e.wrap(DimSize(rows, 0).getValue(e)), 1.0);
  DimSize count = maximum(e, DimSize(rows, 0), 1), width = dimSizeOf(hasRows * 5.0 + 1.0);
  Expression flat = concat({reshapeTo(rows, {elementsOf(rows)}), none}, 0);
  return reshapeTo(sliceBetween(flat, 0, 0, multiply(e, count, width)), {count, width});
}

/// `some`, or `none` if there are no rows; vectors of integers.
Expression ifRows(Expression rows, Expression some, Expression none) {
  TensorBuilder &e = rows.owner();
  Expression isNone = 1.0 - e.minimum(e.wrap(DimSize(rows, 0).getValue(e)), 1.0);
  Expression first = e.wrap(DimSize(some, 0).getValue(e)), second = e.wrap(DimSize(none, 0).getValue(e));
  Expression start = isNone * first;
  return sliceBetween(concat({some, none}, 0), 0, dimSizeOf(start),
                      dimSizeOf(start + first + isNone * (second - first)));
}

/// Candidates of all images and classes: boxes [images, classes, count, 4], scores [images, classes, count],
/// of which those that are not candidates have noScore.
struct ClassBoxes {
  Expression boxes, scores;
};

/// The best `most` candidates of each class, in order, and their places among all of the class.
struct BestOfClass {
  ClassBoxes best;
  Expression positions;
};

BestOfClass bestOfEachClass(const ClassBoxes &all, int64_t most) {
  TensorBuilder &e = all.scores.owner();
  SmallVector<DimSize> dims = dimSizesOf(all.scores);
  DimSize lists = multiply(e, dims[0], dims[1]);
  Descending sorted = sortedByScore(all.scores, most);
  DimSize kept(sorted.indices, 2);
  Expression boxes =
      rowsOfLists(reshapeTo(all.boxes, {lists, dims[2], 4}), reshapeTo(sorted.indices, {lists, kept}));
  return {{reshapeTo(boxes, {dims[0], dims[1], kept, 4}), sorted.values}, sorted.indices};
}

/// The scores of the selected candidates; noScore for others. Candidates of a class are in order.
Expression scoresOfSelected(const ClassBoxes &in, const Suppression &suppression) {
  TensorBuilder &e = in.scores.owner();
  SmallVector<DimSize> dims = dimSizesOf(in.scores);
  DimSize lists = multiply(e, dims[0], dims[1]);
  Expression scores = reshapeTo(in.scores, {lists, dims[2]});
  Expression isSelected = suppression.select(reshapeTo(in.boxes, {lists, dims[2], 4}), scores > noScore);
  return reshapeTo(e.select(isSelected, scores, noScore), dims);
}

/// The first `most` selected scores of each class (below 0: all); noScore for others.
Expression firstOfEachClass(Expression selected, int64_t most) {
  if (most < 0)
    return selected;
  TensorBuilder &e = selected.owner();
  Expression isSelected = e.cast(selected > noScore, int64Of(e));
  Expression count = e.wrap(e.create<CumsumOp>(isSelected, Value(), int64_t(2)));
  return e.select(count <= static_cast<double>(most), selected, noScore);
}

/// The selected scores that are among the best `most` of their image; noScore for others.
Expression bestOfImage(Expression selected, int64_t most) {
  TensorBuilder &e = selected.owner();
  SmallVector<DimSize> dims = dimSizesOf(selected);
  Expression flat = reshapeTo(selected, {dims[0], multiply(e, dims[1], dims[2])});
  return reshapeTo(e.select(isAmongBest(flat, most), flat, noScore), dims);
}

/// The rows (label, score, box) of the selected candidates, and for each its indices [rows, 3].
struct SelectedRows {
  Expression rows, indices;
};

SelectedRows rowsOfSelected(Expression selected, Expression labels, Expression boxes) {
  TensorBuilder &e = selected.owner();
  Expression indices = e.wrap(e.create<NonzeroOp>(selected > noScore));
  Expression label = gatherRows(labels, dropDim(slice(indices, 1, 1, 2), 1));
  Expression score = e.wrap(e.create<GatherNdOp>(selected, indices));
  Expression box = e.wrap(e.create<GatherNdOp>(boxes, indices));
  Type element = boxes.type().getElementType();
  return {concat({insertDim(e.cast(label, element), 1), insertDim(score, 1), box}, 1), indices};
}

/// The numbers 0, 1, ... of classes except the background.
SmallVector<int64_t> labelsWithout(int64_t classes, int64_t background) {
  SmallVector<int64_t> labels;
  for (int64_t label = 0; label < classes; ++label)
    if (label != background)
      labels.push_back(label);
  return labels;
}

} // namespace

Descending sortedByScore(Expression scores, int64_t most) {
  Descending sorted = descending(scores);
  if (most < 0)
    return sorted;
  int64_t axis = scores.rank() - 1;
  return {slice(sorted.values, axis, 0, most), slice(sorted.indices, axis, 0, most)};
}

Expression isAmongBest(Expression scores, int64_t most) {
  Expression isCandidate = scores > noScore;
  return most < 0 ? isCandidate : both(isCandidate, descendingRank(scores) < static_cast<double>(most));
}

Expression Suppression::select(Expression boxes, Expression isCandidate) const {
  TensorBuilder &e = boxes.owner();
  SmallVector<DimSize> dims = dimSizesOf(boxes);
  Type element = boxes.type().getElementType();
  Expression position = insertDim(iota(e, dims[1], int64Of(e)), 0);
  Expression isSelected = e.cast(isCandidate, element) * 0.0;
  Expression limit = expandTo(e.constant(threshold, element), {dims[0], DimSize(1)});
  auto step = [&](Expression index, ArrayRef<Expression>,
                  ArrayRef<Expression> before) -> SmallVector<Expression> {
    auto at = [&](Expression x) { return e.wrap(e.create<GatherOp>(x, index, Value(), uint64_t(1))); };
    Expression isOver = overlapOf(at(boxes), boxes, pixel) > before[1];
    Expression overlapped = e.max(e.select(isOver, before[0], 0.0), {1});
    Expression stays = both(at(isCandidate), overlapped <= 0.0);
    Expression next = e.select(both(stays, position == insertDim(index, 0)), 1.0, before[0]);
    if (eta >= 1)
      return {next, before[1]};
    return {next, e.select(both(stays, before[1] > 0.5), before[1] * eta, before[1])};
  };
  return runSteps(dims[1], {}, {isSelected, limit}, /*recorded=*/0, step).last[0] > 0.0;
}

Values NmsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression boxes = insertDim(e.operand(0), 0);
  Expression isCandidate = coordinateOf(boxes, 0) * 0.0 < 1.0;
  Suppression suppression{getThreshold().convertToDouble(), 1, 0};
  Expression isSelected = dropDim(suppression.select(boxes, isCandidate), 0);
  return e.results({asVector(e.wrap(e.create<NonzeroOp>(isSelected)))});
}

namespace {

/// The formula of multiclass_nms3.
struct MulticlassFormula {
  MulticlassNms3Op op;
  TensorBuilder &e;
  bool isShared = tensorType(op.getScores()).getRank() == 3; ///< all classes have the same boxes

  /// Boxes and scores by image and class, and the number of the first box of each image.
  std::pair<ClassBoxes, Expression> byClass() {
    Expression boxes = e.computed(op.getBboxes()), scores = e.computed(op.getScores());
    if (isShared) {
      SmallVector<DimSize> dims = dimSizesOf(scores);
      Expression each = expandTo(insertDim(boxes, 1), {dims[0], dims[1], dims[2], DimSize(4)});
      Expression first = iota(e, dims[0], int64Of(e)) * e.wrap(dims[2].getValue(e));
      return {{each, scores}, first};
    }
    // [images, boxes, classes, ...]
    Expression offsets = offsetsOfLengths(asInts(e.wrap(op.getRoisNum())));
    PaddedRows padded = paddedRows(scores, offsets);
    scores = e.select(insertDim(padded.isInside, 2), padded.rows, noScore);
    boxes = paddedRows(boxes, offsets).rows;
    return {{e.transpose(boxes, {0, 2, 1, 3}), e.transpose(scores, {0, 2, 1})}, sequencesOf(offsets).starts};
  }

  Values build() {
    auto [all, first] = byClass();
    Expression label = e.reshape(iota(e, DimSize(all.scores, 1), int64Of(e)), {1, -1, 1});
    Expression counts = all.scores > op.getScoreThreshold().convertToDouble();
    counts = both(
        counts, negation(e.equal(label, static_cast<double>(static_cast<int64_t>(op.getBackgroundLabel())))));
    all.scores = e.select(counts, all.scores, noScore);
    BestOfClass classes = bestOfEachClass(all, static_cast<int64_t>(op.getNmsTopK()));
    Suppression suppression{op.getNmsThreshold().convertToDouble(), op.getNmsEta().convertToDouble(),
                            op.getNormalized() ? 0.0 : 1.0};
    Expression ofClass = firstOfEachClass(scoresOfSelected(classes.best, suppression),
                                          static_cast<int64_t>(op.getClassKeepTopK()));
    Expression selected = bestOfImage(ofClass, static_cast<int64_t>(op.getKeepTopK()));
    ClassBoxes in = classes.best;
    Expression positions = classes.positions;
    if (!isShared) { // the boxes of a class are in their first order
      Expression low = all.scores * 0.0 + noScore;
      selected =
          e.wrap(e.create<PutAlongAxisOp>(low, positions, selected, int64_t(2), ScatterReduce::Assign));
      in = all;
      positions = expandTo(iota(e, DimSize(all.scores, 2), int64Of(e)), dimSizesOf(all.scores));
    }
    return results(selected, positions, in.boxes, first);
  }

  Values results(Expression selected, Expression positions, Expression boxes, Expression first) {
    Expression labels = iota(e, DimSize(selected, 1), int64Of(e));
    SelectedRows found = rowsOfSelected(selected, labels, boxes);
    auto column = [&](int64_t k) { return dropDim(slice(found.indices, 1, k, k + 1), 1); };
    Expression position =
        e.wrap(e.create<GatherNdOp>(positions, found.indices)) + gatherRows(first, column(0));
    if (!isShared)
      position = position * e.wrap(DimSize(selected, 1).getValue(e)) + column(1);
    Expression counts = e.sum(countAlongLast(selected > noScore), {1}, /*keepdim=*/false), rows = found.rows;
    if (op.getMarksNone()) {
      counts = ifRows(found.rows, counts, e.reshape(e.constant(1, int64Of(e)), {1}));
      rows = rowsOrNone(rows);
    }
    auto elementOf = [&](unsigned i) { return tensorType(op->getResult(i)).getElementType(); };
    return e.results({rows, e.cast(insertDim(position, 1), elementOf(1)), e.cast(counts, elementOf(2))});
  }
};

} // namespace

Values MulticlassNms3Op::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  MulticlassFormula formula{*this, e};
  if (auto width = tensorType(getBboxes()).getShape().back(); width != 4)
    return notifyDecompositionFailure(builder, *this, "its boxes do not have four numbers");
  return formula.build();
}

//===-- retinanet_detection_output ----------------------------------------------------------------------===//

namespace {

/// The formula of retinanet_detection_output.
struct RetinanetFormula {
  RetinanetDetectionOutputOp op;
  TensorBuilder &e;
  Expression info = e.computed(op.getImInfo());

  Expression imageIndex(int64_t k) { return slice(info, 1, k, k + 1); } // [images, 1]

  /// Corners of boxes from offsets to anchors, in the image.
  Expression decodedBoxes(Expression anchors, Expression offsets) {
    Expression scale = imageIndex(2);
    SmallVector<Expression> low, high;
    for (int64_t axis : {0, 1}) {
      Expression start = coordinateOf(anchors, axis), size = coordinateOf(anchors, axis + 2) - start + 1.0;
      Expression center = start + size * 0.5 + coordinateOf(offsets, axis) * size;
      Expression half = size * e.exp(coordinateOf(offsets, axis + 2)) * 0.5;
      Expression most = e.wrap(e.create<RoundOp>(imageIndex(1 - axis) / scale)) - 1.0;
      auto within = [&](Expression x) { return e.maximum(e.minimum(x / scale, most), 0.0); };
      low.push_back(within(center - half));
      high.push_back(within(center + half - 1.0));
    }
    return boxesFrom({low[0], low[1], high[0], high[1]});
  }

  struct Level {
    Expression boxes, scores, labels; ///< [images, count (, 4)]
  };

  /// The best pairs of a box and a class of a level.
  Level levelOf(size_t i) {
    Expression scores = e.computed(op.getScores()[i]);
    SmallVector<DimSize> dims = dimSizesOf(scores);
    bool isLast = i + 1 == op.getScores().size();
    Expression flat = reshapeTo(scores, {dims[0], multiply(e, dims[1], dims[2])});
    Expression counts = flat > (isLast ? 0.0 : op.getScoreThreshold().convertToDouble());
    Descending best = sortedByScore(e.select(counts, flat, noScore), static_cast<int64_t>(op.getNmsTopK()));
    Expression classes = e.wrap(dims[2].getValue(e));
    Expression box = e.wrap(e.create<FloorDivideOp>(best.indices, classes));
    Expression offsets = rowsOfLists(e.computed(op.getBboxes()[i]), box);
    return {decodedBoxes(gatherRows(e.computed(op.getAnchors()[i]), box), offsets), best.values,
            best.indices - box * classes};
  }

  Values build() {
    SmallVector<Expression> boxes, scores, labels;
    for (size_t i = 0; i < op.getBboxes().size(); ++i) {
      Level level = levelOf(i);
      boxes.push_back(level.boxes);
      scores.push_back(level.scores);
      labels.push_back(level.labels);
    }
    Descending sorted = sortedByScore(concat(scores, 1), -1);
    Expression box = rowsOfLists(concat(boxes, 1), sorted.indices);
    Expression label = takeAlong(concat(labels, 1), sorted.indices, 1);
    // Each class has a list of all boxes, in which boxes of other classes are not candidates.
    DimSize classes(e.wrap(op.getScores().front()), 2), images(box, 0), count(box, 1);
    Expression indices = iota(e, classes, int64Of(e));
    Expression isOfClass = insertDim(label, 1) == e.reshape(indices, {1, -1, 1});
    ClassBoxes all{expandTo(insertDim(box, 1), {images, classes, count, DimSize(4)}),
                   e.select(isOfClass, insertDim(sorted.values, 1), noScore)};
    Suppression suppression{op.getNmsThreshold().convertToDouble(), op.getNmsEta().convertToDouble(), 1};
    return results(all, scoresOfSelected(all, suppression));
  }

  /// The best ones of each image, in descending order.
  Values results(const ClassBoxes &all, Expression selected) {
    SmallVector<DimSize> dims = dimSizesOf(selected);
    DimSize perImage = multiply(e, dims[1], dims[2]);
    Descending best =
        sortedByScore(reshapeTo(selected, {dims[0], perImage}), static_cast<int64_t>(op.getKeepTopK()));
    Expression boxes = rowsOfLists(reshapeTo(all.boxes, {dims[0], perImage, 4}), best.indices);
    Expression label = e.wrap(e.create<FloorDivideOp>(best.indices, e.wrap(dims[2].getValue(e)))) + 1.0;
    Expression rows = concat(
        {insertDim(e.cast(label, boxes.type().getElementType()), 2), insertDim(best.values, 2), boxes}, 2);
    Expression isFound = best.values > noScore;
    Expression found = e.wrap(e.create<GatherNdOp>(rows, e.create<NonzeroOp>(isFound)));
    return e.results({found, offsetsOfLengths(countAlongLast(isFound))});
  }
};

} // namespace

Values RetinanetDetectionOutputOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return RetinanetFormula{*this, e}.build();
}

//===-- locality_aware_nms ------------------------------------------------------------------------------===//

namespace {

/// The formula of locality_aware_nms.
struct LocalityFormula {
  LocalityAwareNmsOp op;
  TensorBuilder &e;
  double threshold = op.getNmsThreshold().convertToDouble(), pixel = op.getNormalized() ? 0.0 : 1.0;

  struct Merged {
    Expression boxes, scores, isHead; ///< [images, count (, 4)]
  };

  /// A loop over the boxes: each is merged into the last head, or is the next one.
  Merged merge(Expression boxes, Expression scores) {
    DimSize count(scores, 1);
    Expression position = insertDim(iota(e, count, int64Of(e)), 0);
    Expression noHead = scores * 0.0;
    Expression head = e.cast(slice(scores, 1, 0, 1) * 0.0, int64Of(e)); // [images, 1]
    auto step = [&](Expression index, ArrayRef<Expression>,
                    ArrayRef<Expression> before) -> SmallVector<Expression> {
      Expression all = before[0], own = before[1], last = before[3];
      auto at = [&](Expression x) { return e.wrap(e.create<GatherOp>(x, index, Value(), uint64_t(1))); };
      Expression box = at(all), score = at(own);
      Expression headBox = rowsOfLists(all, last), headScore = takeAlong(own, last, 1);
      Expression isMerged = both(overlapOf(box, headBox, pixel) > threshold, index > 0.0);
      Expression sum = score + headScore;
      Expression mean = (box * insertDim(score, 2) + headBox * insertDim(headScore, 2)) / insertDim(sum, 2);
      Expression isLast = both(position == last, isMerged);
      Expression isNew = both(position == insertDim(index, 0), negation(isMerged));
      return {e.select(insertDim(isLast, 2), mean, all), e.select(isLast, sum, own),
              e.select(isNew, 1.0, before[2]), e.select(isMerged, last, last * 0.0 + index)};
    };
    Recurrence loop = runSteps(count, {}, {boxes, scores, noHead, head}, /*recorded=*/0, step);
    return {loop.last[0], loop.last[1], loop.last[2] > 0.0};
  }

  Values build(int64_t classes) {
    Expression boxes = e.computed(op.getBboxes()), scores = e.computed(op.getScores());
    SmallVector<int64_t> labels = labelsWithout(classes, static_cast<int64_t>(op.getBackgroundLabel()));
    Suppression suppression{threshold, op.getNmsEta().convertToDouble(), pixel};
    SmallVector<Expression> selected, positions, numbers;
    for (int64_t label : labels) {
      Merged merged = merge(boxes, dropDim(slice(scores, 1, label, label + 1), 1));
      boxes = merged.boxes;
      Expression isCandidate = both(merged.isHead, merged.scores > op.getScoreThreshold().convertToDouble());
      Expression known = e.select(isCandidate, merged.scores, noScore);
      BestOfClass best =
          bestOfEachClass({insertDim(boxes, 1), insertDim(known, 1)}, static_cast<int64_t>(op.getNmsTopK()));
      selected.push_back(scoresOfSelected(best.best, suppression));
      positions.push_back(best.positions);
      numbers.push_back(e.reshape(e.constant(static_cast<double>(label), int64Of(e)), {1}));
    }
    Expression kept = bestOfImage(concat(selected, 1), static_cast<int64_t>(op.getKeepTopK()));
    // A box has the value that the last class gave it.
    SmallVector<DimSize> dims = dimSizesOf(kept);
    Expression flat = reshapeTo(concat(positions, 1), {dims[0], multiply(e, dims[1], dims[2])});
    Expression final = reshapeTo(rowsOfLists(boxes, flat), {dims[0], dims[1], dims[2], DimSize(4)});
    Expression rows = rowsOfSelected(kept, concat(numbers, 0), final).rows;
    Expression counts = e.sum(countAlongLast(kept > noScore), {1}, /*keepdim=*/false);
    Expression one = e.reshape(e.constant(1, int64Of(e)), {1});
    return e.results({rowsOrNone(rows), ifRows(rows, offsetsOfLengths(counts), concat({one - 1.0, one}, 0))});
  }
};

} // namespace

Values LocalityAwareNmsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  int64_t classes = tensorType(getScores()).getDimSize(1);
  if (ShapedType::isDynamic(classes))
    return notifyDecompositionFailure(builder, *this, "its number of classes is dynamic");
  if (labelsWithout(classes, static_cast<int64_t>(getBackgroundLabel())).empty())
    return notifyDecompositionFailure(builder, *this, "it has no class but the background");
  return LocalityFormula{*this, e}.build(classes);
}

} // namespace proa::pd
