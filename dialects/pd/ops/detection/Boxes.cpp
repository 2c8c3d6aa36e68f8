#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/detection/BoxesOps.h"
#include "dialects/pd/ops/detection/Detection.h"
#include "dialects/pd/ops/loss/LogSpace.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

namespace {

LogicalResult typesError(std::optional<Location> location, llvm::StringRef message,
                         llvm::ArrayRef<Type> types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << message << ", found ";
  llvm::interleave(types, os, " and ");
  return inferenceError(location, text);
}

bool arePositive(llvm::ArrayRef<double> values) {
  return llvm::all_of(values, [](double value) { return value > 0; });
}

/// 1, the given ratios and their inverses, without repetitions.
llvm::SmallVector<double> expandedRatios(llvm::ArrayRef<double> given, bool flip) {
  llvm::SmallVector<double> ratios{1.0};
  for (double ratio : given) {
    if (llvm::any_of(ratios, [&](double known) { return std::abs(known - ratio) < 1e-6; }))
      continue;
    ratios.push_back(ratio);
    if (flip)
      ratios.push_back(1.0 / ratio);
  }
  return ratios;
}

/// Half of the size of boxes.
struct HalfSizes {
  llvm::SmallVector<double> widths, heights;
  void add(double width, double height) {
    widths.push_back(width);
    heights.push_back(height);
  }
};

HalfSizes priorSizes(PriorBoxOp op) {
  HalfSizes out;
  llvm::SmallVector<double> ratios = expandedRatios(op.getAspectRatios(), op.getFlip());
  for (auto [i, size] : llvm::enumerate(op.getMinSizes())) {
    auto addGreater = [&, i = i, size = size] {
      if (i < op.getMaxSizes().size())
        out.add(std::sqrt(size * op.getMaxSizes()[i]) / 2, std::sqrt(size * op.getMaxSizes()[i]) / 2);
    };
    if (op.getMinMaxAspectRatiosOrder()) {
      out.add(size / 2, size / 2);
      addGreater();
    }
    for (double ratio : ratios)
      if (!op.getMinMaxAspectRatiosOrder() || std::abs(ratio - 1.0) >= 1e-6)
        out.add(size * std::sqrt(ratio) / 2, size / std::sqrt(ratio) / 2);
    if (!op.getMinMaxAspectRatiosOrder())
      addGreater();
  }
  return out;
}

HalfSizes anchorSizes(AnchorGeneratorOp op) {
  HalfSizes out;
  double strideX = op.getStride()[0], strideY = op.getStride()[1];
  for (double ratio : op.getAspectRatios())
    for (double size : op.getAnchorSizes()) {
      double width = std::round(std::sqrt(strideX * strideY / ratio)), height = std::round(width * ratio);
      out.add((size / strideX * width - 1) / 2, (size / strideY * height - 1) / 2);
    }
  return out;
}

Expression vectorOf(TensorBuilder &e, llvm::ArrayRef<double> values, Type element) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  llvm::SmallVector<Attribute> attributes;
  for (double value : values)
    attributes.push_back(FloatAttr::get(element, value));
  return e.wrap(e.create<ConstantOp>(type, DenseElementsAttr::get(type, attributes)));
}

/// Indices along a dimension of a feature map.
Expression positionsOf(Expression map, int64_t axis, Type element) {
  TensorBuilder &e = map.owner();
  return e.cast(iota(e, DimSize(map, axis), e.getBuilder().getI64Type()), element);
}

/// Corners [H, W, boxes, 4] of boxes around centers x [W] and y [H].
Expression cornersAround(Expression map, Expression x, Expression y, const HalfSizes &halves) {
  TensorBuilder &e = map.owner();
  Type element = x.type().getElementType();
  Expression widths = vectorOf(e, halves.widths, element), heights = vectorOf(e, halves.heights, element);
  auto count = static_cast<int64_t>(halves.widths.size());
  llvm::SmallVector<DimSize> box{DimSize(map, 2), DimSize(map, 3), count};
  Expression column = e.reshape(x, {1, -1, 1}), row = e.reshape(y, {-1, 1, 1});
  llvm::SmallVector<Expression> corners;
  for (Expression corner : {column - widths, row - heights, column + widths, row + heights})
    corners.push_back(insertDim(expandTo(corner, box), 3));
  return concat(corners, 3);
}

/// Center and size of boxes whose corners are the last dimension.
struct CentredBox {
  Expression x, y, width, height;
};

CentredBox centred(Expression boxes, double extra) {
  int64_t last = boxes.rank() - 1;
  auto corner = [&](int64_t i) { return slice(boxes, last, i, i + 1); };
  Expression width = corner(2) - corner(0) + extra, height = corner(3) - corner(1) + extra;
  return {corner(0) + width * 0.5, corner(1) + height * 0.5, width, height};
}

} // namespace

LogicalResult inferPriorBoxOf(std::optional<Location> location, ValueRange operands,
                              llvm::ArrayRef<double> minSizes, llvm::ArrayRef<double> maxSizes,
                              llvm::ArrayRef<double> variances, int64_t boxes, Results &results) {
  RankedTensorType input = tensorType(operands[0]), image = tensorType(operands[1]);
  if (input.getRank() != 4 || image.getRank() != 4)
    return typesError(location, "C1: input and image must have rank 4", {input, image});
  if (minSizes.empty() || !arePositive(minSizes) || !arePositive(maxSizes) ||
      (!maxSizes.empty() && maxSizes.size() != minSizes.size()))
    return inferenceError(location,
                          "C2: min_sizes must hold positive numbers and max_sizes as many or none, found " +
                              llvm::Twine(minSizes.size()) + " and " + llvm::Twine(maxSizes.size()));
  if (variances.size() != 4)
    return inferenceError(location,
                          "C3: variances must hold four numbers, found " + llvm::Twine(variances.size()));
  auto type =
      RankedTensorType::get({input.getDimSize(2), input.getDimSize(3), boxes, 4}, input.getElementType());
  results.append({type, type});
  return success();
}

int64_t priorCount(llvm::ArrayRef<double> minSizes, llvm::ArrayRef<double> maxSizes,
                   llvm::ArrayRef<double> ratios, bool flip) {
  return static_cast<int64_t>(expandedRatios(ratios, flip).size() * minSizes.size() + maxSizes.size());
}

LogicalResult inferAnchorGeneratorOf(std::optional<Location> location, RankedTensorType input,
                                     llvm::ArrayRef<double> sizes, llvm::ArrayRef<double> ratios,
                                     llvm::ArrayRef<double> strides, llvm::ArrayRef<double> variances,
                                     Results &results) {
  if (input.getRank() != 4)
    return typesError(location, "C1: input must have rank 4", {input});
  if (sizes.empty() || ratios.empty() || strides.size() != 2 || !arePositive(sizes) || !arePositive(ratios) ||
      !arePositive(strides))
    return inferenceError(
        location, "C2: anchor_sizes and aspect_ratios must hold positive numbers and stride two, found " +
                      llvm::Twine(sizes.size()) + ", " + llvm::Twine(ratios.size()) + " and " +
                      llvm::Twine(strides.size()) + " numbers");
  if (variances.size() != 4)
    return inferenceError(location,
                          "C3: variances must hold four numbers, found " + llvm::Twine(variances.size()));
  auto count = static_cast<int64_t>(sizes.size() * ratios.size());
  auto type =
      RankedTensorType::get({input.getDimSize(2), input.getDimSize(3), count, 4}, input.getElementType());
  results.append({type, type});
  return success();
}

LogicalResult inferBoxCoderOf(std::optional<Location> location, const BoxCoderShape &given,
                              Results &results) {
  RankedTensorType prior = given.prior, target = given.target;
  bool isPriorGood =
      prior.getRank() == 2 && succeeded(verifyCompatibleShape(prior.getShape().drop_front(), {4})) &&
      (!given.variances ||
       succeeded(verifyCompatibleShape(tensorType(given.variances).getShape(), prior.getShape())));
  if (!isPriorGood)
    return typesError(location, "C1: prior_box must be [M, 4], and so must be prior_box_var", {prior});
  bool isEncoding = given.codeType == BoxCodeType::Encode;
  if (given.axis != 0 && given.axis != 1)
    return inferenceError(location, "C5: axis must be 0 or 1, found " + llvm::Twine(given.axis));
  int64_t count = prior.getDimSize(0);
  llvm::SmallVector<int64_t> expectedDims{ShapedType::kDynamic, 4};
  if (!isEncoding)
    expectedDims.insert(expectedDims.begin() + (given.axis == 0 ? 1 : 0), count);
  if (failed(verifyCompatibleShape(target.getShape(), expectedDims)))
    return typesError(location,
                      "C3: target_box must be [N, 4] to encode and have a box for each prior box to decode",
                      {prior, target});
  if (!given.variance.empty() && given.variance.size() != 4)
    return inferenceError(location, "C4: variance must hold four numbers or none, found " +
                                        llvm::Twine(given.variance.size()));
  results.push_back(
      isEncoding ? RankedTensorType::get({target.getDimSize(0), count, 4}, target.getElementType()) : target);
  return success();
}

LogicalResult checkBoxClip(std::optional<Location> location, RankedTensorType input, RankedTensorType info,
                           Value offsets) {
  bool isValid = input.getRank() > 0 &&
                 (ShapedType::isDynamic(input.getShape().back()) || input.getShape().back() % 4 == 0);
  if (!isValid)
    return typesError(location, "C1: the last dimension of input must be a multiple of 4", {input});
  if (failed(verifyCompatibleShape(info.getShape(), {offsets ? ShapedType::kDynamic : 1, 3})))
    return typesError(location, "C2: im_info must be [images, 3], without offsets [1, 3]", {info});
  return success();
}

LogicalResult checkPolygonInput(std::optional<Location> location, RankedTensorType input) {
  return input.getRank() == 4 ? success() : typesError(location, "C1: input must have rank 4", {input});
}

LogicalResult inferRoiOf(std::optional<Location> location, RankedTensorType x, RankedTensorType boxes,
                         int64_t height, int64_t width, Results &results) {
  if (x.getRank() != 4 || boxes.getRank() != 2 ||
      failed(verifyCompatibleShape(boxes.getShape().drop_front(), {4})))
    return typesError(location, "C1: x must have rank 4 and boxes be [R, 4]", {x, boxes});
  if (x.getElementType() != boxes.getElementType())
    return typesError(location, "C2: x and boxes must have one element type", {x, boxes});
  if (height <= 0 || width <= 0)
    return inferenceError(location, "C3: pooled_height and pooled_width must be positive, found " +
                                        llvm::Twine(height) + " and " + llvm::Twine(width));
  results.push_back(
      RankedTensorType::get({boxes.getDimSize(0), x.getDimSize(1), height, width}, x.getElementType()));
  return success();
}

FailureOr<SmallVector<Value>> PriorBoxOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression input = e.wrap(getInput()), image = e.wrap(getImage());
  Type element = getElementTypeOrSelf(e.computed(getInput()).type());
  auto imageSize = [&](int64_t axis) { return e.cast(e.wrap(DimSize(image, axis).getValue(e)), element); };
  double stepX = getStepW().convertToDouble(), stepY = getStepH().convertToDouble();
  bool isGiven = stepX != 0 && stepY != 0;
  auto centres = [&](int64_t axis, double step) {
    Expression positions = positionsOf(input, axis, element) + getOffset().convertToDouble();
    if (isGiven)
      return positions * step;
    return positions * (imageSize(axis) / e.cast(e.wrap(DimSize(input, axis).getValue(e)), element));
  };
  Expression corners = cornersAround(input, centres(3, stepX), centres(2, stepY), priorSizes(*this));
  Expression width = e.reshape(imageSize(3), {1}), height = e.reshape(imageSize(2), {1});
  Expression boxes = corners / concat({width, height, width, height}, 0);
  if (getClip())
    boxes = e.minimum(e.maximum(boxes, 0.0), 1.0);
  return e.results({boxes, expandTo(vectorOf(e, getVariances(), element), dimSizesOf(boxes))});
}

FailureOr<SmallVector<Value>> AnchorGeneratorOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression input = e.wrap(getInput());
  Type element = getElementTypeOrSelf(e.computed(getInput()).type());
  auto centres = [&](int64_t axis, double stride) {
    return positionsOf(input, axis, element) * stride + getOffset().convertToDouble() * (stride - 1);
  };
  Expression anchors =
      cornersAround(input, centres(3, getStride()[0]), centres(2, getStride()[1]), anchorSizes(*this));
  return e.results({anchors, expandTo(vectorOf(e, getVariances(), element), dimSizesOf(anchors))});
}

FailureOr<SmallVector<Value>> BoxCoderOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression priorBoxes = e.computed(getPriorBox()), target = e.computed(getTargetBox());
  Type element = target.type().getElementType();
  double extra = getBoxNormalized() ? 0.0 : 1.0;
  bool isEncoding = getCodeType() == BoxCodeType::Encode;
  // Prior boxes are along the second dimension, or for decoding with axis 1 along the first.
  int64_t position = isEncoding || getAxis() == 0 ? 0 : 1;
  CentredBox prior = centred(insertDim(priorBoxes, position), extra);
  Expression variances = e.constant(1, element);
  if (getPriorBoxVar())
    variances = insertDim(e.computed(getPriorBoxVar()), position);
  else if (!getVariance().empty())
    variances = vectorOf(e, getVariance(), element);
  if (isEncoding) {
    // The center of a target is the mean of its corners even if its size counts one more.
    Expression rows = insertDim(target, 1);
    CentredBox box = centred(rows, extra), plain = centred(rows, 0.0);
    Expression offsets =
        concat({(plain.x - prior.x) / prior.width, (plain.y - prior.y) / prior.height,
                e.log(e.abs(box.width / prior.width)), e.log(e.abs(box.height / prior.height))},
               2);
    return e.results({offsets / variances});
  }
  Expression scaled = target * variances;
  auto column = [&](int64_t i) { return slice(scaled, 2, i, i + 1); };
  Expression x = column(0) * prior.width + prior.x, y = column(1) * prior.height + prior.y;
  Expression halfWidth = e.exp(column(2)) * prior.width * 0.5,
             halfHeight = e.exp(column(3)) * prior.height * 0.5;
  return e.results(
      {concat({x - halfWidth, y - halfHeight, x + halfWidth - extra, y + halfHeight - extra}, 2)});
}

FailureOr<SmallVector<Value>> BoxDecoderAndAssignOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression priorBoxes = e.computed(getPriorBox()), scores = e.computed(getBoxScore());
  SmallVector<DimSize> dims = dimSizesOf(scores);
  CentredBox prior = centred(insertDim(priorBoxes, 1), 1.0);
  Expression offsets = reshapeTo(e.computed(getTargetBox()), {dims[0], dims[1], 4}) *
                       reshapeTo(e.computed(getPriorBoxVar()), {4});
  auto column = [&](int64_t i) { return slice(offsets, 2, i, i + 1); };
  auto half = [&](int64_t i, Expression size) {
    return e.exp(e.minimum(column(i), getBoxClip().convertToDouble())) * size * 0.5;
  };
  Expression x = column(0) * prior.width + prior.x, y = column(1) * prior.height + prior.y;
  Expression halfWidth = half(2, prior.width), halfHeight = half(3, prior.height);
  Expression boxes = concat({x - halfWidth, y - halfHeight, x + halfWidth - 1.0, y + halfHeight - 1.0}, 2);
  Expression label = insertDim(iota(e, dims[1], builder.getI64Type()), 0);
  Expression known = e.select(label < 1.0, -1.0, scores);
  Expression best = e.wrap(
      e.create<ArgmaxOp>(known, Value(), int64_t(1), /*keepdims=*/true, /*flatten=*/false, TypeAttr()));
  Expression assigned = dropDim(takeAlong(boxes, insertDim(best, 2), 1), 1);
  return e.results({reshapeTo(boxes, {dims[0], multiply(e, dims[1], 4)}),
                    e.select(e.max(known, {1}) > -1.0, assigned, priorBoxes)});
}

FailureOr<SmallVector<Value>> BoxClipOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression input = e.computed(getInput()), info = e.computed(getImInfo());
  if (getOffsets())
    info = gatherRows(info, rowPositions(input, e.wrap(getOffsets())).sequence);
  else if (tensorType(getImInfo()).getDimSize(0) != 1)
    return notifyDecompositionFailure(builder, *this, "without offsets, im_info must have one row");
  // The limits as [rows or 1, 1, ..., 4]: the limits of the image of each row.
  auto scalar = [&](int64_t i) { return slice(info, 1, i, i + 1); };
  auto greatest = [&](int64_t i) { return e.wrap(e.create<RoundOp>(scalar(i) / scalar(2))) - 1.0; };
  Expression limits = concat({greatest(1), greatest(0), greatest(1), greatest(0)}, 1);
  llvm::SmallVector<DimSize> given = dimSizesOf(input), boxes = given, limitShape(given.size(), DimSize(1));
  boxes.back() = divide(e, given.back(), 4);
  boxes.push_back(4);
  limitShape.push_back(4);
  limitShape[0] = DimSize(limits, 0);
  return e.results(
      {reshapeTo(e.maximum(e.minimum(reshapeTo(input, boxes), reshapeTo(limits, limitShape)), 0.0), given)});
}

FailureOr<SmallVector<Value>> PolygonBoxTransformOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression input = e.computed(getInput());
  Type element = input.type().getElementType(), i64 = builder.getI64Type();
  Expression columns = positionsOf(input, 3, element),
             rows = e.reshape(positionsOf(input, 2, element), {-1, 1});
  Expression channels = e.reshape(iota(e, DimSize(input, 1), i64), {-1, 1, 1});
  Expression parity = e.wrap(e.create<RemainderOp>(channels, e.constant(2, i64)));
  Expression isEven = e.wrap(e.create<EqualOp>(parity, e.constant(0, i64)));
  return e.results({e.select(isEven, columns, rows) * 4.0 - input});
}

//===-- YOLO --------------------------------------------------------------------------------------------===//

LogicalResult inferYoloBoxOf(std::optional<Location> location, RankedTensorType x, RankedTensorType imageSize,
                             llvm::ArrayRef<int64_t> anchors, int64_t classes, bool iouAware,
                             Results &results) {
  if (x.getRank() != 4 ||
      failed(verifyCompatibleShape(imageSize.getShape(), {x.getRank() ? x.getDimSize(0) : 0, 2})))
    return typesError(location, "C1: x must have rank 4, and img_size be [N, 2]", {x, imageSize});
  bool hasPairs = !anchors.empty() && anchors.size() % 2 == 0 &&
                  llvm::all_of(anchors, [](int64_t side) { return side > 0; });
  if (!hasPairs || classes <= 0)
    return inferenceError(location,
                          "C2: anchors must be pairs of positive numbers and class_num positive, found " +
                              llvm::Twine(anchors.size()) + " numbers and class_num " + llvm::Twine(classes));
  auto count = static_cast<int64_t>(anchors.size() / 2);
  int64_t channels = count * (5 + classes + (iouAware ? 1 : 0));
  if (!x.isDynamicDim(1) && x.getDimSize(1) != channels)
    return inferenceError(location, "C3: x must have " + llvm::Twine(channels) + " channels, found " +
                                        llvm::Twine(x.getDimSize(1)));
  bool isKnown = !x.isDynamicDim(2) && !x.isDynamicDim(3);
  int64_t boxes = isKnown ? x.getDimSize(2) * x.getDimSize(3) * count : ShapedType::kDynamic;
  results.push_back(RankedTensorType::get({x.getDimSize(0), boxes, 4}, x.getElementType()));
  results.push_back(RankedTensorType::get({x.getDimSize(0), boxes, classes}, x.getElementType()));
  return success();
}

//===-- Overlap and density prior boxes -----------------------------------------------------------------===//

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
  auto corner = [](Expression boxes, int64_t i, int64_t position) {
    return insertDim(dropDim(slice(boxes, 1, i, i + 1), 1), position);
  };
  Expression x = e.computed(getX()), y = e.computed(getY());
  Expression left = e.maximum(corner(x, 0, 1), corner(y, 0, 0)),
             top = e.maximum(corner(x, 1, 1), corner(y, 1, 0));
  Expression right = e.minimum(corner(x, 2, 1), corner(y, 2, 0)),
             bottom = e.minimum(corner(x, 3, 1), corner(y, 3, 0));
  Expression common = e.maximum(right - left + pixel, 0.0) * e.maximum(bottom - top + pixel, 0.0);
  auto area = [&](Expression boxes, int64_t position) {
    return (corner(boxes, 2, position) - corner(boxes, 0, position) + pixel) *
           (corner(boxes, 3, position) - corner(boxes, 1, position) + pixel);
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
    Expression position = shift * 0.5 - average * 0.5 + constantOf(e, boxes.number, f64) * shift;
    Expression cells = iota(e, DimSize(input, axis), f64);
    Expression centre = (cells + op.getOffset().convertToDouble()) * step;
    centre =
        insertDim(insertDim(centre, 1), isX ? 0 : 1) + position; // [1, width, boxes] or [height, 1, boxes]
    Expression half = constantOf(e, boxes.half, f64);
    Expression first = e.maximum((centre - half) / number(image, axis), 0.0),
               last = e.minimum((centre + half) / number(image, axis), 1.0);
    if (op.getClip())
      return {e.minimum(first, 1.0), e.maximum(last, 0.0)};
    return {first, last};
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
#include "dialects/pd/ops/detection/Boxes.cpp.inc"
#include "dialects/pd/ops/detection/Boxes.methods.inc"
#include "dialects/pd/ops/detection/Boxes.scalar.inc"
