//! Hooks of ONNX's convolutions.
#include "translator/import/onnx/hooks/Conv.h"

#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Window.h"

#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/conv/DeformableConv.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"

using namespace mlir;

namespace proa::import {

using pd::Expression;

/// x plus a bias for each channel, with the dims that fusions match (passes/fuse).
static Expression withChannelBias(NodeImporter &node, Expression x, llvm::StringRef name) {
  Value bias = node.input(name);
  if (!bias)
    return x;
  llvm::SmallVector<int64_t> shape(x.rank(), 1);
  shape[1] = -1;
  return x + node.tensors().reshape(node.wrap(bias), shape);
}

/// Image and filter of a convolution, with two or three spatial dimensions.
struct OnnxConvolution {
  Expression x, filter;
  OnnxWindow window;
  bool isLifted; ///< from one spatial dimension
};

static OnnxConvolution readConvolution(NodeImporter &node, Expression x, Expression filter) {
  llvm::SmallVector<int64_t> spatial = spatialDimsOf(node, x);
  if (filter.rank() != x.rank()) {
    node.report("the filter has rank " + llvm::Twine(filter.rank()) + ", expected the image's rank, " +
                llvm::Twine(x.rank()));
    node.stop();
  }
  OnnxWindow window = readWindow(node, spatial, filter.type().getShape().drop_front(2));
  if (x.rank() > 3)
    return {x, filter, window, false};
  addUnitDimension(window);
  return {insertDim(x, 2), insertDim(filter, 2), window, true};
}

Expression convolve(NodeImporter &node, Expression image, Expression kernel) {
  auto [x, filter, window, isLifted] = readConvolution(node, image, kernel);
  int64_t group = node.intAttribute("group");
  Expression out =
      window.spatial() == 2
          ? node.create<pd::Conv2dOp>(x, filter, window.strides, window.paddings, window.algorithm,
                                      window.dilations, group, pd::DataFormat::NCHW)
          : node.create<pd::Conv3dOp>(x, filter, window.strides, window.paddings, window.algorithm,
                                      window.dilations, group, pd::DataFormat::NCDHW);
  return isLifted ? dropDim(out, 2) : out;
}

namespace onnxhooks {

void importConv(NodeImporter &node) {
  Expression out = convolve(node, node.operand("X"), node.operand("W"));
  node.setOutput("Y", withChannelBias(node, out, "B"));
}

/// Zeros after each dimension, or without: paddings that no padding of a transposed convolution expresses.
struct TransposedDims {
  llvm::SmallVector<int64_t> outputPadding; ///< for the op
  llvm::SmallVector<int64_t> zeros;         ///< after its result
};

/// Sets the paddings with which the result has the dims `outputs`.
static void padTransposed(NodeImporter &node, OnnxWindow &window, llvm::ArrayRef<int64_t> input,
                          llvm::ArrayRef<int64_t> outputPadding,
                          std::optional<llvm::SmallVector<int64_t>> outputs, TransposedDims &dims) {
  std::string autoPad = node.stringAttribute("auto_pad", "NOTSET");
  bool isSame = llvm::StringRef(autoPad).starts_with("SAME");
  size_t first = window.spatial() - outputPadding.size(); // without an added unit dimension
  for (size_t i = 0; i < outputPadding.size(); ++i) {
    size_t d = first + i;
    int64_t extra = outputPadding[i], stride = window.strides[d];
    if (outputs || isSame) {
      if (outputs && ShapedType::isDynamic(input[i])) {
        node.reportOpen("attribute 'output_shape' needs static spatial dims of the input");
        node.stop();
      }
      // Of the dims with SAME, input * stride, the input cancels out.
      int64_t total = outputs ? (input[i] - 1) * stride + window.width(d) + extra - (*outputs)[i]
                              : window.width(d) + extra - stride;
      int64_t padding = std::max<int64_t>(total, 0);
      bool isUpper = autoPad == "SAME_UPPER";
      window.paddings[2 * d] = isUpper ? padding / 2 : padding - padding / 2;
      window.paddings[2 * d + 1] = padding - window.paddings[2 * d];
      extra += padding - total;
    }
    bool fits = extra == 0 || extra < std::max(stride, window.dilations[d]);
    dims.outputPadding.push_back(fits ? extra : 0);
    dims.zeros.push_back(fits ? 0 : extra);
  }
  dims.outputPadding.insert(dims.outputPadding.begin(), first, 0);
  dims.zeros.insert(dims.zeros.begin(), first, 0);
}

/// The trailing entries of `output_shape`: it may have the batch and channels too.
static std::optional<llvm::SmallVector<int64_t>> outputShape(NodeImporter &node, size_t spatial) {
  std::optional<llvm::SmallVector<int64_t>> list = node.optionalInts("output_shape");
  if (!list || list->empty())
    return std::nullopt;
  if (list->size() != spatial && list->size() != spatial + 2) {
    node.report("attribute 'output_shape' has " + llvm::Twine(list->size()) + " numbers, expected " +
                llvm::Twine(spatial));
    node.stop();
  }
  return llvm::SmallVector<int64_t>(llvm::ArrayRef(*list).take_back(spatial));
}

void importConvTranspose(NodeImporter &node) {
  llvm::SmallVector<int64_t> input = spatialDimsOf(node, node.operand("X"));
  auto [x, filter, window, isLifted] = readConvolution(node, node.operand("X"), node.operand("W"));
  window.algorithm = pd::PaddingAlgorithm::Explicit;
  llvm::SmallVector<int64_t> extra = node.intsAttribute("output_padding");
  extra.resize(input.size(), 0);
  TransposedDims dims;
  padTransposed(node, window, input, extra, outputShape(node, input.size()), dims);
  int64_t group = node.intAttribute("group");
  llvm::ArrayRef<int64_t> none;
  Expression out = window.spatial() == 2
                       ? node.create<pd::Conv2dTransposeOp>(x, filter, window.strides, window.paddings,
                                                            dims.outputPadding, none, window.algorithm,
                                                            window.dilations, group, pd::DataFormat::NCHW)
                       : node.create<pd::Conv3dTransposeOp>(x, filter, window.strides, window.paddings,
                                                            dims.outputPadding, none, window.algorithm,
                                                            window.dilations, group, pd::DataFormat::NCDHW);
  if (llvm::any_of(dims.zeros, [](int64_t n) { return n != 0; })) {
    llvm::SmallVector<int64_t> paddings(4, 0);
    for (int64_t n : dims.zeros)
      paddings.append({0, n});
    out = node.create<pd::PadOp>(out, paddings, llvm::APFloat(0.0));
  }
  out = withChannelBias(node, out, "B");
  node.setOutput("Y", isLifted ? dropDim(out, 2) : out);
}

void importDeformConv(NodeImporter &node) {
  Expression x = node.operand("X"), filter = node.operand("W");
  OnnxWindow window = readWindow(node, spatialDimsOf(node, x), filter.type().getShape().drop_front(2));
  if (window.spatial() != 2) {
    node.report("its input has rank " + llvm::Twine(x.rank()) + ", expected two spatial dimensions");
    node.stop();
  }
  // The paddings of pd are pairs: zeros before and after differ by padding the image.
  llvm::SmallVector<int64_t> common, rest(4, 0);
  for (size_t i = 0; i < 2; ++i) {
    int64_t before = window.paddings[2 * i], after = window.paddings[2 * i + 1];
    common.push_back(before);
    rest.append({0, after - before});
  }
  bool isEven = llvm::all_of(rest, [](int64_t n) { return n == 0; });
  if (!isEven) {
    rest = {0, 0, 0, 0};
    llvm::append_range(rest, window.paddings);
    common = {0, 0};
    x = node.create<pd::PadOp>(x, rest, llvm::APFloat(0.0));
  }
  Expression out = node.create<pd::DeformableConvOp>(
      x, node.operand("offset"), filter, node.input("mask"), window.strides, common, window.dilations,
      node.intAttribute("offset_group"), node.intAttribute("group"));
  node.setOutput("Y", withChannelBias(node, out, "B"));
}

} // namespace onnxhooks
} // namespace proa::import
