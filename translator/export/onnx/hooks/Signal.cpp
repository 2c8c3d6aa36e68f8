//! Discrete Fourier transforms, as DFT of ONNX on pairs of real numbers.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ops/signal/FftOps.h"

#include <cmath>

using namespace mlir;

namespace proa::exporter::onnxhooks {

using Name = NodeExporter::Name;

/// The transform of a tensor of pairs along an axis; an inverse one has the factor 1 / n. `isOnesided`: of
/// real numbers, with one component each.
static Name dft(NodeExporter &node, Name x, int64_t axis, bool isInverse, bool isOnesided = false) {
  Type i64 = IntegerType::get(node.getOp()->getContext(), 64);
  std::vector<NodeExporter::Named> attributes{{"inverse", int64_t(isInverse)},
                                              {"onesided", int64_t(isOnesided)}};
  if (node.getOpset() >= 20)
    return node.node("DFT", {std::move(x), "", node.scalar(static_cast<double>(axis), i64)},
                     std::move(attributes));
  attributes.push_back({"axis", axis});
  return node.node("DFT", {std::move(x)}, std::move(attributes));
}

/// The conjugates of pairs.
static Name conjugated(NodeExporter &node, Name pairs, Type element) {
  return node.node("Mul", {std::move(pairs), node.numbers({1, -1}, element)});
}

/// The power of the number of elements in the factor of a transform.
static double powerOf(pd::FftNormalization normalization, bool isForward) {
  if (normalization == pd::FftNormalization::Ortho)
    return -0.5;
  return isForward == (normalization == pd::FftNormalization::Forward) ? -1 : 0;
}

/// `out` times a power of the number of elements of `x` along the axes.
static Name scaled(NodeExporter &node, Name out, RankedTensorType type, Name x, llvm::ArrayRef<int64_t> axes,
                   double power, Type element) {
  if (power == 0)
    return out;
  if (llvm::none_of(axes, [&](int64_t axis) { return type.isDynamicDim(axis); })) {
    double count = 1;
    for (int64_t axis : axes)
      count *= static_cast<double>(type.getDimSize(axis));
    return node.node("Mul", {std::move(out), node.scalar(std::pow(count, power), element)});
  }
  Name sizes = node.node("Gather", {node.shapeOf(std::move(x)), node.ints(axes)});
  Name count = node.cast(node.node("ReduceProd", {std::move(sizes)}, {{"keepdims", int64_t(0)}}), element);
  return node.node("Mul",
                   {std::move(out), node.node("Pow", {std::move(count), node.scalar(power, element)})});
}

/// Axes as indices of dimensions.
static llvm::SmallVector<int64_t> indicesOf(llvm::ArrayRef<int64_t> axes, int64_t rank) {
  llvm::SmallVector<int64_t> indices;
  for (int64_t axis : axes)
    indices.push_back(axis < 0 ? axis + rank : axis);
  return indices;
}

static Type componentOf(Value spectrum) {
  return cast<ComplexType>(pd::tensorType(spectrum).getElementType()).getElementType();
}

void exportFftC2c(NodeExporter &node) {
  auto op = node.get<pd::FftC2cOp>();
  RankedTensorType type = pd::tensorType(op.getX());
  llvm::SmallVector<int64_t> axes = indicesOf(op.getAxes(), type.getRank());
  Name out = node.of(op.getX());
  for (int64_t axis : axes)
    out = dft(node, out, axis, !op.getForward());
  double power = powerOf(op.getNormalization(), op.getForward()) + (op.getForward() ? 0 : 1);
  node.setResult(0, scaled(node, out, type, out, axes, power, componentOf(op.getX())));
}

void exportFftR2c(NodeExporter &node) {
  auto op = node.get<pd::FftR2cOp>();
  RankedTensorType type = pd::tensorType(op.getX());
  llvm::SmallVector<int64_t> axes = indicesOf(op.getAxes(), type.getRank());
  Name x = node.of(op.getX());
  Name out =
      dft(node, node.unsqueeze(x, {type.getRank()}), axes.back(), /*isInverse=*/false, op.getOnesided());
  for (int64_t axis : llvm::drop_end(axes))
    out = dft(node, out, axis, /*isInverse=*/false);
  // The backward transform of real numbers is the conjugate of the forward one.
  if (!op.getForward())
    out = conjugated(node, out, type.getElementType());
  double power = powerOf(op.getNormalization(), op.getForward());
  node.setResult(0, scaled(node, out, type, x, axes, power, type.getElementType()));
}

/// All elements of a spectrum along an axis, of the first half of them: the others are their conjugates.
static Name wholeSpectrum(NodeExporter &node, Name half, int64_t axis, bool isEven, Type element) {
  Name rest = node.node(
      "Slice", {half, node.ints({isEven ? -2 : -1}), node.ints({0}), node.ints({axis}), node.ints({-1})});
  return node.node("Concat", {half, conjugated(node, rest, element)}, {{"axis", axis}});
}

void exportFftC2r(NodeExporter &node) {
  auto op = node.get<pd::FftC2rOp>();
  RankedTensorType type = pd::tensorType(op.getOut());
  Type element = type.getElementType();
  llvm::SmallVector<int64_t> axes = indicesOf(op.getAxes(), type.getRank());
  Name out = node.of(op.getX());
  // The result is real: the forward transform is the backward one of the conjugates.
  if (op.getForward())
    out = conjugated(node, out, element);
  for (int64_t axis : llvm::drop_end(axes))
    out = dft(node, out, axis, /*isInverse=*/true);
  out = wholeSpectrum(node, out, axes.back(), op.getLastDimSize() % 2 == 0, element);
  out = dft(node, out, axes.back(), /*isInverse=*/true);
  Type i64 = IntegerType::get(op.getContext(), 64);
  out = node.node("Gather", {out, node.scalar(0, i64)}, {{"axis", int64_t(-1)}});
  double power = powerOf(op.getNormalization(), op.getForward()) + 1;
  node.setResult(0, scaled(node, out, type, out, axes, power, element));
}

} // namespace proa::exporter::onnxhooks
