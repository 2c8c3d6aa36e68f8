//! Training targets of anchors and regions as formulas.
#include "dialects/pd/ops/detection/BoxFormula.h"
#include "dialects/pd/ops/detection/Targets.h"
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/Order.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

/// The overlap of boxes that are no pair.
constexpr double noOverlap = -1;
/// Overlaps that differ by less are equal.
constexpr double closeness = 1e-5;

/// An attribute as Paddle's kernels read it, in float32.
double asFloat(const llvm::APFloat &value) { return static_cast<float>(value.convertToDouble()); }

/// The offsets and logarithms of sizes that encode `to` by `from`: [n, 4].
Expression encodedBy(Expression from, Expression to) {
  TensorBuilder &e = from.owner();
  SmallVector<Expression> offsets, logarithms;
  for (int64_t axis : {0, 1}) {
    Expression low = coordinateOf(from, axis), toLow = coordinateOf(to, axis);
    Expression size = coordinateOf(from, axis + 2) - low + 1.0,
               toSize = coordinateOf(to, axis + 2) - toLow + 1.0;
    offsets.push_back((toLow + toSize * 0.5 - low - size * 0.5) / size);
    logarithms.push_back(e.log(toSize / size));
  }
  offsets.append(logarithms);
  return boxesFrom(offsets);
}

/// `count` selected elements of each image: the first ones, or random ones.
Expression sampleOf(Expression isSelected, Expression count, bool isRandom) {
  TensorBuilder &e = isSelected.owner();
  if (!isRandom)
    return both(isSelected, e.wrap(e.create<CumsumOp>(asInts(isSelected), Value(), int64_t(1))) <= count);
  Expression like = e.cast(isSelected, e.getBuilder().getF32Type());
  Expression priority =
      e.wrap(e.create<UniformInplaceOp>(like, /*seed=*/uint64_t(0), llvm::APFloat(0.0), llvm::APFloat(1.0),
                                        uint64_t(0), uint64_t(0), llvm::APFloat(1.0)));
  return both(isSelected, descendingRank(e.select(isSelected, priority, -1.0)) < count);
}

Expression countOf(Expression isSelected) { return isSelected.owner().sum(asInts(isSelected), {1}); }

/// The selected elements of [images, elements], image by image: their image and element, and the offsets of
/// images.
struct Listed {
  Expression image, element, offsets;

  static Listed of(Expression isSelected) {
    TensorBuilder &e = isSelected.owner();
    Expression positions = asInts(e.wrap(e.create<NonzeroOp>(isSelected)));
    auto column = [&](int64_t k) { return dropDim(slice(positions, 1, k, k + 1), 1); };
    return {column(0), column(1), offsetsOfLengths(dropDim(countOf(isSelected), 1))};
  }
  /// The element of x [images, elements, ...] of each row.
  Expression from(Expression x) const { return from(x, element); }
  Expression from(Expression x, Expression index) const {
    TensorBuilder &e = x.owner();
    SmallVector<DimSize> dims = dimSizesOf(x), flat(dims.begin() + 1, dims.end());
    flat[0] = multiply(e, dims[0], dims[1]);
    return gatherRows(reshapeTo(x, flat), image * e.wrap(dims[1].getValue(e)) + index);
  }
};

Expression scalesOf(TensorBuilder &e, Value imInfo) {
  return slice(e.computed(imInfo), 1, 2, 3);
} // [images, 1]

Expression firstMax(Expression x, int64_t axis) {
  return asInts(x.owner().wrap(
      x.owner().create<ArgmaxOp>(x, Value(), axis, /*keepdims=*/false, /*flatten=*/false, TypeAttr())));
}

//===-- anchors -----------------------------------------------------------------------------------------===//

/// The anchors that are used, and how they match true boxes: [images, anchors].
struct AnchorMatch {
  Expression anchors;       ///< [anchors, 4]
  Expression truth, labels; ///< [images, boxes, 4], [images, boxes]
  Expression best;          ///< the index of the box that an anchor overlaps most
  Expression isPositive, isNegative;
};

struct AnchorLimits {
  double positive, negative;
  std::optional<double> margin; ///< how far an anchor may be outside of the image
};

template <class Op> AnchorMatch matchOf(TensorBuilder &e, Op op, const AnchorLimits &rules, Value labels) {
  Expression anchors = e.computed(op.getAnchor()), offsets = asInts(e.wrap(op.getGtOffsets()));
  auto padded = [&](Expression x) { return paddedRows(x, offsets); };
  PaddedRows boxes = padded(e.computed(op.getGtBoxes()));
  Expression isCrowd = negation(e.equal(padded(asVector(asInts(e.wrap(op.getIsCrowd())))).rows, 0.0));
  Expression isTruth = insertDim(both(boxes.isInside, negation(isCrowd)), 1); // [images, 1, boxes]
  Expression truth = boxes.rows * insertDim(scalesOf(e, op.getImInfo()), 2);
  Expression isUsed = e.abs(scalesOf(e, op.getImInfo())) >= 0.0; // [images, 1]
  if (rules.margin) {
    Expression info = e.computed(op.getImInfo());
    auto corner = [&](int64_t k) { return insertDim(coordinateOf(anchors, k), 0); };
    Expression isAfter = e.minimum(corner(0), corner(1)) >= -*rules.margin;
    Expression isBefore = both(corner(2) < slice(info, 1, 1, 2) + *rules.margin,
                               corner(3) < slice(info, 1, 0, 1) + *rules.margin);
    isUsed = both(isUsed, both(isAfter, isBefore));
  }
  Expression overlap = pixelOverlapOf(insertDim(insertDim(anchors, 1), 0), insertDim(truth, 1));
  overlap = e.select(isTruth, overlap, noOverlap); // [images, anchors, boxes]
  Expression used = e.select(insertDim(isUsed, 2), overlap, noOverlap);
  Expression most = e.maximum(e.max(used, {1}), 0.0), own = e.max(overlap, {2}, /*keepdim=*/false);
  Expression isClose = both(isTruth, e.abs(overlap - most) < closeness);
  Expression isBest = e.max(asInts(isClose), {2}, /*keepdim=*/false) > 0.0;
  Expression labelRows = labels ? padded(asVector(asInts(e.wrap(labels)))).rows : asInts(boxes.isInside);
  return {anchors,
          truth,
          labelRows,
          firstMax(overlap, 2),
          both(isUsed, either(isBest, own >= rules.positive)),
          both(isUsed, own < rules.negative)};
}

/// The first seven results, and the number of rows of each image that are located.
SmallVector<Expression> targetsOf(TensorBuilder &e, const AnchorMatch &match) {
  Expression isAlone = both(match.isPositive, negation(match.isNegative));
  DimSize count(match.anchors, 0);
  Expression anchors = e.wrap(count.getValue(e));
  Expression first = insertDim(firstMax(asInts(match.isPositive), 1), 1); // [images, 1]
  // Places from `anchors` on belong to positive anchors that are not negative.
  Listed located = Listed::of(concat({both(match.isPositive, match.isNegative), isAlone}, 1));
  Expression isOther = located.element >= anchors;
  Expression anchor =
      e.select(isOther, located.element - anchors, gatherRows(dropDim(first, 1), located.image));
  Expression offsets = encodedBy(gatherRows(match.anchors, anchor),
                                 located.from(match.truth, located.from(match.best, anchor)));
  Expression weights =
      expandTo(insertDim(e.indicator(isOther, offsets), 1), {DimSize(offsets, 0), DimSize(int64_t(4))});
  Listed scored = Listed::of(concat({isAlone, match.isNegative}, 1));
  Expression isNegative = scored.element >= anchors;
  Expression index = e.select(isNegative, scored.element - anchors, scored.element);
  Expression label = e.select(isNegative, 0.0, scored.from(match.labels, scored.from(match.best, index)));
  return {located.image * anchors + anchor,
          scored.image * anchors + index,
          offsets,
          insertDim(label, 1),
          weights,
          located.offsets,
          scored.offsets};
}

//===-- regions -----------------------------------------------------------------------------------------===//

/// The candidates of all images, true boxes first: [images, candidates, ...].
struct Candidates {
  Expression boxes, isValid, isCrowd;
  PaddedRows truth;
};

Candidates candidatesOf(TensorBuilder &e, GenerateProposalLabelsOp op) {
  Expression offsets = asInts(e.wrap(op.getGtOffsets())), roiOffsets = asInts(e.wrap(op.getRoiOffsets()));
  PaddedRows truth = paddedRows(e.computed(op.getGtBoxes()), offsets);
  PaddedRows rois = paddedRows(e.computed(op.getRpnRois()), roiOffsets);
  Expression boxes = rois.rows / insertDim(scalesOf(e, op.getImInfo()), 2), isValid = rois.isInside;
  Expression hasRois = insertDim(sequencesOf(roiOffsets).lengths, 1) > 0.0; // [images, 1]
  SmallVector<Expression> all{truth.rows, boxes}, valid{both(truth.isInside, hasRois)};
  if (op.getIsCascadeRcnn()) {
    auto side = [&](int64_t axis) { return coordinateOf(boxes, axis + 2) - coordinateOf(boxes, axis) + 1.0; };
    Expression most = paddedRows(asVector(e.computed(op.getMaxOverlap())), roiOffsets).rows;
    isValid = both(isValid, both(both(side(0) > 0.0, side(1) > 0.0), most < 1.0));
    // A box of zeros, for an image without others.
    Expression isAlone = both(hasRois, e.equal(countOf(isValid), 0.0));
    all.push_back(slice(boxes, 1, 0, 1) * 0.0);
    valid.append({isValid, isAlone});
  } else {
    valid.push_back(isValid);
  }
  Expression crowd = paddedRows(asVector(asInts(e.wrap(op.getIsCrowd()))), offsets).rows;
  SmallVector<Expression> crowds{asInts(both(truth.isInside, negation(e.equal(crowd, 0.0))))};
  for (Expression own : ArrayRef(valid).drop_front())
    crowds.push_back(asInts(own) * 0.0);
  return {concat(all, 1), concat(valid, 1), concat(crowds, 1) > 0.0, truth};
}

/// The kept candidates: foreground with the index of the true box, and background. [images, candidates]
struct Kept {
  Expression isForeground, isBackground, most, truth;
};

Kept keptOf(TensorBuilder &e, GenerateProposalLabelsOp op, const Candidates &all) {
  Expression overlap = pixelOverlapOf(insertDim(all.boxes, 2), insertDim(all.truth.rows, 1));
  overlap = e.select(insertDim(all.truth.isInside, 1), overlap, noOverlap);
  Expression most = e.maximum(e.max(overlap, {2}, /*keepdim=*/false), 0.0);
  Expression counted = e.select(all.isCrowd, -1.0, most);
  Expression hasTruth = countOf(all.truth.isInside) > 0.0;
  Expression isForeground = both(both(all.isValid, hasTruth), counted >= asFloat(op.getFgThresh()));
  Expression isLow = both(counted >= asFloat(op.getBgThreshLo()), counted < asFloat(op.getBgThreshHi()));
  Expression isBackground = both(both(all.isValid, isLow), negation(isForeground));
  Expression isAsGood = e.abs(overlap - insertDim(counted, 2)) < closeness;
  if (!op.getIsCascadeRcnn()) {
    auto count = static_cast<int64_t>(op.getBatchSizePerIm());
    auto share = static_cast<float>(count) * static_cast<float>(op.getFgFraction().convertToDouble());
    Type i64 = e.getBuilder().getI64Type();
    isForeground = sampleOf(isForeground, e.constant(std::floor(share), i64), op.getUseRandom());
    Expression rest = static_cast<double>(count) - countOf(isForeground);
    isBackground = sampleOf(isBackground, rest, op.getUseRandom());
  }
  return {isForeground, isBackground, most, firstMax(asInts(isAsGood), 2)};
}

} // namespace

FailureOr<SmallVector<Value>> RpnTargetAssignOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  AnchorLimits rules{asFloat(getRpnPositiveOverlap()), asFloat(getRpnNegativeOverlap()), std::nullopt};
  if (double margin = asFloat(getRpnStraddleThresh()); margin >= 0)
    rules.margin = margin;
  AnchorMatch match = matchOf(e, *this, rules, Value());
  auto samples = static_cast<int64_t>(getRpnBatchSizePerIm());
  auto share = static_cast<float>(getRpnFgFraction().convertToDouble());
  if (share > 0 && samples > 0) {
    auto most = static_cast<double>(static_cast<int64_t>(share * static_cast<float>(samples)));
    match.isPositive = sampleOf(match.isPositive, e.constant(most, builder.getI64Type()), getUseRandom());
    Expression rest = static_cast<double>(samples) - countOf(match.isPositive);
    match.isNegative = sampleOf(match.isNegative, rest, getUseRandom());
  }
  return e.results(targetsOf(e, match));
}

FailureOr<SmallVector<Value>> RetinanetTargetAssignOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  AnchorLimits rules{asFloat(getPositiveOverlap()), asFloat(getNegativeOverlap()), std::nullopt};
  SmallVector<Expression> results = targetsOf(e, matchOf(e, *this, rules, getGtLabels()));
  Expression located = results[5];
  results.push_back(insertDim(sequencesOf(located).lengths + 1.0, 1));
  results.push_back(iota(e, DimSize(located, 0), builder.getI64Type()));
  return e.results(results);
}

FailureOr<SmallVector<Value>> GenerateProposalLabelsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Candidates all = candidatesOf(e, *this);
  Kept kept = keptOf(e, *this, all);
  Listed rows = Listed::of(concat({kept.isForeground, kept.isBackground}, 1));
  Expression count = e.wrap(DimSize(all.boxes, 1).getValue(e)), isForeground = rows.element < count;
  Expression index = e.select(isForeground, rows.element, rows.element - count);
  Expression box = rows.from(all.boxes, index), truth = rows.from(kept.truth, index);
  Expression classes =
      paddedRows(asVector(asInts(e.wrap(getGtClasses()))), asInts(e.wrap(getGtOffsets()))).rows;
  Expression label = e.select(isForeground, rows.from(classes, truth), 0.0);
  Expression offset = encodedBy(box, rows.from(all.truth.rows, truth));
  SmallVector<Expression> scaled;
  for (auto [k, weight] : llvm::enumerate(getBboxRegWeights()))
    scaled.push_back(coordinateOf(offset, static_cast<int64_t>(k)) / static_cast<float>(weight));
  auto classCount = static_cast<int64_t>(getClassNums());
  Expression position = insertDim(iota(e, classCount, builder.getI64Type()), 0);
  Expression column = getIsClsAgnostic() ? label * 0.0 + 1.0 : label;
  Expression isOwn = insertDim(both(insertDim(column, 1) == position, insertDim(label, 1) > 0.0), 2);
  SmallVector<DimSize> wide{DimSize(box, 0), DimSize(classCount), DimSize(int64_t(4))},
      flat{DimSize(box, 0), DimSize(4 * classCount)};
  auto spread = [&](Expression x) { return reshapeTo(expandTo(x, wide), flat); };
  Expression targets = spread(e.select(isOwn, insertDim(boxesFrom(scaled), 1), 0.0)),
             weights = spread(e.indicator(isOwn, box));
  Expression scale = gatherRows(scalesOf(e, getImInfo()), rows.image);
  return e.results({box * scale, insertDim(label, 1), targets, weights, weights, rows.from(kept.most, index),
                    rows.offsets});
}

} // namespace proa::pd
