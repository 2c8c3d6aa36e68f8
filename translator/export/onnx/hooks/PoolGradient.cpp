//! Gradients of poolings.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/PaddedWindows.h"

#include "dialects/pd/ops/image/Image.h"
#include "dialects/pd/ops/image/PoolOps.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {
namespace {

using Ints = std::vector<int64_t>;

/// The gradient of a pooling with static spatial dims and windows of one size.
template <class Op> class PoolGradient {
public:
  PoolGradient(NodeExporter &node, int64_t spatial)
      : node(node), op(node.get<Op>()), spatial(spatial),
        dims(pd::tensorType(op.getX()).getShape().drop_front(2)),
        outDims(pd::tensorType(op.getOutGradient()).getShape().drop_front(2)) {}

  void run() {
    if (!resolve())
      return;
    bool isMax = op.getPoolingType() == pd::PoolingType::Max;
    node.setResult(0, isMax ? ofMaximum() : ofMean());
  }

private:
  /// The window; false, and a report, if ONNX has no such pooling.
  bool resolve() {
    if (op.getKernelSizeTensor() || pd::channelsAreLast(op.getDataFormat()) ||
        llvm::any_of(dims, ShapedType::isDynamic) || llvm::any_of(outDims, ShapedType::isDynamic)) {
      node.report("has channels last, or dynamic spatial dims; expected channels first and static dims");
      return false;
    }
    kernel.assign(op.getKernelSize().begin(), op.getKernelSize().end());
    strides.assign(op.getStrides().begin(), op.getStrides().end());
    if (op.getGlobalPooling() || op.getAdaptive()) {
      for (int64_t i = 0; i < spatial; ++i)
        if (dims[i] % outDims[i] != 0) {
          node.report("is adaptive with windows of several sizes, which ONNX lacks");
          return false;
        }
      kernel.clear();
      for (int64_t i = 0; i < spatial; ++i)
        kernel.push_back(dims[i] / outDims[i]);
      strides = kernel;
      befores.assign(spatial, 0);
    } else {
      pd::Window window{spatial,
                        llvm::SmallVector<int64_t>(op.getKernelSize()),
                        llvm::SmallVector<int64_t>(op.getStrides()),
                        llvm::SmallVector<int64_t>(op.getPaddings()),
                        llvm::SmallVector<int64_t>(spatial, 1),
                        op.getPaddingAlgorithm()};
      llvm::SmallVector<int64_t> paddings = window.resolvedPaddings(dims);
      for (int64_t i = 0; i < spatial; ++i)
        befores.push_back(paddings[2 * i]);
    }
    // As many elements after the input as the last windows have; fewer: the windows leave elements out.
    for (int64_t i = 0; i < spatial; ++i)
      afters.push_back((outDims[i] - 1) * strides[i] + kernel[i] - dims[i] - befores[i]);
    return true;
  }

  Ints pads() const {
    Ints list = befores;
    for (int64_t after : afters)
      list.push_back(std::max<int64_t>(after, 0));
    return list;
  }

  std::string inShapeOf(std::string value, Value like) {
    return node.node("Reshape", {std::move(value), node.shapeOf(node.of(like))});
  }

  /// All of a cotangent goes to the maximum of its window.
  std::string ofMaximum() {
    std::string index = node.nodes("MaxPool", {node.of(op.getX())},
                                   {{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads()}}, 2)[1];
    std::string flat = node.reshape(node.of(op.getX()), {-1});
    Type element = pd::tensorType(op.getX()).getElementType();
    std::string zeros = node.node("Expand", {node.scalar(0, element), node.shapeOf(flat)});
    std::string sum =
        node.node("ScatterElements",
                  {zeros, node.reshape(index, {-1}), node.reshape(node.of(op.getOutGradient()), {-1})},
                  {{"reduction", std::string("add")}});
    return inShapeOf(sum, op.getX());
  }

  /// The cotangents, divided by the sizes of their windows, in all elements of the windows.
  std::string ofMean() {
    Type element = pd::tensorType(op.getX()).getElementType();
    Ints kernelShape{1, 1}, planeShape{-1, 1};
    llvm::append_range(kernelShape, kernel);
    llvm::append_range(planeShape, outDims);
    std::string ones = node.node("Expand", {node.scalar(1, element), node.ints(kernelShape)});
    std::string share =
        node.node("Div", {node.reshape(node.of(op.getOutGradient()), planeShape), sizes(ones)});
    Ints extra;
    for (int64_t after : afters)
      extra.push_back(std::max<int64_t>(-after, 0));
    std::string spread = node.node("ConvTranspose", {share, ones},
                                   {{"strides", strides}, {"pads", pads()}, {"output_padding", extra}});
    return inShapeOf(spread, op.getX());
  }

  /// The number of counted elements of each window.
  std::string sizes(const std::string &ones) {
    Type element = pd::tensorType(op.getX()).getElementType();
    if (!op.getExclusive() && !op.getAdaptive()) {
      PaddedWindows windows{Ints(dims.begin(), dims.end()), Ints(outDims.begin(), outDims.end()), kernel,
                            strides, befores};
      return windows.perWindow(node, windows.sizes(), element);
    }
    Ints plane{1, 1};
    llvm::append_range(plane, dims);
    std::string image = node.node("Expand", {node.scalar(1, element), node.ints(plane)});
    return node.node("Conv", {image, ones}, {{"strides", strides}, {"pads", pads()}});
  }

  NodeExporter &node;
  Op op;
  int64_t spatial;
  llvm::ArrayRef<int64_t> dims, outDims;
  Ints kernel, strides, befores, afters;
};

} // namespace

void exportPool2dGradient(NodeExporter &node) { PoolGradient<pd::Pool2dGradientOp>(node, 2).run(); }
void exportPool3dGradient(NodeExporter &node) { PoolGradient<pd::Pool3dGradientOp>(node, 3).run(); }

} // namespace proa::exporter::onnxhooks
