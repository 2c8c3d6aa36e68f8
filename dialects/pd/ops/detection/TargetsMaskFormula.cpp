//! Target masks of regions as formulas: each region is compared with each edge of the polygons of its object.
#include "dialects/pd/ops/detection/BoxFormula.h"
#include "dialects/pd/ops/detection/Targets.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// How many grid lines a pixel has in each direction, and the line that is its middle.
constexpr double polygonFineness = 5, middle = 2;
/// The box of an object without points.
constexpr double farAway = 3e38;

Expression totalOf(Expression lengths) { return lengths.owner().sum(lengths, {0}, /*keepdim=*/false); }

class MaskFormula {
public:
  MaskFormula(OpBuilder &builder, GenerateMaskLabelsOp op)
      : op(op), e(builder, op), size(static_cast<int64_t>(op.getResolution())), integer(builder.getI64Type()),
        real(builder.getF64Type()) {}

  FailureOr<SmallVector<Value>> build() {
    Expression rois = e.computed(op.getRois()), offsets = ints(op.getRoiOffsets());
    RowPositions positions = rowPositions(rois, offsets);
    Expression label = asVector(ints(op.getLabels())), isPositive = label > 0.0;
    DimSize images(sequencesOf(offsets).starts, 0);
    auto ofImages = [&](Expression x, ScatterReduce reduce, double initial) {
      return reduceRows(x, positions.sequence, images, reduce, initial);
    };
    Expression hasNone = e.equal(ofImages(asInts(isPositive), ScatterReduce::Amax, 0), 0.0);
    Expression background =
        ofImages(e.select(e.equal(label, 0.0), positions.position, never), ScatterReduce::Amin, never);
    background = e.select(background < never, background, 0.0);
    // An image without a positive region gives its first one.
    Expression isFirst = both(e.equal(positions.position, 0.0), gatherRows(hasNone, positions.sequence));
    Expression isRow = either(isPositive, isFirst);
    Expression rows = asVector(asInts(e.wrap(e.create<NonzeroOp>(isRow))));
    Expression image = gatherRows(positions.sequence, rows), ownLabel = gatherRows(label, rows);
    Expression value =
        e.select(ownLabel > 0.0, gatherRows(positions.position, rows), gatherRows(background, image));
    Expression scale = gatherRows(slice(e.computed(op.getImInfo()), 1, 2, 3), image);
    Expression roi = gatherRows(rois, rows) / scale;
    Expression counts = ofImages(asInts(isRow), ScatterReduce::Add, 0);
    return e.results(
        {roi * scale, insertDim(value, 1), masksOf(roi, image, ownLabel), offsetsOfLengths(counts)});
  }

private:
  static constexpr double never = 1e9;

  Expression ints(Value x) { return asInts(e.wrap(x)); }

  /// The masks of regions in the blocks of their labels: [regions, classes * size * size].
  Expression masksOf(Expression roi, Expression image, Expression label) {
    Expression drawn = drawnOf(roi, objectOf(roi, image), label > 0.0); // [regions, size, size]
    auto classes = static_cast<int64_t>(op.getNumClasses());
    DimSize count(roi, 0);
    Expression flat = insertDim(reshapeTo(drawn, {count, DimSize(size * size)}), 1);
    Expression index = insertDim(iota(e, classes, integer), 0), column = insertDim(label, 1);
    Expression isOwn = insertDim(both(column == index, column > 0.0), 2);
    return reshapeTo(e.select(isOwn, flat, -1.0), {count, DimSize(classes * size * size)});
  }

  /// The object that counts whose bounding box overlaps each region most.
  Expression objectOf(Expression roi, Expression image) {
    Expression offsets = ints(op.getObjectOffsets()), classes = asVector(ints(op.getGtClasses()));
    PaddedRows boxes = paddedRows(boundingBoxes(DimSize(classes, 0)), offsets);
    Expression counts = both(classes > 0.0, e.equal(asVector(ints(op.getIsCrowd())), 0.0));
    Expression isCounted = both(paddedRows(asInts(counts), offsets).rows > 0.0, boxes.isInside);
    Expression indices = paddedRows(iota(e, DimSize(classes, 0), integer), offsets).rows;
    Expression overlap = pixelOverlapOf(insertDim(roi, 1), gatherRows(boxes.rows, image));
    overlap = e.select(gatherRows(isCounted, image), overlap, -1.0);
    Expression best = asInts(e.wrap(e.create<ArgmaxOp>(overlap, Value(), int64_t(1), /*keepdims=*/false,
                                                       /*flatten=*/false, TypeAttr())));
    Expression isBest = iota(e, DimSize(indices, 1), integer) == insertDim(best, 1);
    return e.sum(e.select(isBest, gatherRows(indices, image), 0.0), {1}, /*keepdim=*/false);
  }

  /// The boxes around the points of objects; their right and bottom are not negative.
  Expression boundingBoxes(const DimSize &objects) {
    Expression points = e.computed(op.getGtSegms()), pointOffsets = ints(op.getPointOffsets());
    Expression polygonOf = rowPositions(points, pointOffsets).sequence;
    Expression objectOf =
        rowPositions(sequencesOf(pointOffsets).starts, ints(op.getPolygonOffsets())).sequence;
    Expression object = gatherRows(objectOf, polygonOf);
    return concat({reduceRows(points, object, objects, ScatterReduce::Amin, farAway),
                   reduceRows(points, object, objects, ScatterReduce::Amax, 0)},
                  1);
  }

  /// Whether each pixel of a region is inside of a polygon of its object: 1 or 0. An odd number of edges of
  /// that polygon is above it.
  Expression drawnOf(Expression roi, Expression object, Expression isDrawn) {
    Expression polygonOffsets = ints(op.getPolygonOffsets()), pointOffsets = ints(op.getPointOffsets());
    Expression first = gatherRows(polygonOffsets, object), last = gatherRows(polygonOffsets, object + 1.0);
    Expression begin = gatherRows(pointOffsets, first), end = gatherRows(pointOffsets, last);
    RangeRows edges = rangeRows(begin, e.select(isDrawn, end - begin, 0.0));
    Expression region = rowPositions(edges.rows, edges.offsets).sequence;
    Expression polygon = gatherRows(rowPositions(e.wrap(op.getGtSegms()), pointOffsets).sequence, edges.rows);
    // The point after the last one of a polygon is its first one.
    Expression next = edges.rows + 1.0;
    next = e.select(next < gatherRows(pointOffsets, polygon + 1.0), next, gatherRows(pointOffsets, polygon));
    Expression isAbove = edgesAbove(onGrid(roi, region, edges.rows), onGrid(roi, region, next));
    // One group for each polygon of each region.
    Expression lengths = last - first, offsets = offsetsOfLengths(lengths);
    Expression group = gatherRows(offsets, region) + polygon - gatherRows(first, region);
    DimSize groups = dimSizeOf(totalOf(lengths));
    Expression counts = reduceRows(asInts(isAbove), group, groups, ScatterReduce::Add, 0);
    Expression half = e.wrap(e.create<FloorDivideOp>(counts, e.constant(2, integer)));
    Expression ofGroup = rowPositions(counts, offsets).sequence;
    return reduceRows(counts - half * 2.0, ofGroup, DimSize(roi, 0), ScatterReduce::Amax, 0);
  }

  /// Points in lines of the grids of regions: [edges, 2].
  Expression onGrid(Expression roi, Expression region, Expression points) {
    Expression low = slice(roi, 1, 0, 2), extent = e.maximum(slice(roi, 1, 2, 4) - low, 1.0);
    Expression at = gatherRows(e.computed(op.getGtSegms()), points) - gatherRows(low, region);
    at = at * static_cast<double>(size) / gatherRows(extent, region);
    return truncated(e.cast(at, real) * polygonFineness + 0.5);
  }

  Expression truncated(Expression x) { return e.cast(e.cast(x, integer), real); }

  /// Whether each edge crosses the middle of a column of pixels above each row: [edges, rows, columns].
  Expression edgesAbove(Expression from, Expression to) {
    auto axisOf = [](Expression x, int64_t axis) { return slice(x, 1, axis, axis + 1); };
    Expression isFlat = e.abs(axisOf(to, 0) - axisOf(from, 0)) >= e.abs(axisOf(to, 1) - axisOf(from, 1));
    Expression column = insertDim(e.cast(iota(e, size, integer), real), 0),
               line = column * polygonFineness + middle;
    Crossing flat = crossingOfFlat(from, to, line), steep = crossingOfSteep(from, to, line);
    Expression isCrossed = e.select(isFlat, asInts(flat.isCrossed), asInts(steep.isCrossed)) > 0.0;
    Expression height = (e.select(isFlat, flat.height, steep.height) + 0.5) / polygonFineness - 0.5;
    Expression row = e.reshape(column, {1, size, 1});
    return both(insertDim(isCrossed, 1), insertDim(height, 1) <= row);
  }

  /// Where an edge goes from one line of the grid to the next.
  struct Crossing {
    Expression isCrossed, height;
  };

  /// The ends of an edge in the order of one coordinate, and the slope of the other coordinate.
  struct Edge {
    Expression begin, steps, start, slope;
  };

  Edge edgeAlong(Expression from, Expression to, int64_t axis) {
    auto at = [](Expression x, int64_t k) { return slice(x, 1, k, k + 1); };
    Expression isTurned = at(from, axis) > at(to, axis);
    auto ends = [&](int64_t k, bool isLast) {
      return isLast ? e.select(isTurned, at(from, k), at(to, k)) : e.select(isTurned, at(to, k), at(from, k));
    };
    Expression begin = ends(axis, false), steps = ends(axis, true) - begin, start = ends(1 - axis, false);
    return {begin, steps, start, (ends(1 - axis, true) - start) / e.maximum(steps, 1.0)};
  }

  /// An edge that has a point on each line between its ends.
  Crossing crossingOfFlat(Expression from, Expression to, Expression line) {
    Edge edge = edgeAlong(from, to, 0);
    Expression step = line - edge.begin;
    auto heightAt = [&](Expression k) { return truncated(edge.start + edge.slope * k + 0.5); };
    return {both(step >= 0.0, step < edge.steps), e.minimum(heightAt(step), heightAt(step + 1.0))};
  }

  /// An edge with several points on a line: the last one before the next line is near the middle of both.
  Crossing crossingOfSteep(Expression from, Expression to, Expression line) {
    Edge edge = edgeAlong(from, to, 1);
    Expression isUpright = e.equal(edge.slope, 0.0);
    Expression near = e.floor((line + 0.5 - edge.start) / e.select(isUpright, 1.0, edge.slope));
    auto lineAt = [&](Expression k) { return truncated(edge.start + edge.slope * k + 0.5); };
    Expression found = line * 0.0, height = found + edge.begin;
    for (double distance : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
      Expression step = near + distance, one = lineAt(step), other = lineAt(step + 1.0);
      Expression isIt = both(negation(one == other), e.minimum(one, other) == line);
      isIt = both(isIt, both(step >= 0.0, step < edge.steps));
      found = e.select(isIt, 1.0, found);
      height = e.select(isIt, edge.begin + step, height);
    }
    return {found > 0.0, height};
  }

  GenerateMaskLabelsOp op;
  TensorBuilder e;
  int64_t size;
  Type integer, real;
};

} // namespace

FailureOr<SmallVector<Value>> GenerateMaskLabelsOp::decompose(OpBuilder &builder) {
  return MaskFormula(builder, *this).build();
}

} // namespace proa::pd
