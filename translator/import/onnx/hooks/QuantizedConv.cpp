//! Hooks of convolutions and poolings of quantized images, and of ONNX Runtime's fused ones.
#include "translator/import/onnx/ElementTypes.h"
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Contrib.h"
#include "translator/import/onnx/hooks/Conv.h"
#include "translator/import/onnx/hooks/Quantization.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::Expression;

void importConv(NodeImporter &node);
void importAveragePool(NodeImporter &node);
void importMaxPool(NodeImporter &node);

namespace {

/// A parameter for each output channel, as dims before which `leading` dimensions are; others as they are.
Value alongChannels(NodeImporter &node, Value parameter, int64_t rank, int64_t channelDim) {
  if (!parameter || pd::tensorType(parameter).getRank() != 1)
    return parameter;
  if (pd::tensorType(parameter).getDimSize(0) == 1)
    return node.tensors().reshape(node.wrap(parameter), {});
  llvm::SmallVector<int64_t> shape(static_cast<size_t>(rank - channelDim), 1);
  shape[0] = -1;
  return node.tensors().reshape(node.wrap(parameter), shape);
}

/// x with the channels moved to the end, or back from it.
Expression channelsMoved(NodeImporter &node, Expression x, bool toEnd) {
  llvm::SmallVector<int64_t> order{0};
  if (!toEnd)
    order.push_back(x.rank() - 1);
  for (int64_t dim = toEnd ? 2 : 1; dim < (toEnd ? x.rank() : x.rank() - 1); ++dim)
    order.push_back(dim);
  if (toEnd)
    order.push_back(1);
  return node.tensors().transpose(x, order);
}

/// The exact sums of a convolution of integers less their zero points.
Expression integerConvolution(NodeImporter &node, Expression x, Expression filter, llvm::StringRef xZero,
                              llvm::StringRef wZero) {
  int64_t count = 1;
  for (int64_t dim : filter.type().getShape().drop_front(1))
    count = ShapedType::isDynamic(dim) || ShapedType::isDynamic(count) ? ShapedType::kDynamic : count * dim;
  Type type = exactSumType(node, count);
  Value ofFilter = alongChannels(node, node.input(wZero), filter.rank(), 0);
  Value ofImage = node.input(xZero);
  if (ofImage)
    ofImage = node.tensors().reshape(node.wrap(ofImage), {});
  return convolve(node, centered(node, x, ofImage, type), centered(node, filter, ofFilter, type));
}

/// Runs the hook of another op, with `x` as its input X, and returns its result.
Expression resultOf(NodeImporter &node, void (*hook)(NodeImporter &), Expression x) {
  node.overrideInput("X", x);
  hook(node);
  return node.wrap(node.getGraph().lookup(node.getNode().outputs[0]));
}

} // namespace

void importConvInteger(NodeImporter &node) {
  Expression sums =
      integerConvolution(node, node.operand("x"), node.operand("w"), "x_zero_point", "w_zero_point");
  node.setOutput("y", node.tensors().cast(sums, node.getBuilder().getI32Type()));
}

void importQLinearConv(NodeImporter &node) {
  bool isNhwc = node.boolAttribute("channels_last");
  Expression x = node.operand("x"), filter = node.operand("w");
  if (isNhwc)
    x = channelsMoved(node, x, false);
  Expression sums = integerConvolution(node, x, filter, "x_zero_point", "w_zero_point");
  if (Value bias = node.input("B"))
    sums = sums + node.tensors().cast(node.wrap(alongChannels(node, bias, sums.rank(), 1)),
                                      sums.type().getElementType());
  auto scale = [&](llvm::StringRef name) {
    return single(node, alongChannels(node, node.requiredInput(name), sums.rank(), 1));
  };
  Expression factor = scale("x_scale") * scale("w_scale") / scale("y_scale");
  Expression out = requantized(node, sums, factor, "y_zero_point");
  node.setOutput("y", isNhwc ? channelsMoved(node, out, true) : out);
}

static Expression activatedByParameters(NodeImporter &node, Expression x) {
  llvm::SmallVector<double> parameters = node.floatsAttribute("activation_params");
  parameters.resize(std::max<size_t>(parameters.size(), 2), 0);
  return activated(node, x, node.stringAttribute("activation"), parameters[0], parameters[1]);
}

void importFusedConv(NodeImporter &node) {
  Expression out = resultOf(node, importConv, node.operand("X"));
  if (Value residual = node.input("Z"))
    out = out + node.wrap(residual);
  node.setOutput("Y", activatedByParameters(node, out));
}

void importNhwcConv(NodeImporter &node) {
  Expression out = resultOf(node, importConv, channelsMoved(node, node.operand("X"), false));
  node.setOutput("Y", channelsMoved(node, out, true));
}

void importNhwcFusedConv(NodeImporter &node) {
  Expression out =
      channelsMoved(node, resultOf(node, importConv, channelsMoved(node, node.operand("X"), false)), true);
  if (Value residual = node.input("Z"))
    out = out + node.wrap(residual);
  node.setOutput("Y", activatedByParameters(node, out));
}

void importNhwcMaxPool(NodeImporter &node) {
  Expression out = resultOf(node, importMaxPool, channelsMoved(node, node.operand("x"), false));
  node.setOutput("y", channelsMoved(node, out, true));
}

void importQLinearAveragePool(NodeImporter &node) {
  bool isNhwc = node.boolAttribute("channels_last");
  Expression given = node.operand("X");
  Expression x = dequantized(node, given, node.requiredInput("x_scale"), node.input("x_zero_point"));
  Expression mean = resultOf(node, importAveragePool, isNhwc ? channelsMoved(node, x, false) : x);
  if (isNhwc)
    mean = channelsMoved(node, mean, true);
  node.setOutput("Y", quantizedAs(node, mean, "y_scale", "y_zero_point", given));
}

} // namespace proa::import::onnxhooks
