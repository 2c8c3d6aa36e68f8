//! Poolings of regions and their gradients as formulas. The mean of a cell weighs the rows and the columns of
//! the image independently: it is a product of the image with the weights of both axes.
#include "dialects/pd/ops/detection/RoiFormula.h"
#include "dialects/pd/ops/detection/RoiPool.h"
#include "dialects/pd/ops/loss/LogSpace.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

/// Below all elements.
constexpr double lowest = -3e38;

/// Halves are rounded away from zero.
Expression roundedAway(Expression x) {
  Expression size = x.owner().floor(x.owner().abs(x) + 0.5);
  return x.owner().select(x < 0.0, -size, size);
}

/// The expressions that the formulas of one op share. Axis 0 has the rows, axis 1 the columns.
template <class Op> class Regions {
public:
  Regions(OpBuilder &builder, Op op)
      : op(op), e(builder, op), x(e.operand(0)), boxes(e.computed(op.getBoxes())),
        images(imageIndices(e, builder, op.getBoxes(), op.getBoxesNum())),
        scale(op.getSpatialScale().convertToDouble()) {}

  TensorBuilder &builder() { return e; }
  Expression getImages() { return images; }
  Expression getX() { return x; }
  /// The image of each region: [regions, channels, rows, columns].
  Expression imageOfEach() { return gatherRows(x, images); }
  /// The sum over the regions of each image.
  Expression sumByImage(Expression each) {
    return reduceRows(each, images, DimSize(x, 0), ScatterReduce::Add, 0.0);
  }

  /// The share of each row (column) in the mean of each cell by roi_align: [regions, cells, rows].
  Expression sampledWeights(int64_t axis) {
    double shift = op.getAligned() ? 0.5 : 0.0;
    Expression low = corner(axis) * scale - shift, size = corner(axis + 2) * scale - shift - low;
    if (!op.getAligned())
      size = e.maximum(size, 1.0);
    Expression cell = size / static_cast<double>(cells(axis));
    auto ratio = static_cast<int64_t>(op.getSamplingRatio());
    Expression count = ratio > 0 ? cell * 0.0 + static_cast<double>(ratio) : -e.floor(-cell);
    DimSize samples(ratio);
    if (ratio <= 0) { // at least 1, also without regions
      Expression one = e.reshape(e.constant(1, element()), {1, 1});
      samples = dimSizeOf(e.cast(e.max(concat({count, one}, 0), {0, 1}, /*keepdim=*/false), integer()));
    }
    // [regions, cells, samples, rows]
    Expression sample = along(samples, 2), some = e.maximum(along(count), 1.0);
    Expression position = along(low) + along(cell) * (along(cells(axis), 1) + (sample + 0.5) / some);
    Expression last = e.cast(e.wrap(DimSize(x, 2 + axis).getValue(e)), element()) - 1.0;
    Expression isInside = both(both(position >= -1.0, position <= last + 1.0), along(count) > sample);
    Expression within = e.minimum(e.maximum(position, 0.0), last);
    Expression share = e.maximum(1.0 - e.abs(within - along(DimSize(x, 2 + axis), 3)), 0.0);
    return e.sum(e.select(isInside, share / some, 0.0), {2}, /*keepdim=*/false);
  }

  /// Whether each row (column) is in each cell: [regions, cells, rows]. The cells of a box, of `size` from
  /// `from` on, count whole elements.
  Expression isInCell(int64_t axis, Expression from, Expression cell, Expression offset) {
    Expression value = e.reshape(numbers(cells(axis)), {1, -1});
    Expression last = e.cast(e.wrap(DimSize(x, 2 + axis).getValue(e)), element());
    auto within = [&](Expression position) {
      return insertDim(e.minimum(e.maximum(position, 0.0), last), 2);
    };
    Expression start = within(e.floor(value * cell + from) + offset),
               end = within(-e.floor(-((value + 1.0) * cell + from)) + offset);
    Expression position = e.reshape(numbers(DimSize(x, 2 + axis)), {1, 1, -1});
    return both(start <= position, end > position);
  }

  /// Cells of psroi_pool: edges are rounded after the box is divided.
  Expression cellsOfFractions(int64_t axis) {
    Expression from = roundedAway(corner(axis)) * scale, to = (roundedAway(corner(axis + 2)) + 1.0) * scale;
    return isInCell(axis, from, e.maximum(to - from, 0.1) / static_cast<double>(cells(axis)), from * 0.0);
  }

  /// Cells of roi_pool: boxes are rounded before they are divided.
  Expression cellsOfWholes(int64_t axis) {
    Expression from = roundedAway(corner(axis) * scale), to = roundedAway(corner(axis + 2) * scale);
    Expression size = e.maximum(to - from + 1.0, 1.0) / static_cast<double>(cells(axis));
    return isInCell(axis, from * 0.0, size, from);
  }

  /// The share of each row (column) in the mean of each cell by psroi_pool.
  Expression equalWeights(int64_t axis) {
    Expression inside = e.cast(cellsOfFractions(axis), element());
    return inside / e.maximum(e.sum(inside, {2}), 1.0);
  }

  /// x with channels [channels, rows of cells, columns of cells].
  Expression byCell(Expression each) {
    SmallVector<DimSize> dims = dimSizesOf(each);
    return reshapeTo(each, {dims[0], -1, cells(0), cells(1), dims[2], dims[3]});
  }

  int64_t cells(int64_t axis) {
    return static_cast<int64_t>(axis == 0 ? op.getPooledHeight() : op.getPooledWidth());
  }
  Type element() { return x.type().getElementType(); }
  Type integer() { return e.getBuilder().getI64Type(); }

private:
  /// A coordinate of the boxes as a column: 0 and 2 are row coordinates, 1 and 3 column coordinates.
  Expression corner(int64_t i) {
    int64_t position = i / 2 * 2 + 1 - i % 2;
    return slice(boxes, 1, position, position + 1);
  }
  Expression numbers(const DimSize &count) { return e.cast(iota(e, count, integer()), element()); }
  /// A column or 0, 1, ... along one of four dimensions.
  Expression along(Expression column) { return e.reshape(column, {-1, 1, 1, 1}); }
  Expression along(const DimSize &count, int64_t axis) {
    SmallVector<int64_t> shape(4, 1);
    shape[axis] = -1;
    return e.reshape(numbers(count), shape);
  }

  Op op;
  TensorBuilder e;
  Expression x, boxes, images;
  double scale;
};

} // namespace

Values RoiAlignOp::decompose(OpBuilder &builder) {
  Regions<RoiAlignOp> in(builder, *this);
  TensorBuilder &e = in.builder();
  Expression rows = insertDim(in.sampledWeights(0), 1), columns = insertDim(in.sampledWeights(1), 1);
  Expression across = e.matmul(in.imageOfEach(), columns, /*transposeX=*/false, /*transposeY=*/true);
  return e.results({e.matmul(rows, across)});
}

Values RoiAlignGradOp::decompose(OpBuilder &builder) {
  Regions<RoiAlignGradOp> in(builder, *this);
  TensorBuilder &e = in.builder();
  Expression rows = insertDim(in.sampledWeights(0), 1), columns = insertDim(in.sampledWeights(1), 1);
  Expression down = e.matmul(rows, e.computed(getOutGrad()), /*transposeX=*/true, /*transposeY=*/false);
  return e.results({in.sumByImage(e.matmul(down, columns))});
}

Values PsroiPoolOp::decompose(OpBuilder &builder) {
  Regions<PsroiPoolOp> in(builder, *this);
  TensorBuilder &e = in.builder();
  // [regions, channels, rows of cells, columns of cells, rows, columns]
  Expression columns = insertDim(insertDim(insertDim(in.equalWeights(1), 1), 1), 4);
  Expression rows = insertDim(insertDim(in.equalWeights(0), 1), 3);
  Expression across = e.sum(in.byCell(in.imageOfEach()) * columns, {5}, /*keepdim=*/false);
  return e.results({e.sum(across * rows, {4}, /*keepdim=*/false)});
}

Values PsroiPoolGradOp::decompose(OpBuilder &builder) {
  Regions<PsroiPoolGradOp> in(builder, *this);
  TensorBuilder &e = in.builder();
  Expression columns = insertDim(insertDim(insertDim(in.equalWeights(1), 1), 1), 4);
  Expression rows = insertDim(insertDim(insertDim(in.equalWeights(0), 1), 3), 5);
  Expression each = insertDim(insertDim(e.computed(getOutGrad()), 4), 5) * rows * columns;
  SmallVector<DimSize> dims = dimSizesOf(in.getX());
  dims[0] = DimSize(each, 0);
  return e.results({in.sumByImage(reshapeTo(each, dims))});
}

/// The largest element of each row that is in the columns of a cell, then the largest of these.
Values RoiPoolOp::decompose(OpBuilder &builder) {
  Regions<RoiPoolOp> in(builder, *this);
  TensorBuilder &e = in.builder();
  auto indexOfMax = [&](Expression x, int64_t axis) {
    return e.wrap(e.create<ArgmaxOp>(x, Value(), axis, /*keepdims=*/false, /*flatten=*/false, TypeAttr()));
  };
  Expression isRow = in.cellsOfWholes(0), isColumn = in.cellsOfWholes(1);
  // [regions, channels, columns of cells, rows, columns]
  Expression across = e.select(insertDim(insertDim(isColumn, 1), 3), insertDim(in.imageOfEach(), 2), lowest);
  Expression column = indexOfMax(across, 4);
  // [regions, channels, rows of cells, columns of cells, rows]
  Expression down = e.select(insertDim(insertDim(isRow, 1), 3),
                             insertDim(e.max(across, {4}, /*keepdim=*/false), 2), lowest);
  Expression row = indexOfMax(down, 4);
  Expression ofRow = e.transpose(takeAlong(column, e.transpose(row, {0, 1, 3, 2}), 3), {0, 1, 3, 2});
  Expression position = row * e.wrap(DimSize(in.getX(), 3).getValue(e)) + ofRow;
  auto hasAny = [&](Expression inside) {
    return e.max(e.cast(inside, in.element()), {2}, /*keepdim=*/false) > 0.0; // [regions, cells]
  };
  Expression isFull = insertDim(both(insertDim(hasAny(isRow), 2), insertDim(hasAny(isColumn), 1)), 1);
  Expression most = e.max(down, {4}, /*keepdim=*/false);
  Type positions = tensorType(getArgMax()).getElementType();
  return e.results({e.select(isFull, most, 0.0), e.cast(e.select(isFull, position, -1.0), positions)});
}

Values RoiPoolGradOp::decompose(OpBuilder &builder) {
  Regions<RoiPoolGradOp> in(builder, *this);
  TensorBuilder &e = in.builder();
  SmallVector<DimSize> dims = dimSizesOf(in.getX()), pooled = dimSizesOf(e.wrap(getArgMax()));
  Expression position = asInts(e.wrap(getArgMax()));
  Expression image = e.reshape(in.getImages(), {-1, 1, 1, 1});
  Expression channel = e.reshape(iota(e, dims[1], in.integer()), {1, -1, 1, 1});
  Expression plane = image * e.wrap(dims[1].getValue(e)) + channel;
  Expression elements = e.wrap(multiply(e, dims[2], dims[3]).getValue(e));
  Expression flat = reshapeTo(plane * elements + e.maximum(position, 0.0), {elementsOf(position)});
  Expression share =
      reshapeTo(e.select(position < 0.0, 0.0, e.computed(getOutGrad())), {elementsOf(position)});
  Expression sums = reduceRows(share, flat, elementsOf(in.getX()), ScatterReduce::Add, 0.0);
  return e.results({reshapeTo(sums, dims)});
}

} // namespace proa::pd
