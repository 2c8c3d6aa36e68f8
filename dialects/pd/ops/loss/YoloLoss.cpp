#include "dialects/pd/ops/loss/YoloLoss.h"
#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/loss/KernelLoss.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/Rows.h"

using namespace mlir;

namespace proa::pd {

LogicalResult inferYoloLossOf(std::optional<Location> location, const YoloLossShape &given,
                              Results &results) {
  RankedTensorType x = given.x, box = given.box;
  int64_t batch = x.getRank() == 4 ? x.getDimSize(0) : 0, boxes = box.getRank() == 3 ? box.getDimSize(1) : 0;
  bool isValid = x.getRank() == 4 && mayHaveShape(box, {batch, boxes, 4}) &&
                 mayHaveShape(given.label, {batch, boxes}) &&
                 (!given.score || mayHaveShape(tensorType(given.score), {batch, boxes}));
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!isValid) {
    stream << "C1: x must have rank 4, gt_box be [N, B, 4], gt_label and gt_score [N, B], found " << x << ", "
           << box << " and " << given.label;
    return inferenceError(location, text);
  }
  auto pairs = static_cast<int64_t>(given.anchors.size() / 2),
       count = static_cast<int64_t>(given.mask.size());
  bool areAnchors = given.anchors.size() % 2 == 0 && count > 0 && given.classes > 0 &&
                    llvm::all_of(given.anchors, [](int64_t dimSize) { return dimSize > 0; }) &&
                    llvm::all_of(given.mask, [&](int64_t anchor) { return anchor >= 0 && anchor < pairs; });
  if (!areAnchors)
    return inferenceError(
        location, "C2: anchors must hold pairs of positive numbers and anchor_mask numbers of them, found " +
                      llvm::Twine(given.anchors.size()) + " and " + llvm::Twine(count));
  if (!x.isDynamicDim(1) && x.getDimSize(1) != count * (5 + given.classes))
    return inferenceError(location, "C3: x must have " + llvm::Twine(count * (5 + given.classes)) +
                                        " channels, found " + llvm::Twine(x.getDimSize(1)));
  if (given.ratio <= 0)
    return inferenceError(location,
                          "C4: downsample_ratio must be positive, found " + llvm::Twine(given.ratio));
  results.push_back(x.clone({batch}));
  results.push_back(x.clone({batch, count, x.getDimSize(2), x.getDimSize(3)}));
  results.push_back(RankedTensorType::get({batch, boxes}, IntegerType::get(x.getContext(), 32)));
  results.push_back(x);
  return success();
}

// The loss as a formula: each true box reads its cell, and all cells are compared with all boxes.
namespace {

/// Centers and sizes of boxes, each a tensor.
struct Boxes {
  Expression x, y, width, height;
};

Expression logicalAnd(Expression x, Expression y) {
  return x.owner().wrap(x.owner().create<LogicalAndOp>(x, y));
}

/// The overlap of two intervals.
Expression overlap(Expression centre, Expression dimSize, Expression otherCentre, Expression otherSize) {
  TensorBuilder &e = centre.owner();
  Expression end = e.minimum(centre + dimSize / 2.0, otherCentre + otherSize / 2.0),
             begin = e.maximum(centre - dimSize / 2.0, otherCentre - otherSize / 2.0);
  return e.maximum(0.0, end - begin);
}

/// Intersection over union of two boxes.
Expression intersection(const Boxes &a, const Boxes &b) {
  Expression common = overlap(a.x, a.width, b.x, b.width) * overlap(a.y, a.height, b.y, b.height);
  return common / (a.width * a.height + b.width * b.height - common);
}

/// The cross entropy of sigmoid(logit) and a target.
Expression crossEntropy(Expression logit, Expression target) {
  TensorBuilder &e = logit.owner();
  return -e.wrap(e.create<LogsigmoidOp>(-logit)) - logit * target;
}

class YoloFormula {
public:
  YoloFormula(TensorBuilder &e, YoloLossOp op)
      : e(e), op(op), anchors(op.getAnchorMask().size()), classes(static_cast<int64_t>(op.getClassNum())),
        element(tensorType(op.getX()).getElementType()), batch(e.wrap(op.getX()), 0),
        height(e.wrap(op.getX()), 2), width(e.wrap(op.getX()), 3), rows(number(height)),
        columns(number(width)),
        image(rows * static_cast<double>(static_cast<int64_t>(op.getDownsampleRatio()))), truth(boxes()),
        score(op.getGtScore() ? e.wrap(op.getGtScore()) : truth.width * 0.0 + 1.0),
        isValid(logicalAnd(truth.width >= 1e-6, truth.height >= 1e-6)), best(bestAnchors()),
        match(e.select(isValid, gatherRows(placesInMask(), best), -1.0)), isMatched(match >= 0.0),
        column(position(truth.x * columns)), row(position(truth.y * rows)) {}

  /// For each true box its anchor among the anchors of the mask, or -1.
  Expression matches() { return e.cast(match, e.getBuilder().getI32Type()); }

  /// For each cell the score of its true box, 0 if it has none, or -1: left out.
  Expression objectness(Expression x) {
    Expression base = e.select(overlapsTrueBox(cells(x)), e.constant(-1, element), 0.0);
    SmallVector<DimSize> shape{batch, DimSize(anchors), height, width};
    DimSize count = multiply(e, multiply(e, batch, DimSize(anchors)), multiply(e, height, width));
    // Boxes without a cell write after the end.
    Expression all = concat({reshapeTo(base, {count}), e.reshape(e.constant(0, element), {1})}, 0);
    Expression cell =
        ((samples() * static_cast<double>(anchors) + match) * dimSize(height) + row) * dimSize(width) +
        column;
    Expression index = insertDim(e.select(isMatched, cell, e.wrap(count.getValue(e))), 2);
    Expression put = e.wrap(e.create<ScatterNdOp>(all, index, score, ScatterReduce::Assign));
    return reshapeTo(slice(put, 0, 0, -1), shape);
  }

  /// The loss of each image.
  Expression cost(Expression x, Expression objectness) {
    Expression logits = cells(x), ofCell = dropDim(slice(logits, 4, 4, 5), 4);
    Expression none = ofCell * 0.0, isTrue = objectness > 1e-5, counts = objectness > -0.5;
    Expression ofObject = e.select(isTrue, crossEntropy(ofCell, none + 1.0) * objectness,
                                   e.select(counts, crossEntropy(ofCell, none), 0.0));
    return e.sum(ofObject, {1, 2, 3}, /*keepdim=*/false) +
           e.sum(e.select(isMatched, ofBoxes(logits), 0.0), {1}, false);
  }

private:
  Type i64() { return e.getBuilder().getI64Type(); }
  Expression dimSize(const DimSize &value) { return e.wrap(value.getValue(e)); }
  Expression number(const DimSize &value) { return e.cast(dimSize(value), element); }

  template <class Number> Expression vector(ArrayRef<Number> scalars, Type type) {
    auto tensor = RankedTensorType::get({static_cast<int64_t>(scalars.size())}, type);
    SmallVector<Attribute> values;
    for (Number value : scalars)
      values.push_back(isa<FloatType>(type)
                           ? Attribute(e.getBuilder().getFloatAttr(type, static_cast<double>(value)))
                           : Attribute(e.getBuilder().getIntegerAttr(type, static_cast<int64_t>(value))));
    return e.wrap(e.create<ConstantOp>(tensor, DenseElementsAttr::get(tensor, values)));
  }

  /// Widths (0) or heights (1) of all anchors, relative to the image.
  Expression anchorSizes(int64_t axis) {
    SmallVector<int64_t> dimSizes;
    for (size_t i = static_cast<size_t>(axis); i < op.getAnchors().size(); i += 2)
      dimSizes.push_back(op.getAnchors()[i]);
    return vector<int64_t>(dimSizes, element) / image;
  }

  Boxes boxes() {
    auto column = [&](int64_t i) { return dropDim(slice(e.wrap(op.getGtBox()), 2, i, i + 1), 2); };
    return {column(0), column(1), column(2), column(3)};
  }

  /// For each anchor its index in the mask, or -1.
  Expression placesInMask() {
    SmallVector<int64_t> positions(op.getAnchors().size() / 2, -1);
    for (size_t i = op.getAnchorMask().size(); i-- > 0;)
      positions[static_cast<size_t>(op.getAnchorMask()[i])] = static_cast<int64_t>(i);
    return vector<int64_t>(positions, i64());
  }

  /// The anchor that each true box overlaps best, with the same center.
  Expression bestAnchors() {
    Expression wide = e.minimum(insertDim(truth.width, 2), anchorSizes(0)),
               high = e.minimum(insertDim(truth.height, 2), anchorSizes(1)), common = wide * high;
    Expression all = insertDim(truth.width * truth.height, 2) + anchorSizes(0) * anchorSizes(1) - common;
    return e.wrap(e.create<ArgmaxOp>(common / all, Value(), e.getBuilder().getI64IntegerAttr(2),
                                     e.getBuilder().getBoolAttr(false), e.getBuilder().getBoolAttr(false),
                                     TypeAttr()));
  }

  /// The cell of a coordinate; 0 for boxes without a cell.
  Expression position(Expression coordinate) { return e.select(isMatched, e.cast(coordinate, i64()), 0.0); }

  /// The index of each box's image.
  Expression samples() { return expandTo(insertDim(iota(e, batch, i64()), 1), {batch, DimSize(match, 1)}); }

  /// [batch, anchors, height, width, 5 + classes].
  Expression cells(Expression x) {
    Expression split = reshapeTo(x, {batch, DimSize(anchors), DimSize(5 + classes), height, width});
    return e.transpose(split, {0, 1, 3, 4, 2});
  }

  /// Whether the box of a cell overlaps a true one by more than the threshold, so that it is left out.
  Expression overlapsTrueBox(Expression logits) {
    auto logit = [&](int64_t i) { return slice(logits, 4, i, i + 1); };
    double scale = op.getScaleXY().convertToDouble();
    auto centre = [&](Expression value, Expression cell) {
      return (cell + e.wrap(e.create<SigmoidOp>(value)) * scale - 0.5 * (scale - 1.0)) / rows;
    };
    auto dimSizeOf = [&](int64_t axis) {
      Expression chosen = gatherRows(anchorSizes(axis), vector<int64_t>(op.getAnchorMask(), i64()));
      return e.exp(logit(2 + axis)) * e.reshape(chosen, {anchors, 1, 1, 1});
    };
    Expression inRow = e.cast(iota(e, width, i64()), element),
               inColumn = e.cast(iota(e, height, i64()), element);
    Boxes own{centre(logit(0), insertDim(inRow, 1)), centre(logit(1), insertDim(insertDim(inColumn, 1), 2)),
              dimSizeOf(0), dimSizeOf(1)};
    auto others = [&](Expression value) {
      return reshapeTo(value, {batch, DimSize(1), DimSize(1), DimSize(1), DimSize(value, 1)});
    };
    Boxes given{others(truth.x), others(truth.y), others(truth.width), others(truth.height)};
    Expression overlaps = e.select(others(isValid), intersection(own, given), 0.0);
    double least = op.getIgnoreThresh().convertToDouble();
    return dropDim(e.max(concat({overlaps, slice(logits, 4, 0, 1) * 0.0}, 4), {4}), 4) > least;
  }

  /// The loss of position, size and class of each true box.
  Expression ofBoxes(Expression logits) {
    auto at = [](Expression value) { return insertDim(value, 2); };
    Expression index = concat({at(samples()), at(e.maximum(match, 0.0)), at(row), at(column)}, 2);
    Expression own = e.wrap(e.create<GatherNdOp>(logits, index)); // [batch, boxes, 5 + classes]
    auto logit = [&](int64_t i) { return dropDim(slice(own, 2, i, i + 1), 2); };
    auto inCell = [&](Expression centre, Expression cell) { return centre * rows - e.cast(cell, element); };
    auto distance = [&](int64_t axis, Expression dimSize) {
      Expression ratio = e.select(isMatched, dimSize, 1.0) / gatherRows(anchorSizes(axis), best);
      return e.abs(logit(2 + axis) - e.log(ratio));
    };
    Expression weight = (2.0 - truth.width * truth.height) * score;
    Expression ofPlace =
        crossEntropy(logit(0), inCell(truth.x, column)) + crossEntropy(logit(1), inCell(truth.y, row));
    Expression ofSize = distance(0, truth.width) + distance(1, truth.height);
    double off = op.getUseLabelSmooth() ? std::min(1.0 / static_cast<double>(classes), 1.0 / 40) : 0;
    Expression isClass =
        e.wrap(e.create<EqualOp>(at(asInts(e.wrap(op.getGtLabel()))), iota(e, DimSize(classes), i64())));
    Expression classTarget = e.select(isClass, e.constant(1 - off, element), off);
    Expression ofClass = e.sum(crossEntropy(slice(own, 2, 5, toTheEnd), classTarget), {2}, false) * score;
    return (ofPlace + ofSize) * weight + ofClass;
  }

  TensorBuilder &e;
  YoloLossOp op;
  int64_t anchors, classes;
  Type element;
  DimSize batch, height, width;
  Expression rows, columns, image;
  Boxes truth;
  Expression score, isValid, best, match, isMatched, column, row;
};

} // namespace

FailureOr<SmallVector<Value>> YoloLossOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  YoloFormula formula(e, *this);
  Expression x = e.wrap(getX()), objectness = formula.objectness(x);
  Value loss = x, derivative = x;
  if (!getLoss().use_empty())
    loss = formula.cost(x, objectness);
  if (!getXDerivative().use_empty())
    derivative =
        derivativeOfFormula(e, getX(), [&](Expression own) { return formula.cost(own, objectness); });
  return SmallVector<Value>{loss, objectness, formula.matches(), derivative};
}

FailureOr<SmallVector<Value>> YoloLossOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return scaledDerivative(builder, getOperation(), getXDerivative(), cotangents[0]);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/loss/YoloLoss.cpp.inc"
#include "dialects/pd/ops/loss/YoloLoss.methods.inc"
