//! Gradients of convolutions. A convolution is linear in its input and in its filter, so three maps are
//! closed under differentiation: the convolution, its transposition, and the gradient by the filter.
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/conv/Convolution.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Gradients = FailureOr<llvm::SmallVector<Value>>;
using Ints = llvm::SmallVector<int64_t>;

bool isKnown(llvm::ArrayRef<int64_t> dimSizes) {
  return llvm::none_of(dimSizes, [](int64_t dimSize) { return ShapedType::isDynamic(dimSize); });
}

/// The convolution that an op belongs to, with explicit paddings.
struct Convolution {
  int64_t spatial;
  Ints dimSizes, kernel, strides, paddings, dilations;
  int64_t groups;
  DataFormat dataFormat;
};

/// `image` is the operand that the padding algorithm refers to. Fails if the paddings or the kernel dims are
/// dynamic.
template <class Op> FailureOr<Convolution> convolutionOf(Op op, Value image, Window window) {
  Convolution conv{window.spatial,
                   spatialDims(tensorType(image).getShape(), op.getDataFormat()),
                   window.kernel,
                   window.strides,
                   {},
                   {},
                   static_cast<int64_t>(op.getGroups()),
                   op.getDataFormat()};
  conv.paddings = window.resolvedPaddings(conv.dimSizes);
  if (!isKnown(conv.paddings) || !isKnown(conv.kernel))
    return failure();
  for (int64_t i = 0; i < window.spatial; ++i)
    conv.dilations.push_back(window.dilation(i));
  return conv;
}

/// Creates the ops of one number of spatial dimensions.
template <class ConvOp, class TransposeOp, class WeightGradientOp> struct Maker {
  TensorBuilder &e;
  const Convolution &c;

  DenseI64ArrayAttr ints(llvm::ArrayRef<int64_t> values) const {
    return e.getBuilder().getDenseI64ArrayAttr(values);
  }
  PaddingAlgorithmAttr explicitPaddings() const {
    return PaddingAlgorithmAttr::get(e.getBuilder().getContext(), PaddingAlgorithm::Explicit);
  }
  DataFormatAttr dataFormat() const { return DataFormatAttr::get(e.getBuilder().getContext(), c.dataFormat); }
  IntegerAttr groups() const { return e.getBuilder().getI64IntegerAttr(c.groups); }

  Value conv(Value input, Value filter) const {
    return e.create<ConvOp>(input, filter, ints(c.strides), ints(c.paddings), explicitPaddings(),
                            ints(c.dilations), groups(), dataFormat());
  }
  /// With the spatial dims of `input`.
  Value transposed(Value out, Value filter, Value input) const {
    if (isKnown(c.dimSizes))
      return e.create<TransposeOp>(out, filter, ints(c.strides), ints(c.paddings), ints({}), ints(c.dimSizes),
                                   explicitPaddings(), ints(c.dilations), groups(), dataFormat());
    // After the last window there are fewer elements than a stride: pads the maximum and slices.
    Ints most(c.strides);
    for (int64_t &dimSize : most)
      --dimSize;
    Value whole = e.create<TransposeOp>(out, filter, ints(c.strides), ints(c.paddings), ints(most), ints({}),
                                        explicitPaddings(), ints(c.dilations), groups(), dataFormat());
    if (llvm::all_of(most, [](int64_t dimSize) { return dimSize == 0; }))
      return whole;
    llvm::SmallVector<DimSize> dimSizes = dimSizesOf(e.wrap(input));
    Ints axes, zeros(c.spatial, 0);
    for (int64_t i = 0; i < c.spatial; ++i)
      axes.push_back((channelsAreLast(c.dataFormat) ? 1 : 2) + i);
    Value ends = shapeTensor(e, llvm::ArrayRef<DimSize>(dimSizes).slice(axes.front(), c.spatial));
    return e.create<SliceOp>(whole, Value(), ends, Value(), llvm::ArrayRef<int64_t>(axes),
                             llvm::ArrayRef<int64_t>(zeros), llvm::ArrayRef<int64_t>(zeros),
                             llvm::ArrayRef<int64_t>());
  }
  Value weightGradient(Value input, Value out) const {
    return e.create<WeightGradientOp>(input, out, ints(c.kernel), ints(c.strides), ints(c.paddings),
                                      explicitPaddings(), ints(c.dilations), groups(), dataFormat());
  }
};

using Maker2d = Maker<Conv2dOp, Conv2dTransposeOp, Conv2dWeightGradientOp>;
using Maker3d = Maker<Conv3dOp, Conv3dTransposeOp, Conv3dWeightGradientOp>;

/// Images with the padding of SAME for dynamic dims, and the number of elements padded before.
struct OpenImage {
  Expression padded;
  llvm::SmallVector<DimSize> before;

  OpenImage(Expression x, int64_t first, const Window &window) : padded(x) {
    TensorBuilder &e = x.owner();
    for (int64_t i = 0; i < window.spatial; ++i) {
      int64_t axis = first + i, stride = window.strides[i];
      DimSize dimSize(x, axis), windows = divide(e, add(e, dimSize, stride - 1), stride),
                                reach = add(e, multiply(e, windows, stride), window.kernel[i] - stride);
      Expression all = e.maximum(e.wrap(reach.getValue(e)) - e.wrap(dimSize.getValue(e)), 0.0);
      DimSize total = dimSizeOf(all);
      before.push_back(divide(e, total, 2));
      DimSize after = divide(e, add(e, total, 1), 2);
      auto zeros = [&](const DimSize &count) {
        llvm::SmallVector<DimSize> shape = dimSizesOf(padded);
        shape[axis] = count;
        return expandTo(e.constant(0, x.type().getElementType()), shape);
      };
      padded = concat({zeros(before.back()), padded, zeros(after)}, axis);
    }
  }
};

/// The convolution without paddings of the padded images.
template <class Make, class Op>
Gradients openSameGradient(TensorBuilder &e, Op op, const Window &window, Value cotangent) {
  Expression input = e.wrap(op.getInput());
  int64_t first = channelsAreLast(op.getDataFormat()) ? 1 : 2;
  OpenImage image(input, first, window);
  Convolution conv{window.spatial,
                   spatialDims(image.padded.type().getShape(), op.getDataFormat()),
                   window.kernel,
                   window.strides,
                   Ints(2 * window.spatial, 0),
                   Ints(window.spatial, 1),
                   static_cast<int64_t>(op.getGroups()),
                   op.getDataFormat()};
  Make make{e, conv};
  Expression gradient = e.wrap(make.transposed(cotangent, op.getFilter(), image.padded));
  for (auto [i, before] : llvm::enumerate(image.before)) {
    int64_t axis = first + static_cast<int64_t>(i);
    gradient = sliceBetween(gradient, axis, before, sum(e, before, DimSize(input, axis)));
  }
  return llvm::SmallVector<Value>{gradient, make.weightGradient(image.padded, cotangent)};
}

template <class Make, class Op> Gradients convGradient(OpBuilder &builder, Op op, Value cotangent) {
  TensorBuilder e(builder, op.getOperation());
  RankedTensorType input = tensorType(op.getInput());
  Window window = convWindow(op, input.getRank() - 2, tensorType(op.getFilter()));
  auto conv = convolutionOf(op, op.getInput(), window);
  if (failed(conv) && isKnown(window.kernel))
    return openSameGradient<Make>(e, op, window, cotangent);
  if (failed(conv))
    return failure();
  conv->paddings = window.paddingsThatFit(conv->dimSizes);
  Make make{e, *conv};
  return llvm::SmallVector<Value>{make.transposed(cotangent, op.getFilter(), op.getInput()),
                                  make.weightGradient(op.getInput(), cotangent)};
}

template <class Make, class Op> Gradients transposedGradient(OpBuilder &builder, Op op, Value cotangent) {
  TensorBuilder e(builder, op.getOperation());
  RankedTensorType x = tensorType(op.getX());
  auto conv = convolutionOf(op, op.getX(), convWindow(op, x.getRank() - 2, tensorType(op.getFilter())));
  if (failed(conv))
    return failure();
  // The part of output_padding beyond one stride does not depend on x; without it the convolution has the
  // dims of x.
  Expression out = e.wrap(cotangent);
  int64_t first = channelsAreLast(op.getDataFormat()) ? 1 : 2;
  for (auto [i, added] : llvm::enumerate(op.getOutputPadding()))
    if (int64_t beyond = added + 1 - conv->strides[i]; beyond > 0)
      out = slice(out, first + static_cast<int64_t>(i), 0, -beyond);
  Make make{e, *conv};
  return llvm::SmallVector<Value>{make.conv(out, op.getFilter()), make.weightGradient(out, op.getX())};
}

template <class Make, class Op> Gradients weightGradientGradient(OpBuilder &builder, Op op, Value cotangent) {
  TensorBuilder e(builder, op.getOperation());
  Window window{tensorType(op.getInput()).getRank() - 2,
                Ints(op.getKernelSize()),
                Ints(op.getStrides()),
                Ints(op.getPaddings()),
                Ints(op.getDilations()),
                op.getPaddingAlgorithm()};
  auto conv = convolutionOf(op, op.getInput(), window);
  if (failed(conv))
    return failure();
  conv->paddings = window.paddingsThatFit(conv->dimSizes);
  Make make{e, *conv};
  return llvm::SmallVector<Value>{make.transposed(op.getOutGradient(), cotangent, op.getInput()),
                                  make.conv(op.getInput(), cotangent)};
}

} // namespace

LogicalResult inferConvWeightGradientOf(std::optional<Location> location, RankedTensorType input,
                                        RankedTensorType outGradient, const Window &window, int64_t groups,
                                        DataFormat dataFormat, Results &results) {
  int64_t rank = window.spatial + 2;
  if (input.getRank() != rank || outGradient.getRank() != rank)
    return inferenceError(location, "C1: input and out_gradient must have rank " + llvm::Twine(rank) +
                                        ", found ranks " + llvm::Twine(input.getRank()) + " and " +
                                        llvm::Twine(outGradient.getRank()));
  if (input.getElementType() != outGradient.getElementType())
    return inferenceError(location, "C2: input and out_gradient must have one element type");
  if (static_cast<int64_t>(window.kernel.size()) != window.spatial ||
      llvm::any_of(window.kernel, [](int64_t dimSize) { return dimSize <= 0; }))
    return inferenceError(location,
                          "C3: kernel_size must be " + llvm::Twine(window.spatial) + " positive numbers");
  if (failed(checkWindow(location, window, "C5")))
    return failure();
  int64_t from = channelsOf(input, dataFormat), to = channelsOf(outGradient, dataFormat);
  auto divides = [&](int64_t channels) { return ShapedType::isDynamic(channels) || channels % groups == 0; };
  if (groups <= 0 || !divides(from) || !divides(to))
    return inferenceError(location, "C4: groups must be above 0 and divide " + llvm::Twine(from) + " and " +
                                        llvm::Twine(to) + " channels, found " + llvm::Twine(groups));
  auto counts = windowCounts(location, window, spatialDims(input.getShape(), dataFormat), false, "C7");
  if (failed(counts))
    return failure();
  for (auto [i, found] : llvm::enumerate(spatialDims(outGradient.getShape(), dataFormat)))
    if (found != (*counts)[i] && !ShapedType::isDynamic(found) && !ShapedType::isDynamic((*counts)[i]))
      return inferenceError(location, "C7: out_gradient must have the dim " + llvm::Twine((*counts)[i]) +
                                          " in spatial dimension " + llvm::Twine(i) + ", found " +
                                          llvm::Twine(found));
  Ints shape{to, ShapedType::isDynamic(from) ? from : from / groups};
  llvm::append_range(shape, window.kernel);
  results.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

Gradients Conv2dOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return convGradient<Maker2d>(builder, *this, cotangents[0]);
}
Gradients Conv3dOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return convGradient<Maker3d>(builder, *this, cotangents[0]);
}
Gradients Conv2dTransposeOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return transposedGradient<Maker2d>(builder, *this, cotangents[0]);
}
Gradients Conv3dTransposeOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return transposedGradient<Maker3d>(builder, *this, cotangents[0]);
}
Gradients Conv2dWeightGradientOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return weightGradientGradient<Maker2d>(builder, *this, cotangents[0]);
}
Gradients Conv3dWeightGradientOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return weightGradientGradient<Maker3d>(builder, *this, cotangents[0]);
}

// The input and the gradient of the output are images; the gradient of the filter is not.
unsigned Conv2dWeightGradientOp::getNumImageOperands() { return 2; }
bool Conv2dWeightGradientOp::hasImageResults() { return false; }
unsigned Conv3dWeightGradientOp::getNumImageOperands() { return 2; }
bool Conv3dWeightGradientOp::hasImageResults() { return false; }

} // namespace proa::pd
