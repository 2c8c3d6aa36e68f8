#include "dialects/pd/ops/detection/Proposals.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

LogicalResult inferDensityPriorBoxOf(std::optional<Location> location, RankedTensorType input,
                                     RankedTensorType image, llvm::ArrayRef<double> sizes,
                                     llvm::ArrayRef<double> ratios, llvm::ArrayRef<int64_t> densities,
                                     llvm::ArrayRef<double> variances, bool flat, Results &results) {
  if (input.getRank() != 4 || image.getRank() != 4)
    return inferenceError(location, "C1: input and image must have rank 4, found ranks " +
                                        llvm::Twine(input.getRank()) + " and " +
                                        llvm::Twine(image.getRank()));
  bool arePositive = llvm::all_of(densities, [](int64_t density) { return density > 0; });
  if (sizes.size() != densities.size() || !arePositive || sizes.empty() || ratios.empty())
    return inferenceError(
        location, "C2: there must be as many positive densities as fixed_sizes, and fixed_ratios, found " +
                      llvm::Twine(densities.size()) + ", " + llvm::Twine(sizes.size()) + " and " +
                      llvm::Twine(ratios.size()) + " numbers");
  if (variances.size() != 4)
    return inferenceError(location,
                          "C3: variances must hold four numbers, found " + llvm::Twine(variances.size()));
  int64_t boxes = 0;
  for (int64_t density : densities)
    boxes += density * density * static_cast<int64_t>(ratios.size());
  llvm::SmallVector<int64_t> shape{input.getDimSize(2), input.getDimSize(3), boxes, 4};
  bool isKnown = !input.isDynamicDim(2) && !input.isDynamicDim(3);
  if (flat)
    shape = {isKnown ? shape[0] * shape[1] * boxes : ShapedType::kDynamic, 4};
  results.append(2, input.clone(shape));
  return success();
}

Values IouSimilarityOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  double pixel = getBoxNormalized() ? 0.0 : 1.0;
  auto corner = [](Expression boxes, int64_t i, int64_t place) {
    return insertDim(dropDim(slice(boxes, 1, i, i + 1), 1), place);
  };
  Expression x = e.computed(getX()), y = e.computed(getY());
  Expression left = e.maximum(corner(x, 0, 1), corner(y, 0, 0)),
             top = e.maximum(corner(x, 1, 1), corner(y, 1, 0));
  Expression right = e.minimum(corner(x, 2, 1), corner(y, 2, 0)),
             bottom = e.minimum(corner(x, 3, 1), corner(y, 3, 0));
  Expression common = e.maximum(right - left + pixel, 0.0) * e.maximum(bottom - top + pixel, 0.0);
  auto area = [&](Expression boxes, int64_t place) {
    return (corner(boxes, 2, place) - corner(boxes, 0, place) + pixel) *
           (corner(boxes, 3, place) - corner(boxes, 1, place) + pixel);
  };
  return e.results({common / (area(x, 1) + area(y, 0) - common)});
}

namespace {

Expression constantOf(TensorBuilder &e, llvm::ArrayRef<double> values, FloatType element) {
  llvm::SmallVector<llvm::APFloat> elements;
  for (double value : values) {
    llvm::APFloat exact(value);
    bool losesInfo = false;
    exact.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    elements.push_back(exact);
  }
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  return e.wrap(e.create<ConstantOp>(type, DenseElementsAttr::get(type, elements)));
}

/// The boxes around one element: their number in a row, the index along an axis, and half their size.
struct DensityBoxes {
  llvm::SmallVector<double> density, number, half;

  DensityBoxes(DensityPriorBoxOp op, bool isX) {
    for (auto [size, count] : llvm::zip(op.getFixedSizes(), op.getDensities()))
      for (double ratio : op.getFixedRatios())
        for (int64_t i = 0; i < count * count; ++i) {
          density.push_back(static_cast<double>(count));
          number.push_back(static_cast<double>(isX ? i % count : i / count));
          half.push_back((isX ? size * std::sqrt(ratio) : size / std::sqrt(ratio)) / 2);
        }
  }
};

/// density_prior_box as a formula, in float64.
class DensityGrid {
public:
  DensityGrid(TensorBuilder &e, DensityPriorBoxOp op)
      : e(e), op(op), f64(cast<FloatType>(e.getBuilder().getF64Type())), input(e.wrap(op.getInput())),
        image(e.wrap(op.getImage())) {}

  /// [height, width, boxes, 4].
  Expression build() {
    Expression stepX = step(op.getStepW(), 3), stepY = step(op.getStepH(), 2);
    // Steps between the boxes of an element are integers of pixels.
    Expression average = e.floor((stepX + stepY) * 0.5);
    auto [left, right] = ends(stepX, average, 3);
    auto [top, bottom] = ends(stepY, average, 2);
    llvm::SmallVector<DimSize> shape{DimSize(input, 2), DimSize(input, 3), DimSize(left, 2)};
    llvm::SmallVector<Expression> corners;
    for (Expression corner : {left, top, right, bottom})
      corners.push_back(insertDim(expandTo(corner, shape), 3));
    return concat(corners, 3);
  }

private:
  Expression number(Expression x, int64_t axis) { return e.cast(e.wrap(DimSize(x, axis).getValue(e)), f64); }

  Expression step(const llvm::APFloat &given, int64_t axis) {
    if (!op.getStepW().isZero() && !op.getStepH().isZero())
      return e.constant(given.convertToDouble(), f64);
    return number(image, axis) / number(input, axis);
  }

  /// Start and end of boxes along an axis, relative to the image.
  std::pair<Expression, Expression> ends(Expression step, Expression average, int64_t axis) {
    bool isX = axis == 3;
    DensityBoxes boxes(op, isX);
    Expression shift = e.floor(average / constantOf(e, boxes.density, f64));
    Expression place = shift * 0.5 - average * 0.5 + constantOf(e, boxes.number, f64) * shift;
    Expression cells = iota(e, DimSize(input, axis), f64);
    Expression centre = (cells + op.getOffset().convertToDouble()) * step;
    centre = insertDim(insertDim(centre, 1), isX ? 0 : 1) + place; // [1, width, boxes] or [height, 1, boxes]
    Expression half = constantOf(e, boxes.half, f64);
    auto share = [&](Expression x) { return e.minimum(e.maximum(x / number(image, axis), 0.0), 1.0); };
    return {share(centre - half), share(centre + half)};
  }

  TensorBuilder &e;
  DensityPriorBoxOp op;
  FloatType f64;
  Expression input, image;
};

} // namespace

Values DensityPriorBoxOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  auto element = cast<FloatType>(e.computed(getInput()).type().getElementType());
  Expression boxes = e.cast(DensityGrid(e, *this).build(), element),
             variances = expandTo(constantOf(e, getVariances(), element), dimSizesOf(boxes));
  if (getFlattenTo_2d()) {
    boxes = e.reshape(boxes, {-1, 4});
    variances = e.reshape(variances, {-1, 4});
  }
  return e.results({boxes, variances});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/detection/Proposals.cpp.inc"
#include "dialects/pd/ops/detection/Proposals.methods.inc"
#include "dialects/pd/ops/detection/Proposals.scalar.inc"
