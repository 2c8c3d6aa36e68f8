#include "dialects/pd/ops/nn/Deformable.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/Window.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/Extent.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

namespace {
constexpr int64_t unknown = ShapedType::kDynamic;
} // namespace

//===-- Types -------------------------------------------------------------------------------------------===//

LogicalResult inferDeformableConvOf(std::optional<Location> location, const DeformableShape &given,
                                    Results &results) {
  RankedTensorType x = given.x, filter = given.filter;
  bool ranks = x.getRank() == 4 && given.offset.getRank() == 4 && filter.getRank() == 4 &&
               filter.hasStaticShape() && (!given.mask || tensorType(given.mask).getRank() == 4);
  if (!ranks)
    return inferenceError(
        location, "C1: x, offset, mask and filter must have rank 4, and the filter's extents be known");
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

LogicalResult inferHsigmoidLossOf(std::optional<Location> location, RankedTensorType x, RankedTensorType w,
                                  Value label, Value path, Value code, int64_t classes, Results &results) {
  if (x.getRank() != 2 || w.getRank() != 2)
    return inferenceError(location, "C1: x and w must be matrices, found ranks " + llvm::Twine(x.getRank()) +
                                        " and " + llvm::Twine(w.getRank()));
  auto agree = [](int64_t a, int64_t b) { return a == unknown || b == unknown || a == b; };
  auto labels = tensorType(label);
  int64_t samples = x.getDimSize(0);
  bool fits = agree(x.getDimSize(1), w.getDimSize(1)) &&
              (!path || tensorType(path).getRank() != 2 || agree(samples, tensorType(path).getDimSize(0))) &&
              (!labels.hasStaticShape() || agree(samples, labels.getNumElements()));
  if (!fits)
    return inferenceError(
        location,
        "C1: x must be [N, D], w [nodes, D], path and code [N, length] and label must have N elements");
  if (!path && classes < 2)
    return inferenceError(location, "C2: num_classes must be 2 or more, found " + llvm::Twine(classes));
  bool paths =
      !path || (code && tensorType(path).getRank() == 2 &&
                succeeded(verifyCompatibleShape(tensorType(path).getShape(), tensorType(code).getShape())));
  if (!paths)
    return inferenceError(location, "C3: path and code must be matrices of one shape");
  results.push_back(x.clone({x.getDimSize(0), 1}));
  results.push_back(x.clone({x.getDimSize(0), path ? tensorType(path).getDimSize(1) : pathLength(classes)}));
  return success();
}

FailureOr<int64_t> partialColumns(std::optional<Location> location, ValueRange x, int64_t start,
                                  int64_t length) {
  bool fits = !x.empty() && llvm::all_of(x, [&](Value value) {
    return tensorType(value).getRank() == 2 &&
           succeeded(verifyCompatibleShape(tensorType(value).getShape(), tensorType(x[0]).getShape()));
  });
  if (failed(require(location, fits, "C1: the operands must be matrices of one shape", x)))
    return failure();
  int64_t columns = tensorType(x[0]).getDimSize(1);
  if (columns == unknown)
    return length < 0 ? unknown : length;
  int64_t from = start < 0 ? start + columns : start, count = length < 0 ? columns - from : length;
  if (from < 0 || count <= 0 || from + count > columns)
    return inferenceError(location, "C2: the matrices have " + llvm::Twine(columns) +
                                        " columns, found start_index " + llvm::Twine(start) + " and length " +
                                        llvm::Twine(length));
  return count;
}

//===-- deformable_conv ---------------------------------------------------------------------------------===//

namespace {

/// The numbers begin, begin + step, ... as floats, along the first of `rank` dimensions.
Expression steps(TensorBuilder &e, const Extent &count, double begin, double step, Type element,
                 int64_t rank) {
  llvm::SmallVector<Extent> shape(rank, Extent(1));
  shape.front() = count;
  return reshapeTo(iota(e, count, element) * step + begin, shape);
}

/// The elements of x that a deformable convolution reads.
class Sampling {
public:
  /// x as [N, deformable groups, channels of a group, H * W].
  Sampling(Expression x, int64_t channels, int64_t groups) : height(x, 2), width(x, 3), planes(x) {
    planes = reshapeTo(
        x, {Extent(x, 0), Extent(groups), Extent(channels / groups), multiply(x.owner(), height, width)});
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
    auto number = [&](const Extent &extent) {
      return e.cast(e.wrap(extent.getValue(e)), y.type().getElementType());
    };
    auto limit = [&](Expression place, const Extent &extent) {
      return e.minimum(e.maximum(place, 0.0), number(extent) - 1.0);
    };
    Expression row = limit(y, height), column = limit(x, width);
    Expression isInside =
        e.wrap(e.create<LogicalAndOp>(e.create<EqualOp>(row, y), e.create<EqualOp>(column, x)));
    Expression place = insertDim(e.cast(row * number(width) + column, e.getBuilder().getI64Type()), 2);
    Expression taken = e.wrap(e.create<TakeAlongAxisOp>(planes, place, uint64_t(3)));
    return taken * insertDim(e.select(isInside, weight, 0.0), 2);
  }

  Extent height, width;
  Expression planes;
};

} // namespace

Values DeformableConvOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), filter = e.computed(getFilter()), given = e.computed(getOffset());
  RankedTensorType out = tensorType(getOut());
  // There is one offset for each element of the result.
  auto extent = [&](int64_t axis) {
    return out.isDynamicDim(axis) ? Extent(given, axis) : Extent(out.getDimSize(axis));
  };
  Extent images(x, 0), rows = extent(2), columns = extent(3);
  Type element = x.type().getElementType();
  int64_t kernelHeight = filter.type().getDimSize(2), kernelWidth = filter.type().getDimSize(3);
  int64_t kernel = kernelHeight * kernelWidth, parts = getDeformableGroups(), groups = getGroups(),
          filters = filter.type().getDimSize(0), channels = filter.type().getDimSize(1) * groups;
  // Positions as [N, parts, kernel height, kernel width, rows, columns].
  Expression offset = reshapeTo(
      given, {images, Extent(parts), Extent(kernelHeight), Extent(kernelWidth), Extent(2), rows, columns});
  auto moved = [&](int64_t i) { return dropDim(slice(offset, 4, i, i + 1), 4); };
  auto places = [&](size_t i, const Extent &count, int64_t extent) {
    auto last = 2 - static_cast<int64_t>(i);
    return moved(static_cast<int64_t>(i)) +
           steps(e, count, -double(getPaddings()[i]), double(getStrides()[i]), element, last) +
           steps(e, Extent(extent), 0, double(getDilations()[i]), element, last + 2);
  };
  Expression y = places(0, rows, kernelHeight), left = places(1, columns, kernelWidth);
  Extent elements = multiply(e, rows, columns), count = multiply(e, Extent(kernel), elements);
  llvm::SmallVector<Extent> flat{images, Extent(parts), count};
  Expression values = Sampling(x, channels, parts).at(reshapeTo(y, flat), reshapeTo(left, flat));
  if (getMask())
    values = values * reshapeTo(e.computed(getMask()), {images, Extent(parts), Extent(1), count});
  Expression windows =
      reshapeTo(values, {images, Extent(groups), Extent(channels / groups * kernel), elements});
  Expression weights = e.reshape(filter, {1, groups, filters / groups, channels / groups * kernel});
  return e.results({reshapeTo(e.matmul(weights, windows), {images, Extent(filters), rows, columns})});
}

//===-- hsigmoid_loss -----------------------------------------------------------------------------------===//

namespace {

struct TreePath {
  Expression nodes, bits; ///< [N, length], nodes below 0 after the end
};

TreePath defaultPath(TensorBuilder &e, Value label, int64_t classes) {
  Type i64 = e.getBuilder().getI64Type();
  int64_t length = pathLength(classes);
  llvm::SmallVector<int64_t> powers;
  for (int64_t i = 0; i < length; ++i)
    powers.push_back(int64_t(1) << i);
  auto type = RankedTensorType::get({length}, i64);
  Expression scale =
      e.wrap(e.create<ConstantOp>(type, DenseElementsAttr::get(type, llvm::ArrayRef<int64_t>(powers))));
  Expression leaf = e.reshape(asInts(e.wrap(label)), {-1, 1}) + double(classes), two = e.constant(2, i64);
  Expression shifted = e.wrap(e.create<FloorDivideOp>(leaf, scale));
  return {e.wrap(e.create<FloorDivideOp>(shifted, two)) - 1.0, e.wrap(e.create<RemainderOp>(shifted, two))};
}

} // namespace

Values HsigmoidLossOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), w = e.computed(getW());
  Type element = x.type().getElementType();
  TreePath path = getPath() ? TreePath{asInts(e.wrap(getPath())), asInts(e.wrap(getCode()))}
                            : defaultPath(e, getLabel(), getNumClasses());
  Expression isOnPath = path.nodes >= 0.0, nodes = e.maximum(path.nodes, 0.0);
  Expression v = dropDim(e.sum(insertDim(x, 1) * gatherRows(w, nodes), {2}), 2);
  if (getBias())
    v = v + gatherRows(e.reshape(e.computed(getBias()), {-1}), nodes);
  v = e.minimum(e.maximum(e.select(isOnPath, v, 0.0), -40.0), 40.0);
  Expression softplus = e.log1p(e.exp(v));
  Expression bits = e.select(isOnPath, e.cast(path.bits, element), 0.0);
  return e.results({e.sum(softplus - bits * v, {1}), softplus});
}

//===-- Small layers ------------------------------------------------------------------------------------===//

namespace {

/// The selected columns of each matrix.
llvm::SmallVector<Expression> chosenColumns(TensorBuilder &e, ValueRange x, int64_t start, int64_t length) {
  llvm::SmallVector<Expression> parts;
  for (Value value : x) {
    Expression matrix = e.wrap(value);
    int64_t columns = matrix.type().getDimSize(1),
            from = start < 0 && columns != unknown ? start + columns : start;
    parts.push_back(slice(matrix, 1, from, length < 0 ? toTheEnd : from + length));
  }
  return parts;
}

} // namespace

Values PartialConcatOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return e.results({concat(chosenColumns(e, getX(), getStartIndex(), getLength()), 1)});
}

Values PartialSumOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<Expression> parts = chosenColumns(e, getX(), getStartIndex(), getLength());
  Expression sum = e.computed(parts.front());
  for (Expression part : llvm::drop_begin(parts))
    sum = sum + e.computed(part);
  return e.results({sum});
}

Values FspOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  auto rows = [&](Value value) {
    Expression x = e.computed(value);
    llvm::SmallVector<Extent> shape = extentsOf(x);
    return reshapeTo(x, {shape[0], shape[1], multiply(e, shape[2], shape[3])});
  };
  Expression x = rows(getX());
  return e.results({e.matmul(x, rows(getY()), false, true) / e.countAlong(x, {2})});
}

Values CvmOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), rest = slice(x, 1, 2, toTheEnd);
  if (!getUseCvm())
    return e.results({rest});
  Expression shows = e.log(slice(x, 1, 0, 1) + 1.0), clicks = e.log(slice(x, 1, 1, 2) + 1.0);
  return e.results({concat({shows, clicks - shows, rest}, 1)});
}

FailureOr<llvm::SmallVector<Value>> CvmOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), cotangent = e.computed(cotangents[0]);
  Expression rest = getUseCvm() ? slice(cotangent, 1, 2, toTheEnd) : cotangent;
  auto columns = [&](Expression first) {
    llvm::SmallVector<Value> gradients(getOperation()->getNumOperands());
    gradients[0] = e.gradient(concat({first, rest}, 1), getX());
    return gradients;
  };
  if (getCvm())
    return columns(e.computed(getCvm()));
  Expression first = slice(x, 1, 0, 2);
  if (!getUseCvm())
    return columns(first * 0.0);
  Expression shows = slice(cotangent, 1, 0, 1), clicks = slice(cotangent, 1, 1, 2);
  return columns(concat({shows - clicks, clicks}, 1) / (first + 1.0));
}

FailureOr<llvm::SmallVector<Value>> DataNormOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), scales = e.computed(getScales()), centred = x - e.computed(getMeans());
  llvm::SmallVector<Value> gradients;
  Expression rows = e.countAlong(x, {0});
  Expression count = e.computed(getBatchSize()) * 0.0 + rows;
  auto sum = [&](Expression v) { return e.sum(v, {0}, false); };
  Expression dout = cotangents[0] ? e.computed(cotangents[0]) : x * 0.0;
  Expression dnormalized = getScaleW() ? dout * e.computed(getScaleW()) : dout;
  gradients.push_back(e.gradient(dnormalized * scales, getX()));
  gradients.push_back(e.gradient(count, getBatchSize()));
  gradients.push_back(e.gradient(sum(x), getBatchSum()));
  gradients.push_back(
      e.gradient(sum(centred * centred) + count * getEpsilon().convertToDouble(), getBatchSquareSum()));
  if (getScaleW())
    gradients.push_back(e.gradient(sum(dout * centred * scales), getScaleW()));
  if (getBias())
    gradients.push_back(e.gradient(sum(dout), getBias()));
  return gradients;
}

Values DataNormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression size = e.computed(getBatchSize());
  Expression means = e.computed(getBatchSum()) / size,
             scales = e.sqrt(size / e.computed(getBatchSquareSum()));
  Expression out = (e.computed(getX()) - means) * scales;
  if (getScaleW())
    out = out * e.computed(getScaleW());
  if (getBias())
    out = out + e.computed(getBias());
  return e.results({out, means, scales});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Deformable.cpp.inc"
#include "dialects/pd/ops/nn/Deformable.methods.inc"
#include "dialects/pd/ops/nn/Deformable.scalar.inc"
