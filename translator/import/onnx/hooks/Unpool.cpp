//! Hooks of the inverses of ONNX's windows: MaxUnpool and Col2Im.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/conv/UnfoldOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

static DimSize productOf(NodeImporter &node, llvm::ArrayRef<DimSize> dims) {
  DimSize product(1);
  for (const DimSize &dim : dims)
    product = multiply(node.tensors(), product, dim);
  return product;
}

void importMaxUnpool(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X"), indices = node.operand("I");
  size_t n = x.rank() - 2;
  llvm::SmallVector<int64_t> kernel = node.intsAttribute("kernel_shape"),
                             strides = node.intsAttribute("strides", llvm::SmallVector<int64_t>(n, 1)),
                             pads = node.intsAttribute("pads", llvm::SmallVector<int64_t>(2 * n, 0));
  if (kernel.size() != n || strides.size() != n || pads.size() != 2 * n) {
    node.report("attributes 'kernel_shape', 'strides' and 'pads' have other lengths than expected for " +
                llvm::Twine(n) + " spatial dimensions");
    node.stop();
  }
  llvm::SmallVector<DimSize> shape{DimSize(x, 0), DimSize(x, 1)};
  for (size_t i = 0; i < n; ++i) {
    DimSize spread = multiply(e, add(e, DimSize(x, static_cast<int64_t>(i) + 2), -1), DimSize(strides[i]));
    shape.push_back(add(e, spread, kernel[i] - pads[i] - pads[n + i]));
  }
  Expression zeros = expandTo(node.scalar(0, x.type().getElementType()), {productOf(node, shape)});
  Expression flat = node.create<pd::PutAlongAxisOp>(zeros, e.reshape(indices, {-1}), e.reshape(x, {-1}), 0,
                                                    pd::ScatterReduce::Assign);
  Expression out = reshapeTo(flat, shape);
  // The elements are at the beginning of a larger result.
  if (std::optional<llvm::SmallVector<int64_t>> dims = node.optionalInts("output_shape");
      dims && !dims->empty()) {
    llvm::SmallVector<int64_t> paddings;
    for (auto [dim, size] : llvm::zip(*dims, shape)) {
      if (!size.isKnown() || dim < size.getNumber()) {
        node.reportOpen("input 'output_shape' needs static dims of 'X' of which the result is not smaller");
        node.stop();
      }
      paddings.append({0, dim - size.getNumber()});
    }
    out = node.create<pd::PadOp>(out, paddings, llvm::APFloat(0.0));
  }
  node.setOutput("output", out);
}

namespace {

/// The windows of Col2Im over a padded image.
struct ColumnWindows {
  llvm::SmallVector<int64_t> image, kernel, strides, dilations, pads;

  size_t spatial() const { return image.size(); }
  int64_t padded(size_t i) const { return image[i] + pads[i] + pads[spatial() + i]; }
  int64_t blocks(size_t i) const { return (padded(i) - dilations[i] * (kernel[i] - 1) - 1) / strides[i] + 1; }

  /// For each element of the kernel and each window the index into the padded image, in row-major order.
  llvm::SmallVector<int64_t> indices() const {
    llvm::SmallVector<int64_t> flat{0};
    auto extend = [&](size_t i, int64_t count, int64_t step) {
      llvm::SmallVector<int64_t> next;
      int64_t stride = 1;
      for (size_t j = i + 1; j < spatial(); ++j)
        stride *= padded(j);
      for (int64_t before : flat)
        for (int64_t k = 0; k < count; ++k)
          next.push_back(before + k * step * stride);
      flat = std::move(next);
    };
    for (size_t i = 0; i < spatial(); ++i)
      extend(i, kernel[i], dilations[i]);
    for (size_t i = 0; i < spatial(); ++i)
      extend(i, blocks(i), strides[i]);
    return flat;
  }
};

ColumnWindows readColumnWindows(NodeImporter &node) {
  ColumnWindows windows{node.intsAttribute("image_shape"), node.intsAttribute("block_shape"), {}, {}, {}};
  size_t n = windows.spatial();
  windows.strides = node.intsAttribute("strides", llvm::SmallVector<int64_t>(n, 1));
  windows.dilations = node.intsAttribute("dilations", llvm::SmallVector<int64_t>(n, 1));
  windows.pads = node.intsAttribute("pads", llvm::SmallVector<int64_t>(2 * n, 0));
  bool isValid = windows.kernel.size() == n && windows.strides.size() == n && windows.dilations.size() == n &&
                 windows.pads.size() == 2 * n;
  for (size_t i = 0; i < n && isValid; ++i)
    isValid = windows.strides[i] > 0 && windows.blocks(i) > 0;
  if (isValid)
    return windows;
  node.report("its windows do not fit: expected 'block_shape', 'strides', 'dilations' and 'pads' for " +
              llvm::Twine(n) + " dimensions, and windows within the padded image");
  node.stop();
}

} // namespace

void importCol2Im(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("input");
  ColumnWindows windows = readColumnWindows(node);
  size_t n = windows.spatial();
  if (n == 2 && isa<FloatType>(x.type().getElementType()))
    return node.setOutput("output", node.create<pd::FoldOp>(x, windows.image, windows.kernel, windows.strides,
                                                            windows.pads, windows.dilations));
  int64_t elements = 1, pixels = 1;
  for (size_t i = 0; i < n; ++i) {
    elements *= windows.kernel[i];
    pixels *= windows.padded(i);
  }
  DimSize batch(x, 0), channels = divide(e, DimSize(x, 1), elements), planes = multiply(e, batch, channels);
  llvm::SmallVector<int64_t> indices = windows.indices();
  Expression columns = reshapeTo(x, {planes, DimSize(static_cast<int64_t>(indices.size()))});
  Expression zeros = expandTo(node.scalar(0, x.type().getElementType()), {planes, DimSize(pixels)});
  Expression image = node.create<pd::IndexAddOp>(zeros, node.integers(indices), columns, 1);
  llvm::SmallVector<DimSize> shape{batch, channels};
  for (size_t i = 0; i < n; ++i)
    shape.push_back(DimSize(windows.padded(i)));
  image = reshapeTo(image, shape);
  for (size_t i = 0; i < n; ++i)
    if (windows.padded(i) != windows.image[i])
      image = slice(image, static_cast<int64_t>(i) + 2, windows.pads[i], windows.pads[i] + windows.image[i]);
  node.setOutput("output", image);
}

} // namespace proa::import::onnxhooks
