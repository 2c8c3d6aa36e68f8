//! deformable_psroi_pooling as a formula, for derivatives of its gradient and for forward mode.
#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/detection/RoiFormula.h"
#include "dialects/pd/ops/detection/RoiPool.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;
using Ints = SmallVector<int64_t>;

/// The formula of one op. Its tensors have the dimensions [regions, channels, rows, columns], followed by
/// the dimensions of the points: down, then across.
class MovedCells {
public:
  MovedCells(OpBuilder &builder, DeformablePsroiPoolingOp op)
      : op(op), e(builder, op), x(e.operand(0)), boxes(e.operand(1)), channels(op.getOutputDim()),
        counts{static_cast<int64_t>(op.getPooledHeight()), static_cast<int64_t>(op.getPooledWidth())},
        samples(op.getSamplePerPart()) {}

  Values build() {
    DimSize classes = op.getNoTrans() ? DimSize(1) : divide(e, DimSize(e.computed(op.getTrans()), 1), 2);
    if (classes.isKnown() && (classes.getNumber() < 1 || channels < classes.getNumber()))
      return notifyDecompositionFailure(e.getBuilder(), op,
                                        "the offsets are for more classes than it has channels");
    Axis down = axisOf(0, classes), across = axisOf(1, classes);
    Expression isInside = both(down.isInside, across.isInside);
    Expression plane = planes();
    Expression upper = across.between(at(plane, down.low, across.low), at(plane, down.low, across.high)),
               lower = across.between(at(plane, down.high, across.low), at(plane, down.high, across.high));
    Expression points = e.select(isInside, down.between(upper, lower), 0.0);
    Expression sum = e.sum(points, {4, 5}, false);
    Expression count = e.sum(e.cast(isInside, x.type().getElementType()), {4, 5}, false);
    count = expandTo(count, dimSizesOf(sum)); // the same for all channels if nothing is shifted
    return e.results({sum / e.maximum(count, 1.0), count});
  }

private:
  /// Positions of points along one dimension of x.
  struct Axis {
    Expression isInside, low, high, fraction;
    /// Interpolates between the elements at `low` and at `high`.
    Expression between(Expression first, Expression second) const {
      return first + (second - first) * fraction;
    }
  };

  Type integer() { return e.getBuilder().getI64Type(); }

  Expression constant(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, integer());
    return e.wrap(e.create<ConstantOp>(type, DenseElementsAttr::get(type, values)));
  }

  Expression quotient(Expression a, Expression b) { return e.wrap(e.create<FloorDivideOp>(a, b)); }

  Expression both(Expression a, Expression b) { return e.wrap(e.create<LogicalAndOp>(a, b)); }

  /// A vector along dimension `axis` of six.
  Expression along(Expression vector, int64_t axis) {
    SmallVector<DimSize> shape(6, DimSize(1));
    shape[axis] = DimSize(vector, 0);
    return reshapeTo(vector, shape);
  }

  /// A coordinate of the boxes, rounded away from zero.
  Expression corner(int64_t i) {
    Expression given = along(dropDim(slice(boxes, 1, i, i + 1), 1), 0);
    Expression size = e.floor(e.abs(given) + 0.5);
    return e.select(given < 0.0, -size, size);
  }

  /// For each of `count` cells the bin of `bins` that contains it, in the precision of the boxes, as in the
  /// kernel.
  Ints binsOf(int64_t count, int64_t bins) {
    Ints out;
    for (int64_t i = 0; i < count; ++i) {
      bool isSingle = !x.type().getElementType().isF64();
      double position =
          isSingle
              ? static_cast<double>(
                    std::floor(static_cast<float>(i) / static_cast<float>(count) * static_cast<float>(bins)))
              : std::floor(static_cast<double>(i) / static_cast<double>(count) * static_cast<double>(bins));
      out.push_back(std::min(static_cast<int64_t>(position), bins - 1));
    }
    return out;
  }

  Expression gather(Expression from, const Ints &indices, int64_t axis) {
    Expression index = constant(indices, {static_cast<int64_t>(indices.size())});
    return e.wrap(e.create<GatherOp>(from, index, Value(), static_cast<uint64_t>(axis)));
  }

  /// trans for each cell: [regions, channels, rows, columns, 1, 1]. Each class has the shift to the right
  /// first.
  Expression moves(int64_t axis, const DimSize &classes) {
    Expression index = e.wrap(classes.getValue(e)), channel = iota(e, channels, integer());
    Expression each = quotient(e.constant(static_cast<double>(channels), integer()), index);
    Expression kinds = e.minimum(quotient(channel, each), index - 1.0) * 2.0 + static_cast<double>(1 - axis);
    Expression moved = e.wrap(e.create<GatherOp>(e.computed(op.getTrans()), kinds, Value(), uint64_t(1)));
    for (int64_t i = 0; i < 2; ++i)
      moved = gather(moved, binsOf(counts[i], op.getPartSize()[i]), 2 + i);
    return insertDim(insertDim(moved, 4), 5);
  }

  Axis axisOf(int64_t axis, const DimSize &classes) {
    Type element = x.type().getElementType();
    double scale = static_cast<float>(op.getSpatialScale().convertToDouble());
    Expression start = corner(1 - axis) * scale - 0.5, end = (corner(3 - axis) + 1.0) * scale - 0.5;
    Expression dimSize = e.maximum(end - start, 0.1);
    Expression cell = dimSize / static_cast<double>(counts[axis]);
    auto indices = [&](int64_t count, int64_t dimension) {
      return along(e.cast(iota(e, count, integer()), element), dimension);
    };
    Expression position = indices(counts[axis], 2 + axis) * cell + start;
    if (!op.getNoTrans())
      position = position + moves(axis, classes) *
                                (dimSize * double(static_cast<float>(op.getTransStd().convertToDouble())));
    position = position + indices(samples, 4 + axis) * (cell / static_cast<double>(samples));
    Expression last = e.cast(e.wrap(DimSize(x, 2 + axis).getValue(e)), element) - 1.0;
    Expression isInside = both(position >= -0.5, position <= last + 0.5);
    position = e.minimum(e.maximum(position, 0.0), last);
    Expression low = e.floor(position);
    return {isInside, e.cast(low, integer()), e.cast(-e.floor(-position), integer()), position - low};
  }

  /// The index of each cell's plane of x.
  Expression planes() {
    Ints sources;
    llvm::ArrayRef<int64_t> groups = op.getGroupSize();
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < counts[0]; ++i)
        for (int64_t j = 0; j < counts[1]; ++j)
          sources.push_back((c * groups[0] + i * groups[0] / counts[0]) * groups[1] +
                            j * groups[1] / counts[1]);
    Expression images = along(imageIndices(e, e.getBuilder(), op.getBoxes(), op.getBoxesNum()), 0);
    return images * e.wrap(DimSize(x, 1).getValue(e)) +
           constant(sources, {1, channels, counts[0], counts[1], 1, 1});
  }

  Expression at(Expression plane, Expression row, Expression column) {
    Expression position =
        (plane * e.wrap(DimSize(x, 2).getValue(e)) + row) * e.wrap(DimSize(x, 3).getValue(e)) + column;
    Expression flat = reshapeTo(x, {elementsOf(x)});
    Expression taken =
        e.wrap(e.create<GatherOp>(flat, reshapeTo(position, {elementsOf(position)}), Value(), uint64_t(0)));
    return reshapeTo(taken, dimSizesOf(position));
  }

  DeformablePsroiPoolingOp op;
  TensorBuilder e;
  Expression x, boxes;
  int64_t channels;
  int64_t counts[2];
  int64_t samples;
};

} // namespace

Values DeformablePsroiPoolingOp::decompose(OpBuilder &builder) { return MovedCells(builder, *this).build(); }

Values DeformablePsroiPoolingGradOp::decompose(OpBuilder &builder) {
  return gradientOfFormula(
      builder, getLoc(), {getX(), getTrans()}, {getOutGrad(), Value()}, [&](ValueRange in) {
        return DeformablePsroiPoolingOp::create(
                   builder, getLoc(), in[0], getBoxes(), in[1], getBoxesNum(), getNoTransAttr(),
                   getSpatialScaleAttr(), getOutputDimAttr(), getGroupSizeAttr(), getPooledHeightAttr(),
                   getPooledWidthAttr(), getPartSizeAttr(), getSamplePerPartAttr(), getTransStdAttr())
            .getOperation();
      });
}

} // namespace proa::pd
