//! Hooks of ONNX's signal processing.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/ComplexOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/signal/FftOps.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

//===-- Fourier transforms ------------------------------------------------------------------------------===//

namespace {

/// A transform along one dimension. Signals have a last dimension of 1 (real) or 2 (real and imaginary
/// component).
struct SignalTransform {
  int64_t axis;
  std::optional<int64_t> length; ///< the dim, if it is not given
  bool isInverse = false, isOnesided = false;
};

/// x with `length` elements along the axis: the first ones, or zeros after all.
Expression resized(NodeImporter &node, Expression x, int64_t axis, int64_t length) {
  DimSize given(x, axis);
  if (!given.isKnown()) {
    node.reportOpen("the length of the signal is dynamic, expected a static one beside 'dft_length'");
    node.stop();
  }
  if (given.getNumber() > length)
    return slice(x, axis, 0, length);
  if (given.getNumber() == length)
    return x;
  llvm::SmallVector<int64_t> paddings(2 * x.rank(), 0);
  paddings[2 * axis + 1] = length - given.getNumber();
  return node.create<pd::PadOp>(x, paddings, llvm::APFloat(0.0));
}

Expression transformed(NodeImporter &node, Expression x, const SignalTransform &transform) {
  pd::TensorBuilder &e = node.tensors();
  int64_t axis = transform.axis, components = x.type().getDimSize(x.rank() - 1);
  if (components != 1 && components != 2) {
    node.reportOpen("the last dimension of the signal is not 1 or 2, expected real or complex numbers");
    node.stop();
  }
  if (transform.length) {
    bool isHalf = transform.isInverse && transform.isOnesided;
    x = resized(node, x, axis, isHalf ? *transform.length / 2 + 1 : *transform.length);
  }
  llvm::ArrayRef<int64_t> axes(axis);
  auto norm = pd::FftNormalization::Backward;
  if (!transform.isInverse && components == 1) {
    Expression real = dropDim(x, x.rank() - 1);
    return node.create<pd::AsRealOp>(node.create<pd::FftR2cOp>(real, axes, norm, true, transform.isOnesided));
  }
  if (components == 1)
    x = pd::concat({x, x * 0.0}, x.rank() - 1);
  Expression values = node.create<pd::AsComplexOp>(x);
  if (transform.isInverse && transform.isOnesided)
    return insertDim(node.create<pd::FftC2rOp>(values, axes, norm, false, transform.length.value_or(0)),
                     x.rank() - 1);
  Expression out =
      node.create<pd::AsRealOp>(node.create<pd::FftC2cOp>(values, axes, norm, !transform.isInverse));
  if (!transform.isOnesided)
    return out;
  DimSize all(out, axis);
  return sliceBetween(out, axis, DimSize(0), add(e, divide(e, all, 2), 1));
}

/// In float32 or float64.
Expression wideSignal(NodeImporter &node, Expression x) { return node.tensors().computed(x); }

} // namespace

void importDft(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("input");
  SignalTransform transform;
  transform.axis = node.intAttribute("axis", node.since() >= 20 ? -2 : 1);
  if (transform.axis < -x.rank() || transform.axis >= x.rank()) {
    node.report("'axis' is " + llvm::Twine(transform.axis) + ", expected a dimension of a tensor of rank " +
                llvm::Twine(x.rank()));
    node.stop();
  }
  transform.axis += transform.axis < 0 ? x.rank() : 0;
  if (node.hasInput("dft_length"))
    transform.length = node.intAttribute("dft_length");
  transform.isInverse = node.boolAttribute("inverse");
  transform.isOnesided = node.boolAttribute("onesided");
  node.setOutput("output",
                 e.cast(transformed(node, wideSignal(node, x), transform), x.type().getElementType()));
}

void importStft(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type();
  Expression signal = node.operand("signal"), x = wideSignal(node, signal);
  int64_t step = node.intAttribute("frame_step");
  std::optional<Expression> window;
  if (Value given = node.input("window"))
    window = e.cast(node.wrap(given), x.type().getElementType());
  DimSize length = node.hasInput("frame_length") ? DimSize(node.intAttribute("frame_length"))
                   : window                      ? DimSize(*window, 0)
                                                 : DimSize(x, 1);
  if (step <= 0 || !length.isKnown()) {
    node.reportOpen("the frames have a dynamic length or a step that is not positive");
    node.stop();
  }
  DimSize frames = add(e, divide(e, add(e, DimSize(x, 1), -length.getNumber()), step), 1);
  DimSize size = window ? DimSize(*window, 0) : length;
  Expression starts = insertDim(iota(e, frames, i64) * static_cast<double>(step), 1);
  Expression samples = node.create<pd::GatherOp>(x, starts + iota(e, size, i64), Value(), 1);
  if (window)
    samples = samples * e.reshape(*window, {-1, 1});
  SignalTransform transform{2, length.getNumber(), false, node.boolAttribute("onesided")};
  node.setOutput("output", e.cast(transformed(node, samples, transform), signal.type().getElementType()));
}

//===-- Mel scale ---------------------------------------------------------------------------------------===//

void importMelWeightMatrix(NodeImporter &node) {
  int64_t bins = node.intAttribute("num_mel_bins"), length = node.intAttribute("dft_length"),
          rate = node.intAttribute("sample_rate");
  double low = node.floatAttribute("lower_edge_hertz"), high = node.floatAttribute("upper_edge_hertz");
  if (node.getGraph().hasReported())
    return;
  int64_t rows = length / 2 + 1;
  auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  // As ONNX's definition, which divides by the number of edges.
  double step = (mel(high) - mel(low)) / static_cast<double>(bins + 2);
  llvm::SmallVector<int64_t> edges;
  for (int64_t i = 0; i < bins + 2; ++i) {
    double hertz = 700 * (std::pow(10.0, (static_cast<double>(i) * step + mel(low)) / 2595) - 1);
    edges.push_back(static_cast<int64_t>(
        std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate))));
  }
  std::vector<double> weights(static_cast<size_t>(rows * bins), 0.0);
  auto set = [&](int64_t row, int64_t bin, int64_t some, int64_t whole) {
    if (row >= 0 && row < rows)
      weights[static_cast<size_t>(row * bins + bin)] = static_cast<double>(some) / static_cast<double>(whole);
  };
  for (int64_t i = 0; i < bins; ++i) {
    int64_t left = edges[i], center = edges[i + 1], right = edges[i + 2];
    if (center == left)
      set(center, i, 1, 1);
    for (int64_t j = left; j <= center && center > left; ++j)
      set(j, i, j - left, center - left);
    for (int64_t j = center; j < right; ++j)
      set(j, i, right - j, right - center);
  }
  Expression flat = node.numbers(weights, node.getBuilder().getF64Type());
  node.setOutput("output", node.tensors().cast(node.tensors().reshape(flat, {rows, bins}),
                                               node.typeAttribute("output_datatype")));
}

} // namespace proa::import::onnxhooks
