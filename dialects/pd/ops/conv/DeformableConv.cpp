#include "dialects/pd/ops/conv/DeformableConv.h"
#include "dialects/pd/ops/conv/Window.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

LogicalResult inferDeformableConvOf(std::optional<Location> location, const DeformableShape &given,
                                    Results &results) {
  RankedTensorType x = given.x, filter = given.filter;
  bool ranks = x.getRank() == 4 && given.offset.getRank() == 4 && filter.getRank() == 4 &&
               filter.hasStaticShape() && (!given.mask || tensorType(given.mask).getRank() == 4);
  if (!ranks)
    return inferenceError(location,
                          "C1: x, offset, mask and filter must have rank 4, and the filter's dims be known");
  if (given.strides.size() != 2 || given.paddings.size() != 2 || given.dilations.size() != 2)
    return inferenceError(location, "C2: strides, paddings and dilations must be pairs");
  bool dividesFilters =
      given.groups > 0 && given.deformableGroups > 0 && filter.getDimSize(0) % given.groups == 0;
  if (!dividesFilters)
    return inferenceError(location, "C3: groups and deformable_groups must be positive, and groups divide " +
                                        llvm::Twine(filter.getDimSize(0)) + ", found " +
                                        llvm::Twine(given.groups) + " and " +
                                        llvm::Twine(given.deformableGroups));
  Window window{2,
                llvm::SmallVector<int64_t>(filter.getShape().drop_front(2)),
                llvm::SmallVector<int64_t>(given.strides),
                {given.paddings[0], given.paddings[0], given.paddings[1], given.paddings[1]},
                llvm::SmallVector<int64_t>(given.dilations)};
  if (failed(checkWindow(location, window, "C2")))
    return failure();
  auto counts = windowCounts(location, window, x.getShape().drop_front(2), false, "C4");
  if (failed(counts))
    return failure();
  results.push_back(x.clone({x.getDimSize(0), filter.getDimSize(0), (*counts)[0], (*counts)[1]}));
  return success();
}

namespace {

/// The numbers begin, begin + step, ... as floats, along the first of `rank` dimensions.
Expression steps(TensorBuilder &e, const DimSize &count, double begin, double step, Type element,
                 int64_t rank) {
  llvm::SmallVector<DimSize> shape(rank, DimSize(1));
  shape.front() = count;
  return reshapeTo(iota(e, count, element) * step + begin, shape);
}

/// The elements of x that a deformable convolution reads.
class Sampling {
public:
  /// x as [N, deformable groups, channels of a group, H * W].
  Sampling(Expression x, int64_t channels, int64_t groups) : height(x, 2), width(x, 3), planes(x) {
    planes = reshapeTo(
        x, {DimSize(x, 0), DimSize(groups), DimSize(channels / groups), multiply(x.owner(), height, width)});
  }

  /// The values of x, interpolated at the positions [N, groups, count]: [N, groups, channels of a group,
  /// count].
  Expression at(Expression y, Expression x) const {
    TensorBuilder &e = y.owner();
    Expression top = e.floor(y), left = e.floor(x), down = y - top, right = x - left;
    return corner(top, left, (1.0 - down) * (1.0 - right)) + corner(top, left + 1.0, (1.0 - down) * right) +
           corner(top + 1.0, left, down * (1.0 - right)) + corner(top + 1.0, left + 1.0, down * right);
  }

private:
  Expression corner(Expression y, Expression x, Expression weight) const {
    TensorBuilder &e = y.owner();
    auto asExpression = [&](const DimSize &dimSize) {
      return e.cast(e.wrap(dimSize.getValue(e)), y.type().getElementType());
    };
    auto limit = [&](Expression position, const DimSize &dimSize) {
      return e.minimum(e.maximum(position, 0.0), asExpression(dimSize) - 1.0);
    };
    Expression row = limit(y, height), column = limit(x, width);
    Expression isInside =
        e.wrap(e.create<LogicalAndOp>(e.create<EqualOp>(row, y), e.create<EqualOp>(column, x)));
    Expression position =
        insertDim(e.cast(row * asExpression(width) + column, e.getBuilder().getI64Type()), 2);
    Expression taken = e.wrap(e.create<TakeAlongAxisOp>(planes, position, uint64_t(3)));
    return taken * insertDim(e.select(isInside, weight, 0.0), 2);
  }

  DimSize height, width;
  Expression planes;
};

} // namespace

Values DeformableConvOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), filter = e.computed(getFilter()), given = e.computed(getOffset());
  RankedTensorType out = tensorType(getOut());
  // There is one offset for each element of the result.
  auto dimSize = [&](int64_t axis) {
    return out.isDynamicDim(axis) ? DimSize(given, axis) : DimSize(out.getDimSize(axis));
  };
  DimSize images(x, 0), rows = dimSize(2), columns = dimSize(3);
  Type element = x.type().getElementType();
  int64_t kernelHeight = filter.type().getDimSize(2), kernelWidth = filter.type().getDimSize(3);
  int64_t kernel = kernelHeight * kernelWidth, offsetGroups = getDeformableGroups(), groups = getGroups(),
          filters = filter.type().getDimSize(0), channels = filter.type().getDimSize(1) * groups;
  // Positions as [N, offsetGroups, kernel height, kernel width, rows, columns].
  Expression offset = reshapeTo(given, {images, DimSize(offsetGroups), DimSize(kernelHeight),
                                        DimSize(kernelWidth), DimSize(2), rows, columns});
  auto moved = [&](int64_t i) { return dropDim(slice(offset, 4, i, i + 1), 4); };
  auto positions = [&](size_t i, const DimSize &count, int64_t dimSize) {
    auto last = 2 - static_cast<int64_t>(i);
    return moved(static_cast<int64_t>(i)) +
           steps(e, count, -double(getPaddings()[i]), double(getStrides()[i]), element, last) +
           steps(e, DimSize(dimSize), 0, double(getDilations()[i]), element, last + 2);
  };
  Expression y = positions(0, rows, kernelHeight), left = positions(1, columns, kernelWidth);
  DimSize elements = multiply(e, rows, columns), count = multiply(e, DimSize(kernel), elements);
  llvm::SmallVector<DimSize> flat{images, DimSize(offsetGroups), count};
  Expression values = Sampling(x, channels, offsetGroups).at(reshapeTo(y, flat), reshapeTo(left, flat));
  if (getMask())
    values = values * reshapeTo(e.computed(getMask()), {images, DimSize(offsetGroups), DimSize(1), count});
  Expression windows =
      reshapeTo(values, {images, DimSize(groups), DimSize(channels / groups * kernel), elements});
  Expression weights = e.reshape(filter, {1, groups, filters / groups, channels / groups * kernel});
  return e.results({reshapeTo(e.matmul(weights, windows), {images, DimSize(filters), rows, columns})});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/conv/DeformableConv.cpp.inc"
#include "dialects/pd/ops/conv/DeformableConv.methods.inc"
#include "dialects/pd/ops/conv/DeformableConv.scalar.inc"
