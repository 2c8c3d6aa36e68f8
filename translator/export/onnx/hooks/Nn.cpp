//! Convolutions, poolings, normalizations, resampling.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/Conditions.h"
#include "translator/export/onnx/hooks/PaddedWindows.h"

#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/image/InterpolateOps.h"
#include "dialects/pd/ops/image/PoolOps.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {

using pd::Expression;
using pd::TensorBuilder;
using Named = NodeExporter::Named;
using Ints = std::vector<int64_t>;

static bool isChannelsLast(pd::DataFormat format) { return pd::channelsAreLast(format); }

/// The image with its channels before the spatial dimensions, as ONNX has it.
static std::string channelsFirst(NodeExporter &node, Value image, pd::DataFormat format) {
  if (!isChannelsLast(format))
    return node.of(image);
  int64_t rank = pd::tensorType(image).getRank();
  Ints order{0, rank - 1};
  for (int64_t i = 1; i + 1 < rank; ++i)
    order.push_back(i);
  return node.node("Transpose", {node.of(image)}, {{"perm", order}});
}

static std::string inFormat(NodeExporter &node, std::string image, int64_t rank, pd::DataFormat format) {
  if (!isChannelsLast(format))
    return image;
  Ints order{0};
  for (int64_t i = 2; i < rank; ++i)
    order.push_back(i);
  order.push_back(1);
  return node.node("Transpose", {std::move(image)}, {{"perm", order}});
}

/// All befores, then all afters.
static Ints onnxPads(llvm::ArrayRef<int64_t> paddings, int64_t spatial) {
  Ints pads;
  bool isPaired = static_cast<int64_t>(paddings.size()) == 2 * spatial;
  for (int64_t side : {0, 1})
    for (int64_t i = 0; i < spatial; ++i)
      pads.push_back(isPaired ? paddings[2 * i + side] : paddings.empty() ? 0 : paddings[i]);
  return pads;
}

static Ints dilationsOf(const pd::Window &window) {
  Ints dilations;
  for (int64_t i = 0; i < window.spatial; ++i)
    dilations.push_back(window.dilation(i));
  return dilations;
}

/// Pads, or ONNX's rule where they depend on dynamic dims.
static void addPads(std::vector<Named> &attributes, const pd::Window &window, llvm::ArrayRef<int64_t> input,
                    bool fitsWindow = false) {
  llvm::SmallVector<int64_t> paddings = window.resolvedPaddings(input);
  if (fitsWindow && llvm::none_of(input, ShapedType::isDynamic))
    paddings = window.paddingsThatFit(input);
  if (llvm::is_contained(paddings, ShapedType::kDynamic))
    attributes.push_back({"auto_pad", std::string("SAME_UPPER")});
  else
    attributes.push_back({"pads", onnxPads(paddings, window.spatial)});
}

template <class Op> static void exportConvolution(NodeExporter &node, int64_t spatial) {
  auto op = node.get<Op>();
  auto filter = pd::tensorType(op.getFilter()), input = pd::tensorType(op.getInput());
  pd::Window window = pd::convWindow(op, spatial, filter);
  std::vector<Named> attributes{{"strides", Ints(window.strides.begin(), window.strides.end())},
                                {"dilations", dilationsOf(window)},
                                {"group", static_cast<int64_t>(op.getGroups())},
                                {"kernel_shape", Ints(window.kernel.begin(), window.kernel.end())}};
  if (llvm::is_contained(window.kernel, ShapedType::kDynamic))
    attributes.pop_back();
  addPads(attributes, window, pd::spatialDims(input.getShape(), op.getDataFormat()), /*fitsWindow=*/true);
  std::string x = channelsFirst(node, op.getInput(), op.getDataFormat());
  std::string out = node.node("Conv", {x, node.of(op.getFilter())}, attributes);
  node.setResult(0, inFormat(node, out, input.getRank(), op.getDataFormat()));
}

void exportConv2d(NodeExporter &node) { exportConvolution<pd::Conv2dOp>(node, 2); }
void exportConv3d(NodeExporter &node) { exportConvolution<pd::Conv3dOp>(node, 3); }

/// The output dims follow from the paddings at the end.
template <class Op> static void exportTransposedConvolution(NodeExporter &node, int64_t spatial) {
  auto op = node.get<Op>();
  auto filter = pd::tensorType(op.getFilter()), input = pd::tensorType(op.getX());
  pd::Window window = pd::convWindow(op, spatial, filter);
  std::vector<Named> attributes{{"strides", Ints(window.strides.begin(), window.strides.end())},
                                {"dilations", dilationsOf(window)},
                                {"group", static_cast<int64_t>(op.getGroups())}};
  llvm::SmallVector<int64_t> dims = pd::spatialDims(input.getShape(), op.getDataFormat());
  llvm::SmallVector<int64_t> paddings = window.resolvedPaddings(dims);
  if (llvm::is_contained(paddings, ShapedType::kDynamic))
    return node.report("its paddings follow the rule SAME and depend on dynamic dims, expected static ones");
  attributes.push_back({"pads", onnxPads(paddings, spatial)});
  Ints extra(op.getOutputPadding().begin(), op.getOutputPadding().end());
  if (!op.getOutputSize().empty()) {
    extra.assign(spatial, 0);
    for (int64_t i = 0; i < spatial; ++i) {
      if (ShapedType::isDynamic(dims[i]))
        return node.report("its output size is given and its input has dynamic dims, expected static ones");
      int64_t size = (dims[i] - 1) * window.strides[i] - paddings[2 * i] - paddings[2 * i + 1] +
                     window.dilation(i) * (window.kernel[i] - 1) + 1;
      extra[i] = op.getOutputSize()[i] - size;
    }
  }
  if (!extra.empty())
    attributes.push_back({"output_padding", extra});
  std::string x = channelsFirst(node, op.getX(), op.getDataFormat());
  std::string out = node.node("ConvTranspose", {x, node.of(op.getFilter())}, attributes);
  node.setResult(0, inFormat(node, out, input.getRank(), op.getDataFormat()));
}

void exportConv2dTranspose(NodeExporter &node) {
  exportTransposedConvolution<pd::Conv2dTransposeOp>(node, 2);
}
void exportConv3dTranspose(NodeExporter &node) {
  exportTransposedConvolution<pd::Conv3dTransposeOp>(node, 3);
}

/// The gradient as a convolution: batch and channels change places, and so do strides and dilations. It may
/// have more elements than the kernel.
template <class Op> static void exportWeightGradient(NodeExporter &node, int64_t spatial) {
  auto op = node.get<Op>();
  auto input = pd::tensorType(op.getInput());
  pd::Window window{spatial,
                    llvm::SmallVector<int64_t>(op.getKernelSize()),
                    llvm::SmallVector<int64_t>(op.getStrides()),
                    llvm::SmallVector<int64_t>(op.getPaddings()),
                    llvm::SmallVector<int64_t>(op.getDilations()),
                    op.getPaddingAlgorithm()};
  llvm::SmallVector<int64_t> paddings =
      window.resolvedPaddings(pd::spatialDims(input.getShape(), op.getDataFormat()));
  int64_t channels = input.getDimSize(isChannelsLast(op.getDataFormat()) ? input.getRank() - 1 : 1);
  auto groups = static_cast<int64_t>(op.getGroups());
  if (llvm::is_contained(paddings, ShapedType::kDynamic) || ShapedType::isDynamic(channels))
    return node.report("has dynamic channels or paddings, expected static ones");
  Ints order{1, 0};
  for (int64_t i = 0; i < spatial; ++i)
    order.push_back(2 + i);
  std::string x = channelsFirst(node, op.getInput(), op.getDataFormat());
  std::string dout = node.node("Transpose", {channelsFirst(node, op.getOutGradient(), op.getDataFormat())},
                               {{"perm", order}});
  auto outChannels = pd::tensorType(op.getFilterGradient()).getDimSize(0);
  std::vector<std::string> pieces;
  for (int64_t group = 0; group < groups; ++group) {
    auto piece = [&](std::string value, int64_t axis, int64_t size) {
      return groups == 1 ? value
                         : node.node("Slice", {value, node.ints({group * size}),
                                               node.ints({(group + 1) * size}), node.ints({axis})});
    };
    std::string image = node.node("Transpose", {piece(x, 1, channels / groups)}, {{"perm", order}});
    std::string product = node.node("Conv", {image, piece(dout, 0, outChannels / groups)},
                                    {{"strides", dilationsOf(window)},
                                     {"dilations", Ints(window.strides.begin(), window.strides.end())},
                                     {"pads", onnxPads(paddings, spatial)}});
    Ints axes(order.begin() + 2, order.end());
    std::string kernel =
        node.node("Slice", {product, node.ints(Ints(spatial, 0)), node.ints(window.kernel), node.ints(axes)});
    pieces.push_back(node.node("Transpose", {kernel}, {{"perm", order}}));
  }
  node.setResult(0, groups == 1 ? pieces.front() : node.node("Concat", pieces, {{"axis", int64_t(0)}}));
}

void exportConv2dWeightGradient(NodeExporter &node) {
  exportWeightGradient<pd::Conv2dWeightGradientOp>(node, 2);
}
void exportConv3dWeightGradient(NodeExporter &node) {
  exportWeightGradient<pd::Conv3dWeightGradientOp>(node, 3);
}

/// The mean or maximum over ranges of each spatial dimension in turn: output i of n combines the inputs from
/// floor(i * in / n) to before ceil((i + 1) * in / n).
static std::string adaptivePool(NodeExporter &node, std::string x, llvm::ArrayRef<int64_t> dims,
                                llvm::ArrayRef<int64_t> counts, bool isMax) {
  for (auto [i, count] : llvm::enumerate(counts)) {
    int64_t axis = static_cast<int64_t>(i) + 2, in = dims[i];
    if (count == in)
      continue;
    std::vector<std::string> pieces;
    for (int64_t k = 0; k < count; ++k) {
      int64_t start = k * in / count, end = ((k + 1) * in + count - 1) / count;
      std::string piece = node.node("Slice", {x, node.ints({start}), node.ints({end}), node.ints({axis})});
      pieces.push_back(node.node(isMax ? "ReduceMax" : "ReduceMean", {piece},
                                 {{"axes", Ints{axis}}, {"keepdims", int64_t(1)}}));
    }
    x = pieces.size() == 1 ? pieces.front() : node.node("Concat", pieces, {{"axis", axis}});
  }
  return x;
}

/// Whether each window of an adaptive pooling has the same size.
static bool dividesEvenly(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> counts) {
  return llvm::all_of(llvm::zip(dims, counts), [](auto pair) {
    auto [dim, count] = pair;
    return !ShapedType::isDynamic(dim) && dim % count == 0;
  });
}

/// An average that counts padding. ONNX's runtimes count other elements of windows at the end of the image.
static std::string countingAverage(NodeExporter &node, std::string x, const pd::Window &window,
                                   llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> outDims) {
  llvm::SmallVector<int64_t> paddings = window.resolvedPaddings(dims);
  PaddedWindows windows{Ints(dims.begin(), dims.end()),
                        Ints(outDims.begin(), outDims.end()),
                        Ints(window.kernel.begin(), window.kernel.end()),
                        Ints(window.strides.begin(), window.strides.end()),
                        {}};
  for (int64_t i = 0; i < window.spatial; ++i)
    windows.befores.push_back(paddings[2 * i]);
  Ints pads{0, 0};
  llvm::append_range(pads, windows.befores);
  pads.insert(pads.end(), {0, 0});
  for (int64_t after : windows.afters())
    pads.push_back(std::max<int64_t>(after, 0));
  Type element = pd::tensorType(node.getOp()->getOperand(0)).getElementType();
  if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; }))
    x = node.node("Pad", {std::move(x), node.ints(pads), node.scalar(0, element)});
  x = node.node("AveragePool", {std::move(x)},
                {{"kernel_shape", windows.kernel}, {"strides", windows.strides}});
  auto area = static_cast<double>(windows.area());
  std::vector<double> factors = windows.sizes();
  for (double &size : factors)
    size = area / size;
  if (llvm::all_of(factors, [](double factor) { return factor == 1; }))
    return x;
  return node.node("Mul", {x, windows.perWindow(node, factors, element)});
}

template <class Op> static void exportPooling(NodeExporter &node, int64_t spatial) {
  auto op = node.get<Op>();
  auto input = pd::tensorType(op.getX());
  bool isMax = op.getPoolingType() == pd::PoolingType::Max;
  llvm::SmallVector<int64_t> dims = pd::spatialDims(input.getShape(), op.getDataFormat());
  llvm::SmallVector<int64_t> kernel(op.getKernelSize()), strides(op.getStrides());
  if (op.getKernelSizeTensor()) {
    auto known = pd::allKnownElements(op.getKernelSizeTensor());
    if (!known)
      return node.report("its kernel size is computed, expected a constant");
    kernel = *known;
  }
  std::string x = channelsFirst(node, op.getX(), op.getDataFormat());
  auto finish = [&](std::string out) {
    node.setResult(0, inFormat(node, std::move(out), input.getRank(), op.getDataFormat()));
  };
  bool isOnes = llvm::all_of(kernel, [](int64_t size) { return size == 1; });
  if (op.getGlobalPooling() || (op.getAdaptive() && isOnes))
    return finish(node.node(isMax ? "GlobalMaxPool" : "GlobalAveragePool", {x}));
  llvm::SmallVector<int64_t> paddings(op.getPaddings());
  if (op.getAdaptive()) {
    if (llvm::any_of(dims, ShapedType::isDynamic))
      return node.report("is adaptive and its input has dynamic dims: ONNX has no such pooling; expected "
                         "static dims or one output element");
    if (!dividesEvenly(dims, kernel))
      return finish(adaptivePool(node, x, dims, kernel, isMax));
    for (auto [size, dim] : llvm::zip(kernel, dims))
      size = dim / size;
    strides = kernel;
    paddings.assign(spatial, 0);
  }
  pd::Window window{spatial,
                    kernel,
                    strides,
                    paddings,
                    llvm::SmallVector<int64_t>(spatial, 1),
                    op.getAdaptive() ? pd::PaddingAlgorithm::Explicit : op.getPaddingAlgorithm()};
  std::vector<Named> attributes{{"kernel_shape", Ints(kernel.begin(), kernel.end())},
                                {"strides", Ints(strides.begin(), strides.end())},
                                {"ceil_mode", int64_t(op.getCeilMode())}};
  if (!isMax && !op.getExclusive() && !op.getAdaptive() && llvm::none_of(dims, ShapedType::isDynamic))
    return finish(countingAverage(
        node, x, window, dims, pd::spatialDims(pd::tensorType(op.getOut()).getShape(), op.getDataFormat())));
  addPads(attributes, window, dims);
  if (!isMax)
    attributes.push_back({"count_include_pad", int64_t(!op.getExclusive())});
  finish(node.node(isMax ? "MaxPool" : "AveragePool", {x}, attributes));
}

void exportPool2d(NodeExporter &node) { exportPooling<pd::Pool2dOp>(node, 2); }
void exportPool3d(NodeExporter &node) { exportPooling<pd::Pool3dOp>(node, 3); }

/// ONNX counts indices over all planes, pd in the plane of each channel.
template <class Op> static void exportMaxPoolWithIndex(NodeExporter &node, int64_t spatial) {
  auto op = node.get<Op>();
  auto input = pd::tensorType(op.getX());
  llvm::ArrayRef<int64_t> dims = input.getShape().drop_front(2);
  if (llvm::any_of(dims, ShapedType::isDynamic))
    return node.report("its input has dynamic spatial dims, expected static ones");
  llvm::SmallVector<int64_t> kernel(op.getKernelSize()), strides(op.getStrides()), paddings(op.getPaddings());
  if (op.getGlobalPooling() || op.getAdaptive()) {
    if (op.getAdaptive() && !dividesEvenly(dims, kernel))
      return node.report("is adaptive with windows of several sizes, which ONNX lacks");
    for (int64_t i = 0; i < spatial; ++i)
      kernel[i] = op.getGlobalPooling() ? dims[i] : dims[i] / kernel[i];
    strides = kernel;
    paddings.assign(spatial, 0);
  }
  std::vector<std::string> out = node.nodes("MaxPool", {node.of(op.getX())},
                                            {{"kernel_shape", Ints(kernel.begin(), kernel.end())},
                                             {"strides", Ints(strides.begin(), strides.end())},
                                             {"pads", onnxPads(paddings, spatial)},
                                             {"ceil_mode", int64_t(op.getCeilMode())}},
                                            2);
  int64_t plane = 1;
  for (int64_t dim : dims)
    plane *= dim;
  Type wide = IntegerType::get(op.getContext(), 64);
  node.setResult(0, out[0]);
  std::string index = node.node("Mod", {out[1], node.scalar(static_cast<double>(plane), wide)});
  node.setResult(1, node.cast(index, pd::tensorType(op.getMask()).getElementType()));
}

void exportMaxPool2dWithIndex(NodeExporter &node) {
  exportMaxPoolWithIndex<pd::MaxPool2dWithIndexOp>(node, 2);
}
void exportMaxPool3dWithIndex(NodeExporter &node) {
  exportMaxPoolWithIndex<pd::MaxPool3dWithIndexOp>(node, 3);
}

/// A vector with the value for each element of `like`, for an operand that is absent.
static std::string filledLike(NodeExporter &node, Value operand, Value like, double value) {
  if (operand)
    return node.of(operand);
  Type element = pd::tensorType(like).getElementType();
  return node.node("Expand", {node.scalar(value, element), node.shapeOf(node.of(like))});
}

static bool usesRunningStatistics(pd::BatchNormOp op) {
  return op.getUseGlobalStats() || (op.getIsTest() && !op.getTrainableStatistics());
}

bool isInferenceBatchNorm(pd::BatchNormOp op) {
  return usesRunningStatistics(op) &&
         pd::tensorType(op.getX()).getElementType() == pd::tensorType(op.getMean()).getElementType();
}

/// The results other than the first are operands.
void exportBatchNorm(NodeExporter &node) {
  auto op = node.get<pd::BatchNormOp>();
  std::string x = channelsFirst(node, op.getX(), op.getDataFormat());
  std::string out = node.node("BatchNormalization",
                              {x, filledLike(node, op.getScale(), op.getMean(), 1),
                               filledLike(node, op.getBias(), op.getMean(), 0), node.of(op.getMean()),
                               node.of(op.getVariance())},
                              {{"epsilon", static_cast<float>(op.getEpsilon().convertToDouble())}});
  node.setResult(0, inFormat(node, out, pd::tensorType(op.getX()).getRank(), op.getDataFormat()));
  for (unsigned i : {1U, 3U})
    node.setResult(i, node.of(op.getMean()));
  for (unsigned i : {2U, 4U})
    node.setResult(i, node.of(op.getVariance()));
}

/// A vector in the shape of the normalized dims.
static std::string normalizedShape(NodeExporter &node, Value vector, llvm::ArrayRef<int64_t> dims) {
  return dims.size() == 1 ? node.of(vector) : node.reshape(node.of(vector), dims);
}

bool isPlainLayerNorm(pd::LayerNormOp op) {
  auto type = pd::tensorType(op.getX());
  auto dims = type.getShape().drop_front(static_cast<size_t>(op.getBeginNormAxis()));
  return op.getMean().use_empty() && op.getVariance().use_empty() &&
         llvm::none_of(dims, ShapedType::isDynamic) &&
         (!op.getScale() || pd::tensorType(op.getScale()).getElementType() == type.getElementType());
}

void exportLayerNorm(NodeExporter &node) {
  auto op = node.get<pd::LayerNormOp>();
  auto type = pd::tensorType(op.getX());
  auto axis = static_cast<int64_t>(op.getBeginNormAxis());
  llvm::ArrayRef<int64_t> dims = type.getShape().drop_front(axis);
  std::string scale = op.getScale()
                          ? normalizedShape(node, op.getScale(), dims)
                          : node.node("Expand", {node.scalar(1, type.getElementType()), node.ints(dims)});
  std::string bias = op.getBias() ? normalizedShape(node, op.getBias(), dims) : "";
  node.setResult(
      0, node.node("LayerNormalization", {node.of(op.getX()), scale, bias},
                   {{"axis", axis}, {"epsilon", static_cast<float>(op.getEpsilon().convertToDouble())}}));
}

void exportMatmul(NodeExporter &node) {
  auto op = node.get<pd::MatmulOp>();
  if (node.widen({DType::Int8, DType::UInt8, DType::Int16, DType::Bool}, DType::Int32))
    return;
  auto side = [&](Value value, bool isTransposed) {
    int64_t rank = pd::tensorType(value).getRank();
    if (!isTransposed || rank < 2)
      return node.of(value);
    Ints order;
    for (int64_t i = 0; i < rank; ++i)
      order.push_back(i);
    std::swap(order[rank - 1], order[rank - 2]);
    return node.node("Transpose", {node.of(value)}, {{"perm", order}});
  };
  node.setResult(
      0, node.node("MatMul", {side(op.getX(), op.getTransposeX()), side(op.getY(), op.getTransposeY())}));
}

/// The sizes of an interpolation's output as a vector of int64.
template <class Op> static std::string outputSizes(NodeExporter &node, Op op, int64_t spatial) {
  Type wide = IntegerType::get(op->getContext(), 64);
  auto asWide = [&](Value value, llvm::ArrayRef<int64_t> shape) {
    return node.reshape(node.cast(node.of(value), wide), shape);
  };
  if (!op.getSizeTensor().empty()) {
    std::vector<std::string> sizes;
    for (Value size : op.getSizeTensor())
      sizes.push_back(asWide(size, {1}));
    return node.node("Concat", sizes, {{"axis", int64_t(0)}});
  }
  if (op.getOutSize())
    return asWide(op.getOutSize(), {-1});
  auto out = pd::tensorType(op.getOutput());
  llvm::SmallVector<int64_t> dims = pd::spatialDims(out.getShape(), op.getDataFormat());
  if (llvm::none_of(dims, ShapedType::isDynamic))
    return node.ints(dims);
  std::string shape = node.shapeOf(channelsFirst(node, op.getX(), op.getDataFormat()));
  std::string input = node.node("Slice", {shape, node.ints({2}), node.ints({2 + spatial})});
  Type real = Float32Type::get(op->getContext());
  std::string factors;
  if (op.getScaleTensor())
    factors = node.reshape(node.of(op.getScaleTensor()), {-1});
  else if (!op.getScale().empty())
    factors = node.numbers(llvm::SmallVector<double>(op.getScale()), real);
  if (factors.empty()) {
    node.report("its output size is not known");
    return "";
  }
  return node.cast(node.node("Floor", {node.node("Mul", {node.cast(input, real), factors})}), wide);
}

/// The factors of all dimensions; "" if positions follow from the sizes. Sizes are rounded down, so that they
/// are not exactly the factors. As in Paddle, an output as large as the input is a copy of it, whatever the
/// scale.
template <class Op> static std::string scalesOf(NodeExporter &node, Op op, int64_t spatial) {
  bool hasTensor = op.getScaleTensor() && pd::tensorType(op.getScaleTensor()).hasStaticShape();
  llvm::ArrayRef<double> numbers = op.getScale();
  if (op.getAlignCorners() || (numbers.empty() && !hasTensor))
    return "";
  auto dimsOf = [&](Value value) {
    return pd::spatialDims(pd::tensorType(value).getShape(), op.getDataFormat());
  };
  auto in = dimsOf(op.getX()), out = dimsOf(op.getOutput());
  bool areStatic = llvm::none_of(in, ShapedType::isDynamic) && llvm::none_of(out, ShapedType::isDynamic);
  // A size that is given too counts where the scale gives another one.
  bool isOther = op.getOutSize() || !op.getSizeTensor().empty();
  if (areStatic && !numbers.empty())
    isOther = !llvm::all_of(llvm::seq<size_t>(in.size()), [&](size_t i) {
      auto factor = static_cast<float>(numbers[numbers.size() == 1 ? 0 : i]);
      return static_cast<int64_t>(static_cast<float>(in[i]) * factor) == out[i];
    });
  if (isOther || (areStatic && in == out))
    return "";
  Type real = Float32Type::get(op->getContext());
  std::vector<std::string> pieces{node.numbers({1, 1}, real)};
  std::string factors = hasTensor ? node.reshape(node.cast(node.of(op.getScaleTensor()), real), {-1})
                                  : node.numbers(llvm::SmallVector<double>(op.getScale()), real);
  int64_t count = hasTensor ? pd::tensorType(op.getScaleTensor()).getNumElements()
                            : static_cast<int64_t>(op.getScale().size());
  pieces.insert(pieces.end(), count == 1 ? spatial : 1, factors);
  return node.node("Concat", pieces, {{"axis", int64_t(0)}});
}

/// ONNX's name of the rule from output to input positions. A single output is at position 0.
static std::string coordinatesOf(bool alignsCorners, bool isLinear, bool isNearest, int64_t alignMode) {
  if (alignsCorners)
    return "align_corners";
  if (isNearest || (isLinear && alignMode == 1))
    return "asymmetric";
  return isLinear ? "pytorch_half_pixel" : "half_pixel";
}

template <class Op> static void exportInterpolation(NodeExporter &node, llvm::StringRef mode) {
  auto op = node.get<Op>();
  auto type = pd::tensorType(op.getX());
  int64_t spatial = type.getRank() - 2;
  bool isNearest = mode == "nearest";
  std::string x = channelsFirst(node, op.getX(), op.getDataFormat());
  std::string scales = scalesOf(node, op, spatial), sizes;
  if (scales.empty()) {
    std::string outer = node.node("Slice", {node.shapeOf(x), node.ints({0}), node.ints({2})});
    sizes = node.node("Concat", {outer, outputSizes(node, op, spatial)}, {{"axis", int64_t(0)}});
  }
  std::vector<Named> attributes{
      {"mode", mode.str()},
      {"coordinate_transformation_mode", coordinatesOf(op.getAlignCorners(), mode == "linear", isNearest,
                                                       static_cast<int64_t>(op.getAlignMode()))}};
  if (isNearest)
    attributes.push_back({"nearest_mode", std::string(op.getAlignCorners() ? "round_prefer_ceil" : "floor")});
  if (mode == "cubic")
    attributes.push_back({"cubic_coeff_a", -0.75F});
  std::string out = node.node("Resize", {x, "", scales, sizes}, attributes);
  node.setResult(0, inFormat(node, out, type.getRank(), op.getDataFormat()));
}

void exportLinearInterp(NodeExporter &node) { exportInterpolation<pd::LinearInterpOp>(node, "linear"); }
void exportBilinearInterp(NodeExporter &node) { exportInterpolation<pd::BilinearInterpOp>(node, "linear"); }
void exportTrilinearInterp(NodeExporter &node) { exportInterpolation<pd::TrilinearInterpOp>(node, "linear"); }
void exportBicubicInterp(NodeExporter &node) { exportInterpolation<pd::BicubicInterpOp>(node, "cubic"); }
void exportNearestInterp(NodeExporter &node) { exportInterpolation<pd::NearestInterpOp>(node, "nearest"); }

} // namespace proa::exporter::onnxhooks
