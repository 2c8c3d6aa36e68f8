//! Hooks of ONNX's Resize and Upsample.
//!
//! Combinations of modes that pd's interpolations have become these. For all others each resized dimension is
//! a sum of gathered slices times weights.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/image/InterpolateOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/KnownElements.h"

#include <cmath>

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

namespace {

/// The attributes of a resizing. Before opset 11 there are none but the mode.
struct ResizeModes {
  std::string mode, transformation, nearest;
  double cubicA = -0.75, extrapolation = 0;
  bool excludesOutside = false, isAntialiased = false;

  bool isHalfPixel() const {
    return transformation == "half_pixel" || transformation == "pytorch_half_pixel";
  }
};

/// A dimension that is resized.
struct ResizedAxis {
  int64_t axis;
  DimSize out;
  /// The factor, if it is known at import.
  std::optional<double> scale;
  /// Whether the factor was given: the length out of it may be fractional. Else it is the quotient of the
  /// dims.
  bool hasScale = false;
  Value factor = {}; ///< rank-0 float32, if it was given but is not known
  /// The region of interest: rank-0 float32, for tf_crop_and_resize.
  Value begin = {}, end = {};
};

ResizeModes readModes(NodeImporter &node) {
  ResizeModes modes;
  modes.mode = node.stringAttribute("mode");
  if (modes.mode == "bilinear") // a name of opset 1
    modes.mode = "linear";
  if (!llvm::is_contained({"nearest", "linear", "cubic"}, modes.mode)) {
    node.report("attribute 'mode' is \"" + modes.mode + "\", expected nearest, linear or cubic");
    node.stop();
  }
  modes.transformation = node.stringAttribute("coordinate_transformation_mode", "asymmetric");
  modes.nearest = node.stringAttribute("nearest_mode", "simple");
  modes.cubicA = node.floatAttribute("cubic_coeff_a", -0.75);
  modes.extrapolation = node.floatAttribute("extrapolation_value", 0);
  modes.excludesOutside = node.boolAttribute("exclude_outside");
  modes.isAntialiased = node.boolAttribute("antialias") && modes.mode != "nearest";
  return modes;
}

/// The dimensions that the lists of the node are for.
llvm::SmallVector<int64_t> readAxes(NodeImporter &node, Expression x) {
  llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  if (std::optional<llvm::SmallVector<int64_t>> list = node.optionalInts("axes"))
    axes = *list;
  for (int64_t &axis : axes) {
    if (axis < -x.rank() || axis >= x.rank()) {
      node.report("attribute 'axes' has " + llvm::Twine(axis) + ", expected dimensions of a tensor of rank " +
                  llvm::Twine(x.rank()));
      node.stop();
    }
    axis += axis < 0 ? x.rank() : 0;
  }
  return axes;
}

void checkCount(NodeImporter &node, llvm::StringRef name, size_t count, size_t expected) {
  if (count == expected)
    return;
  node.report("'" + name + "' has " + llvm::Twine(count) + " numbers, expected " + llvm::Twine(expected));
  node.stop();
}

/// The whole part of a dim times a factor, in float32 as ONNX's inference of shapes.
DimSize scaledDim(NodeImporter &node, const DimSize &in, Expression factor) {
  pd::TensorBuilder &e = node.tensors();
  mlir::Builder &types = node.getBuilder();
  Expression product =
      e.cast(e.wrap(in.getValue(e)), types.getF32Type()) * e.cast(factor, types.getF32Type());
  return pd::dimSizeOf(e.cast(e.floor(product), types.getI64Type()));
}

DimSize scaledDim(NodeImporter &node, const DimSize &in, double factor) {
  if (in.isKnown())
    return static_cast<int64_t>(std::floor(static_cast<float>(in.getNumber()) * static_cast<float>(factor)));
  return scaledDim(node, in, node.scalar(factor, node.getBuilder().getF32Type()));
}

/// Element i of a vector, as a tensor of rank 0.
Expression elementOf(NodeImporter &node, Expression vector, size_t i) {
  auto begin = static_cast<int64_t>(i);
  return node.tensors().reshape(slice(vector, 0, begin, begin + 1), {});
}

std::vector<ResizedAxis> axesByScales(NodeImporter &node, Expression x, llvm::ArrayRef<int64_t> axes,
                                      llvm::ArrayRef<double> scales) {
  checkCount(node, "scales", scales.size(), axes.size());
  std::vector<ResizedAxis> resized;
  for (auto [axis, scale] : llvm::zip(axes, scales))
    resized.push_back({axis, scaledDim(node, DimSize(x, axis), scale), scale, true});
  return resized;
}

std::vector<ResizedAxis> axesByScales(NodeImporter &node, Expression x, llvm::ArrayRef<int64_t> axes,
                                      Expression scales) {
  std::vector<ResizedAxis> resized;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Expression factor = elementOf(node, scales, i);
    resized.push_back({axis, scaledDim(node, DimSize(x, axis), factor), std::nullopt, true, factor});
  }
  return resized;
}

/// Sizes that keep the ratio of the input's dims.
void keepAspectRatio(NodeImporter &node, Expression x, std::vector<ResizedAxis> &axes, bool isLarger) {
  double common = isLarger ? 0 : INFINITY;
  for (const ResizedAxis &axis : axes) {
    if (!axis.scale) {
      node.reportOpen("attribute 'keep_aspect_ratio_policy' needs static dims and known sizes");
      node.stop();
    }
    common = isLarger ? std::max(common, *axis.scale) : std::min(common, *axis.scale);
  }
  for (ResizedAxis &axis : axes) {
    axis.scale = common;
    axis.hasScale = true;
    double length = common * static_cast<double>(DimSize(x, axis.axis).getNumber());
    axis.out = static_cast<int64_t>(std::floor(length + 0.5));
  }
}

std::vector<ResizedAxis> axesBySizes(NodeImporter &node, Expression x, llvm::ArrayRef<int64_t> axes) {
  Expression sizes = node.operand("sizes");
  auto elements = pd::knownElements(sizes);
  if (failed(elements)) {
    node.reportOpen(
        "input 'sizes' has a number of elements that is not known, expected the number of dimensions");
    node.stop();
  }
  checkCount(node, "sizes", elements->size(), axes.size());
  std::vector<ResizedAxis> resized;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t known = (*elements)[i];
    DimSize in(x, axis), out = ShapedType::isDynamic(known) ? DimSize::element(sizes, static_cast<int64_t>(i))
                                                            : DimSize(known);
    ResizedAxis next{axis, out};
    if (out.isKnown() && in.isKnown())
      next.scale = static_cast<double>(out.getNumber()) / static_cast<double>(in.getNumber());
    resized.push_back(next);
  }
  std::string policy = node.stringAttribute("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch")
    keepAspectRatio(node, x, resized, policy == "not_smaller");
  return resized;
}

/// Whether the dimension is copied.
bool isCopied(const ResizedAxis &axis, Expression x) {
  if (axis.begin)
    return false;
  return axis.hasScale ? axis.scale && *axis.scale == 1
                       : axis.out.isDim(x, axis.axis) || (axis.scale && *axis.scale == 1);
}

/// Reads the region of interest, which also scales the result's dims.
void readRegion(NodeImporter &node, Expression x, std::vector<ResizedAxis> &axes) {
  pd::TensorBuilder &e = node.tensors();
  Expression roi = e.cast(node.operand("roi"), node.getBuilder().getF32Type());
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Expression begin = elementOf(node, roi, i), end = elementOf(node, roi, axes.size() + i);
    axis.begin = begin;
    axis.end = end;
    if (axis.hasScale)
      axis.out =
          scaledDim(node, DimSize(x, axis.axis),
                    (end - begin) * (axis.factor ? e.cast(e.wrap(axis.factor), begin.type().getElementType())
                                                 : e.constant(*axis.scale, begin.type().getElementType())));
  }
}

std::vector<ResizedAxis> readScaledAxes(NodeImporter &node, Expression x, llvm::ArrayRef<int64_t> axes) {
  if (node.hasAttribute("height_scale"))
    return axesByScales(node, x, axes,
                        {1, 1, node.floatAttribute("height_scale"), node.floatAttribute("width_scale")});
  Value scales = node.since() >= 9 ? node.requiredInput("scales") : Value();
  if (scales && !node.getGraph().knownTensor(scales) && !node.boolAttribute("antialias"))
    return axesByScales(node, x, axes, node.wrap(scales));
  return axesByScales(node, x, axes, node.floatsAttribute("scales"));
}

std::vector<ResizedAxis> readResizedAxes(NodeImporter &node, Expression x, const ResizeModes &modes) {
  llvm::SmallVector<int64_t> axes = readAxes(node, x);
  bool hasSizes = node.hasInput("sizes");
  std::vector<ResizedAxis> resized = hasSizes ? axesBySizes(node, x, axes) : readScaledAxes(node, x, axes);
  for (llvm::StringRef unused : {"scales", "roi"}) // given and empty
    node.hasInput(unused);
  node.stringAttribute("keep_aspect_ratio_policy"); // for sizes
  if (modes.transformation == "tf_crop_and_resize")
    readRegion(node, x, resized);
  llvm::erase_if(resized, [&](const ResizedAxis &axis) { return isCopied(axis, x); });
  return resized;
}

//===-- pd's interpolations -----------------------------------------------------------------------------===//

bool isWhole(double value) { return value == std::floor(value); }

/// Whether the result has more than one index.
bool isAboveOne(const ResizedAxis &axis) {
  return axis.out.isKnown() ? axis.out.getNumber() > 1 : axis.hasScale && axis.scale && *axis.scale >= 2;
}

/// Whether the length out of the factor is whole, and differs from the input's, which pd copies.
bool hasExactLength(const ResizedAxis &axis, Expression x) {
  if (!axis.hasScale)
    return true;
  if (!axis.scale || (isWhole(*axis.scale) && *axis.scale > 1))
    return axis.scale.has_value();
  DimSize in(x, axis.axis);
  return in.isKnown() && isWhole(*axis.scale * static_cast<double>(in.getNumber())) &&
         !axis.out.isNumber(in.getNumber());
}

bool nearestIsPds(const ResizeModes &modes, const ResizedAxis &axis) {
  if (modes.transformation == "asymmetric")
    return modes.nearest == "floor" || (modes.nearest == "simple" && axis.scale && *axis.scale >= 1);
  // For whole factors the nearest element is found by rounding down without an offset.
  bool isWholeFactor = axis.scale && isWhole(*axis.scale) && *axis.scale >= 1;
  return modes.isHalfPixel() && llvm::StringRef(modes.nearest).starts_with("round_prefer") && isWholeFactor;
}

/// Whether pd's interpolation of the same method has these positions.
bool isPds(const ResizeModes &modes, const ResizedAxis &axis, Expression x) {
  if (axis.axis < 2 || !hasExactLength(axis, x))
    return false;
  if (modes.mode == "nearest")
    return nearestIsPds(modes, axis);
  if (modes.mode == "cubic" && (modes.cubicA != -0.75 || modes.excludesOutside || x.rank() != 4))
    return false;
  if (modes.isAntialiased)
    return false;
  if (modes.isHalfPixel())
    return isAboveOne(axis) ||
           (modes.transformation == "pytorch_half_pixel" && !axis.hasScale && modes.mode == "linear");
  return modes.transformation == "align_corners" ||
         (modes.transformation == "asymmetric" && modes.mode == "linear");
}

template <class Op>
Expression interpolated(NodeImporter &node, Expression x, llvm::ArrayRef<ResizedAxis> axes,
                        pd::Interpolation method, const ResizeModes &modes) {
  pd::TensorBuilder &e = node.tensors();
  size_t n = x.rank() - 2;
  llvm::SmallVector<double> scales;
  llvm::SmallVector<Value> sizes;
  bool byScales = llvm::all_of(axes, [](const ResizedAxis &axis) { return axis.hasScale; });
  scales.assign(byScales ? n : 0, 1);
  for (int64_t d = 2; !byScales && d < x.rank(); ++d)
    sizes.push_back(e.reshape(e.wrap(DimSize(x, d).getValue(e)), {1}));
  for (const ResizedAxis &axis : axes)
    byScales ? void(scales[axis.axis - 2] = *axis.scale)
             : void(sizes[axis.axis - 2] = e.reshape(e.wrap(axis.out.getValue(e)), {1}));
  static constexpr pd::DataFormat formats[] = {pd::DataFormat::NCL, pd::DataFormat::NCHW,
                                               pd::DataFormat::NCDHW};
  int64_t alignMode = modes.isHalfPixel() ? 0 : 1;
  return node.create<Op>(x, Value(), sizes, Value(), formats[n - 1], 0, 0, 0, scales, method,
                         modes.transformation == "align_corners", alignMode);
}

/// The op of pd, if it has the semantics of the node.
std::optional<Expression> tryInterpolate(NodeImporter &node, Expression x, llvm::ArrayRef<ResizedAxis> axes,
                                         const ResizeModes &modes) {
  bool byScales = axes.front().hasScale;
  if (x.rank() < 3 || x.rank() > 5 || !llvm::all_of(axes, [&](const ResizedAxis &axis) {
        return isPds(modes, axis, x) && axis.hasScale == byScales;
      }))
    return std::nullopt;
  if (modes.mode == "nearest")
    return interpolated<pd::NearestInterpOp>(node, x, axes, pd::Interpolation::Nearest, modes);
  if (modes.mode == "cubic")
    return interpolated<pd::BicubicInterpOp>(node, x, axes, pd::Interpolation::Bicubic, modes);
  if (x.rank() == 3)
    return interpolated<pd::LinearInterpOp>(node, x, axes, pd::Interpolation::Linear, modes);
  if (x.rank() == 4)
    return interpolated<pd::BilinearInterpOp>(node, x, axes, pd::Interpolation::Bilinear, modes);
  return interpolated<pd::TrilinearInterpOp>(node, x, axes, pd::Interpolation::Trilinear, modes);
}

//===-- The formula -------------------------------------------------------------------------------------===//

/// Positions in the input and their weights, in float32 as in other runtimes: rounding decides about the
/// nearest element.
class AxisFormula {
public:
  AxisFormula(NodeImporter &node, Expression x, const ResizeModes &modes, const ResizedAxis &axis)
      : node(node), e(node.tensors()), x(x), modes(modes), axis(axis), f32(node.getBuilder().getF32Type()),
        in(real(DimSize(x, axis.axis))), out(real(axis.out)),
        scale(axis.scale    ? e.constant(*axis.scale, f32)
              : axis.factor ? e.cast(e.wrap(axis.factor), f32)
                            : out / in) {}

  Expression run() {
    Expression position = positions();
    Expression result = modes.mode == "nearest" ? gathered(nearest(position)) : weighted(position);
    if (modes.transformation != "tf_crop_and_resize")
      return result;
    Expression isOutside = e.select(position < 0, e.constant(1, f32), position - in + 1) > 0;
    return e.select(aligned(isOutside), modes.extrapolation, result);
  }

private:
  Expression real(const DimSize &dim) { return e.cast(e.wrap(dim.getValue(e)), f32); }

  /// The length out of the factor, which may be fractional.
  Expression length() { return axis.hasScale ? scale * in : out; }

  Expression orIfLengthIsOne(Expression position, Expression single) {
    return e.select(e.equal(length(), 1), single, position);
  }

  Expression positions() {
    Expression index = e.cast(iota(e, axis.out, node.getBuilder().getI64Type()), f32);
    llvm::StringRef mode = modes.transformation;
    Expression zeros = index * 0.0, half = (index + 0.5) / scale - 0.5;
    if (mode == "asymmetric")
      return index / scale;
    if (mode == "half_pixel")
      return half;
    if (mode == "pytorch_half_pixel")
      return orIfLengthIsOne(half, zeros);
    if (mode == "half_pixel_symmetric")
      return in * 0.5 * (1.0 - out / length()) + half;
    if (mode == "align_corners")
      return orIfLengthIsOne(index * (in - 1) / (length() - 1), zeros);
    if (mode == "tf_crop_and_resize") {
      Expression begin = e.wrap(axis.begin), size = e.wrap(axis.end) - begin;
      return orIfLengthIsOne(index * size * (in - 1) / (length() - 1), zeros + (in - 1) * size * 0.5) +
             (in - 1) * begin;
    }
    node.report("attribute 'coordinate_transformation_mode' is \"" + mode + "\", which is not known");
    node.stop();
  }

  Expression ceil(Expression value) { return -e.floor(-value); }

  Expression nearest(Expression position) {
    if (modes.nearest == "round_prefer_floor")
      return ceil(position - 0.5);
    if (modes.nearest == "round_prefer_ceil")
      return e.floor(position + 0.5);
    // Opset 10 rounds towards the input's end if it has more elements than the result, as ONNX Runtime.
    bool isDown = modes.nearest == "simple" && axis.scale && *axis.scale < 1;
    return modes.nearest == "ceil" || isDown ? ceil(position) : e.floor(position);
  }

  /// The slices at these indices, or at the first or last index for others.
  Expression gathered(Expression index) {
    Expression inside = e.minimum(e.maximum(index, 0.0), in - 1);
    return node.create<pd::GatherOp>(x, e.cast(inside, node.getBuilder().getI64Type()), Value(), axis.axis);
  }

  /// A vector over the result's dimension, to be combined with x.
  Expression aligned(Expression vector) {
    llvm::SmallVector<int64_t> shape(x.rank() - axis.axis, 1);
    shape[0] = -1;
    return e.reshape(vector, shape);
  }

  /// The weight of an element at a distance from the position.
  Expression kernel(Expression distance) {
    Expression d = e.abs(distance);
    if (modes.mode == "linear")
      return e.maximum(1.0 - d, 0.0);
    double a = modes.cubicA;
    Expression close = ((a + 2) * d - (a + 3)) * d * d + 1, far = ((d - 5) * d + 8) * d * a - 4 * a;
    return e.select(d <= 1, close, e.select(d < 2, far, 0.0));
  }

  Expression weighted(Expression position) {
    double stretch = 1;
    if (modes.isAntialiased && !axis.scale) {
      node.reportOpen("attribute 'antialias' is 1, which needs static dims and known sizes");
      node.stop();
    }
    if (modes.isAntialiased)
      stretch = std::min(*axis.scale, 1.0);
    auto first = static_cast<int64_t>(std::floor((modes.mode == "linear" ? -1 : -2) / stretch)) + 1;
    Expression base = e.floor(position), ratio = position - base;
    llvm::SmallVector<Expression> indices, weights;
    for (int64_t i = first; i < 2 - first; ++i) {
      indices.push_back(base + static_cast<double>(i));
      weights.push_back(kernel((static_cast<double>(i) - ratio) * stretch));
      if (modes.excludesOutside) {
        Expression isInside = e.select(indices.back() < 0, 0.0, in - indices.back()) > 0;
        weights.back() = e.select(isInside, weights.back(), 0.0);
      }
    }
    return sumOf(indices, weights);
  }

  Expression sumOf(llvm::ArrayRef<Expression> indices, llvm::ArrayRef<Expression> weights) {
    Type type = x.type().getElementType();
    Type computed = type.isF64() ? type : Type(node.getBuilder().getF32Type());
    Expression total = weights[0];
    for (Expression weight : weights.drop_front())
      total = total + weight;
    std::optional<Expression> sum;
    for (auto [index, weight] : llvm::zip(indices, weights)) {
      Expression share = aligned(e.cast(weight / total, computed)), term = e.cast(gathered(index), computed);
      sum = sum ? *sum + term * share : term * share;
    }
    return e.cast(*sum, type);
  }

  NodeImporter &node;
  pd::TensorBuilder &e;
  Expression x;
  const ResizeModes &modes;
  const ResizedAxis &axis;
  Type f32;
  Expression in, out, scale;
};

} // namespace

void importResize(NodeImporter &node) {
  Expression x = node.operand("X");
  ResizeModes modes = readModes(node);
  std::vector<ResizedAxis> axes = readResizedAxes(node, x, modes);
  if (axes.empty())
    return node.setOutput("Y", x);
  if (std::optional<Expression> out = tryInterpolate(node, x, axes, modes))
    return node.setOutput("Y", *out);
  for (const ResizedAxis &axis : axes)
    x = AxisFormula(node, x, modes, axis).run();
  node.setOutput("Y", x);
}

} // namespace proa::import::onnxhooks
