#include "dialects/pd/detection/Proposals.h"
#include "dialects/pd/creation/CreationOps.h"
#include "dialects/pd/shape/Extent.h"
#include "dialects/pd/shape/ShapeOps.h"

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

/// The corners of all boxes of an element, from its centre.
llvm::SmallVector<double> densityCorners(DensityPriorBoxOp op, int64_t stepAverage) {
  llvm::SmallVector<double> corners;
  for (auto [size, density] : llvm::zip(op.getFixedSizes(), op.getDensities()))
    for (double ratio : op.getFixedRatios()) {
      auto shift = static_cast<double>(stepAverage / density);
      double halfWidth = size * std::sqrt(ratio) / 2, halfHeight = size / std::sqrt(ratio) / 2;
      double first = -static_cast<double>(stepAverage) / 2 + shift / 2;
      for (int64_t i = 0; i < density; ++i)
        for (int64_t j = 0; j < density; ++j) {
          double x = first + static_cast<double>(j) * shift, y = first + static_cast<double>(i) * shift;
          corners.append({x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight});
        }
    }
  return corners;
}

Expression constantOf(TensorBuilder &e, llvm::ArrayRef<double> values, llvm::ArrayRef<int64_t> shape,
                      FloatType element) {
  llvm::SmallVector<llvm::APFloat> elements;
  for (double value : values) {
    llvm::APFloat exact(value);
    bool losesInfo = false;
    exact.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    elements.push_back(exact);
  }
  auto type = RankedTensorType::get(shape, element);
  return e.wrap(e.create<ConstantOp>(type, DenseElementsAttr::get(type, elements)));
}

} // namespace

Values DensityPriorBoxOp::decompose(OpBuilder &builder) {
  auto input = tensorType(getInput()), image = tensorType(getImage());
  if (input.isDynamicDim(2) || input.isDynamicDim(3) || image.isDynamicDim(2) || image.isDynamicDim(3))
    return failure();
  TensorBuilder e(builder, getOperation());
  auto element = cast<FloatType>(e.computed(getInput()).type().getElementType());
  auto height = input.getDimSize(2), width = input.getDimSize(3);
  auto imageHeight = static_cast<double>(image.getDimSize(2)),
       imageWidth = static_cast<double>(image.getDimSize(3));
  double stepX = getStepW().convertToDouble(), stepY = getStepH().convertToDouble(),
         offset = getOffset().convertToDouble();
  if (stepX == 0 || stepY == 0) {
    stepX = imageWidth / static_cast<double>(width);
    stepY = imageHeight / static_cast<double>(height);
  }
  llvm::SmallVector<double> corners = densityCorners(*this, static_cast<int64_t>((stepX + stepY) * 0.5));
  auto boxes = static_cast<int64_t>(corners.size() / 4);
  llvm::SmallVector<double> all;
  for (int64_t h = 0; h < height; ++h)
    for (int64_t w = 0; w < width; ++w)
      for (auto [i, corner] : llvm::enumerate(corners)) {
        bool isX = i % 2 == 0;
        double centre =
            isX ? (static_cast<double>(w) + offset) * stepX : (static_cast<double>(h) + offset) * stepY;
        all.push_back(std::clamp((centre + corner) / (isX ? imageWidth : imageHeight), 0.0, 1.0));
      }
  llvm::SmallVector<int64_t> shape{height, width, boxes, 4};
  if (getFlattenTo_2d())
    shape = {height * width * boxes, 4};
  Expression out = constantOf(e, all, shape, element);
  Expression variances = constantOf(e, getVariances(), {4}, element);
  return e.results({out, e.wrap(e.create<ExpandOp>(variances, Value(), llvm::ArrayRef<int64_t>(shape)))});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/detection/Proposals.cpp.inc"
#include "dialects/pd/detection/Proposals.methods.inc"
#include "dialects/pd/detection/Proposals.scalar.inc"
