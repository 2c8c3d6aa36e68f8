#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/image/GridOps.h"
#include "dialects/pd/ops/image/Image.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

LogicalResult inferGridSampleOf(std::optional<Location> location, RankedTensorType x, RankedTensorType grid,
                                Results &results) {
  int64_t rank = x.getRank();
  if ((rank != 4 && rank != 5) || grid.getRank() != rank)
    return inferenceError(location, "C1: x must have rank 4 or 5 and grid the same, found ranks " +
                                        llvm::Twine(rank) + " and " + llvm::Twine(grid.getRank()));
  bool isValid = succeeded(verifyCompatibleShape(grid.getShape().take_front(), x.getShape().take_front())) &&
                 succeeded(verifyCompatibleShape(grid.getShape().take_back(), {rank - 2}));
  std::string types;
  llvm::raw_string_ostream(types) << "found " << x << " and " << grid;
  if (!isValid)
    return inferenceError(location, "C2: grid must have the batch of x and " + llvm::Twine(rank - 2) +
                                        " numbers at the end, " + types);
  if (x.getElementType() != grid.getElementType())
    return inferenceError(location, "C3: x and grid must have one element type, " + types);
  llvm::SmallVector<int64_t> shape(x.getShape().take_front(2));
  llvm::append_range(shape, grid.getShape().drop_front().drop_back());
  results.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult inferAffineGridOf(std::optional<Location> location, RankedTensorType input, Value shapeTensor,
                                llvm::ArrayRef<int64_t> shape, Results &results) {
  bool isPlane =
      input.getRank() == 3 && succeeded(verifyCompatibleShape(input.getShape().drop_front(), {2, 3}));
  bool isSpace =
      input.getRank() == 3 && succeeded(verifyCompatibleShape(input.getShape().drop_front(), {3, 4}));
  if (!isPlane && !isSpace) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: input must be [N, 2, 3] or [N, 3, 4], found " << input;
    return inferenceError(location, text);
  }
  size_t rank = isPlane ? 4 : 5;
  llvm::SmallVector<int64_t> image(shape);
  if (shapeTensor) {
    auto known = knownElements(shapeTensor);
    image = succeeded(known) ? *known : llvm::SmallVector<int64_t>(rank, ShapedType::kDynamic);
  }
  if (image.size() != rank)
    return inferenceError(location, "C2: output_shape must have " + llvm::Twine(rank) + " numbers, found " +
                                        llvm::Twine(image.size()));
  llvm::SmallVector<int64_t> out{input.getDimSize(0)};
  for (int64_t dimSize : llvm::ArrayRef<int64_t>(image).drop_front(2))
    out.push_back(dimSize < 0 ? ShapedType::kDynamic : dimSize);
  out.push_back(static_cast<int64_t>(rank) - 2);
  results.push_back(RankedTensorType::get(out, input.getElementType()));
  return success();
}

namespace {

/// Reads x, flattened to [N, C, elements], at grid positions, flattened to [N, 1, points].
class GridSampler {
public:
  GridSampler(GridSampleOp op, OpBuilder &builder) : op(op), e(builder, op) {}

  SmallVector<Value> run() {
    Expression x = e.computed(op.getX()), grid = e.computed(op.getGrid());
    element = x.type().getElementType();
    llvm::SmallVector<DimSize> xs = dimSizesOf(x), gs = dimSizesOf(grid);
    llvm::ArrayRef<DimSize> points = llvm::ArrayRef<DimSize>(gs).drop_front().drop_back();
    dimSizes = llvm::to_vector(llvm::ArrayRef<DimSize>(xs).drop_front(2));
    DimSize pointCount = 1, elementCount = 1;
    for (const DimSize &point : points)
      pointCount = multiply(e, pointCount, point);
    for (const DimSize &dimSize : dimSizes)
      elementCount = multiply(e, elementCount, dimSize);
    auto spatial = static_cast<int64_t>(dimSizes.size());
    for (int64_t d = 0; d < spatial; ++d) {
      // The coordinates of the grid are in the reverse order of the dimensions.
      Expression values = slice(grid, spatial + 1, spatial - 1 - d, spatial - d);
      positions.push_back(padded(unnormalized(reshapeTo(values, {gs[0], 1, pointCount}), d), d));
    }
    flat = reshapeTo(x, {xs[0], xs[1], elementCount}).operator Value();
    llvm::SmallVector<DimSize> out{xs[0], xs[1]};
    llvm::append_range(out, points);
    return e.results({reshapeTo(op.getMode() == GridSampleMode::Nearest ? nearest() : interpolated(), out)});
  }

private:
  Expression dimSize(int64_t d) { return e.cast(e.wrap(dimSizes[d].getValue(e)), element); }

  /// From -1..1 to element positions.
  Expression unnormalized(Expression g, int64_t d) {
    return op.getAlignCorners() ? (g + 1.0) * 0.5 * (dimSize(d) - 1.0) : ((g + 1.0) * dimSize(d) - 1.0) * 0.5;
  }

  Expression clipped(Expression p, int64_t d) { return e.minimum(e.maximum(p, 0.0), dimSize(d) - 1.0); }

  Expression padded(Expression p, int64_t d) {
    if (op.getPaddingMode() == GridSamplePadding::Border)
      return clipped(p, d);
    if (op.getPaddingMode() == GridSamplePadding::Zeros)
      return p;
    // Reflection: the distance from the mirror in a period of twice the length.
    bool corners = op.getAlignCorners();
    Expression range = (corners ? dimSize(d) - 1.0 : dimSize(d)) * 2.0;
    Expression distance = e.abs(corners ? p : p + 0.5);
    // One element is its own reflection.
    Expression rest = distance - e.floor(distance / e.maximum(range, 1.0)) * range;
    Expression mirrored = e.minimum(rest, range - rest);
    return clipped(corners ? mirrored : mirrored - 0.5, d);
  }

  Expression elementsAt(llvm::ArrayRef<Expression> whole) { return elementsAt(whole, whole); }

  /// The elements at integer positions; zero if a checked position is outside.
  Expression elementsAt(llvm::ArrayRef<Expression> whole, llvm::ArrayRef<Expression> checked) {
    std::optional<Expression> index, inside;
    for (auto [d, position] : llvm::enumerate(whole)) {
      auto axis = static_cast<int64_t>(d);
      Expression clamped = clipped(position, axis);
      Expression isInside = e.wrap(e.create<EqualOp>(clipped(checked[d], axis), checked[d]));
      inside = inside ? e.wrap(e.create<LogicalAndOp>(*inside, isInside)) : isInside;
      Expression value = e.cast(clamped, e.getBuilder().getI64Type());
      index = index ? *index * e.wrap(dimSizes[d].getValue(e)) + value : value;
    }
    Expression elements = e.wrap(e.create<TakeAlongAxisOp>(flat, *index, uint64_t(2)));
    return e.select(*inside, elements, 0.0);
  }

  Expression nearest() {
    llvm::SmallVector<Expression> whole;
    for (Expression position : positions)
      whole.push_back(e.wrap(e.create<RoundOp>(position)));
    // With three spatial dimensions Paddle checks the position before it is rounded.
    bool inSpace = positions.size() == 3;
    return elementsAt(whole, inSpace ? llvm::ArrayRef(positions) : llvm::ArrayRef(whole));
  }

  /// The sum over the corners of the cell that contains the position.
  Expression interpolated() {
    llvm::SmallVector<Expression> low, weight;
    for (Expression position : positions) {
      low.push_back(e.floor(position));
      weight.push_back(position - low.back());
    }
    std::optional<Expression> total;
    for (size_t corner = 0; corner < (size_t(1) << positions.size()); ++corner) {
      llvm::SmallVector<Expression> whole;
      std::optional<Expression> factor;
      for (size_t d = 0; d < positions.size(); ++d) {
        bool upper = corner >> (positions.size() - 1 - d) & 1;
        whole.push_back(upper ? low[d] + 1.0 : low[d]);
        Expression share = upper ? weight[d] : 1.0 - weight[d];
        factor = factor ? *factor * share : share;
      }
      Expression term = elementsAt(whole) * *factor;
      total = total ? *total + term : term;
    }
    return *total;
  }

  GridSampleOp op;
  TensorBuilder e;
  Type element;
  Value flat;
  llvm::SmallVector<DimSize> dimSizes;
  llvm::SmallVector<Expression> positions;
};

/// -1 to 1 in `count` steps.
Expression positionsAlong(TensorBuilder &e, const DimSize &count, bool alignCorners, Type element) {
  Expression indices = e.cast(iota(e, count, e.getBuilder().getI64Type()), element);
  Expression total = e.cast(e.wrap(count.getValue(e)), element);
  if (!alignCorners)
    return (indices * 2.0 + 1.0) / total - 1.0;
  return indices * 2.0 / e.maximum(total - 1.0, 1.0) - 1.0;
}

} // namespace

FailureOr<SmallVector<Value>> GridSampleOp::decompose(OpBuilder &builder) {
  return GridSampler(*this, builder).run();
}

FailureOr<SmallVector<Value>> AffineGridOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression theta = e.computed(getInput());
  Type element = theta.type().getElementType();
  int64_t spatial = tensorType(getOutput()).getRank() - 2;
  llvm::SmallVector<DimSize> shape;
  for (int64_t d = 0; d < spatial; ++d)
    shape.push_back(getOutputShapeTensor() ? DimSize::element(e.wrap(getOutputShapeTensor()), d + 2)
                                           : DimSize(getOutputShape()[d + 2]));
  // Homogeneous coordinates of each point, x first.
  llvm::SmallVector<DimSize> box(shape);
  box.push_back(1);
  llvm::SmallVector<Expression> coordinates;
  DimSize points = 1;
  for (int64_t d = spatial; d-- > 0;) {
    llvm::SmallVector<int64_t> aligned(spatial - d + 1, 1);
    aligned[0] = -1;
    coordinates.push_back(
        expandTo(e.reshape(positionsAlong(e, shape[d], getAlignCorners(), element), aligned), box));
    points = multiply(e, points, shape[d]);
  }
  coordinates.push_back(expandTo(e.constant(1, element), box));
  Expression all = reshapeTo(concat(coordinates, spatial), {points, spatial + 1});
  Expression moved = e.matmul(all, theta, false, true);
  llvm::SmallVector<DimSize> out{DimSize(theta, 0)};
  llvm::append_range(out, shape);
  out.push_back(spatial);
  return e.results({reshapeTo(moved, out)});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/image/Grid.cpp.inc"
#include "dialects/pd/ops/image/Grid.methods.inc"
#include "dialects/pd/ops/image/Grid.scalar.inc"
