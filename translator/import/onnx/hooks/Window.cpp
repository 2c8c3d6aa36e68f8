//! Sliding windows of ONNX's convolutions and poolings.
#include "translator/import/onnx/hooks/Window.h"

#include "translator/import/onnx/GraphImporter.h"

using namespace mlir;

namespace proa::import {

int64_t OnnxWindow::count() const {
  int64_t product = 1;
  for (int64_t n : kernel)
    product *= n;
  return product;
}

static llvm::SmallVector<int64_t> windowInts(NodeImporter &node, llvm::StringRef name, size_t count,
                                             int64_t otherwise) {
  std::optional<llvm::SmallVector<int64_t>> list = node.optionalInts(name);
  if (!list || list->empty())
    return llvm::SmallVector<int64_t>(count, otherwise);
  if (list->size() == count)
    return *list;
  node.report("attribute '" + name + "' has " + llvm::Twine(list->size()) + " numbers, expected " +
              llvm::Twine(count));
  node.stop();
}

/// The paddings of SAME_UPPER or SAME_LOWER, with which a window begins at every stride-th element.
static void padSame(NodeImporter &node, OnnxWindow &window, llvm::ArrayRef<int64_t> input, bool isLower) {
  bool isOpen = false;
  for (size_t i = 0; i < window.spatial(); ++i) {
    // With the stride 1 the total does not depend on the dim.
    bool isStatic = !ShapedType::isDynamic(input[i]);
    isOpen |= !isStatic && window.strides[i] != 1;
    int64_t last = isStatic ? (input[i] - 1) / window.strides[i] * window.strides[i] - (input[i] - 1) : 0;
    int64_t total = std::max<int64_t>(last + window.width(i) - 1, 0);
    window.paddings[2 * i] = isLower ? total - total / 2 : total / 2;
    window.paddings[2 * i + 1] = total - window.paddings[2 * i];
  }
  if (!isOpen)
    return;
  window.algorithm = pd::PaddingAlgorithm::Same;
  if (isLower || window.isDilated())
    requireExplicit(node, window);
}

OnnxWindow readWindow(NodeImporter &node, llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> kernel) {
  OnnxWindow window;
  size_t n = input.size();
  window.kernel = windowInts(node, "kernel_shape", n, 0);
  if (!kernel.empty() && (window.kernel[0] == 0 || !node.hasAttribute("kernel_shape")))
    window.kernel = llvm::SmallVector<int64_t>(kernel);
  for (size_t i = 0; i < kernel.size(); ++i)
    if (!ShapedType::isDynamic(kernel[i]) && kernel[i] != window.kernel[i])
      node.report("attribute 'kernel_shape' has " + llvm::Twine(window.kernel[i]) + " in dimension " +
                  llvm::Twine(i) + ", expected the filter's " + llvm::Twine(kernel[i]));
  window.strides = windowInts(node, "strides", n, 1);
  window.dilations = windowInts(node, "dilations", n, 1);
  window.paddings.assign(2 * n, 0);
  std::string autoPad = node.stringAttribute("auto_pad", "NOTSET");
  llvm::SmallVector<int64_t> pads = windowInts(node, "pads", 2 * n, 0);
  if (llvm::any_of(window.strides, [](int64_t stride) { return stride <= 0; }))
    node.report("attribute 'strides' has a number that is not positive");
  if (node.getGraph().hasReported())
    node.stop();
  if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER")
    padSame(node, window, input, autoPad == "SAME_LOWER");
  else if (autoPad != "VALID")
    for (size_t i = 0; i < n; ++i) {
      window.paddings[2 * i] = pads[i];
      window.paddings[2 * i + 1] = pads[n + i];
    }
  return window;
}

void requireExplicit(NodeImporter &node, const OnnxWindow &window) {
  if (window.algorithm == pd::PaddingAlgorithm::Explicit)
    return;
  node.reportOpen("attribute 'auto_pad' is " + node.stringAttribute("auto_pad") +
                  " and the spatial dims of the input are dynamic, expected static ones");
  node.stop();
}

void addUnitDimension(OnnxWindow &window) {
  for (auto *list : {&window.kernel, &window.strides, &window.dilations})
    list->insert(list->begin(), 1);
  window.paddings.insert(window.paddings.begin(), 2, 0);
}

llvm::SmallVector<int64_t> spatialDimsOf(NodeImporter &node, pd::Expression x) {
  if (x.rank() >= 3 && x.rank() <= 5)
    return llvm::SmallVector<int64_t>(x.type().getShape().drop_front(2));
  node.report("its input has rank " + llvm::Twine(x.rank()) +
              ", expected a batch, channels and 1 to 3 spatial dimensions");
  node.stop();
}

} // namespace proa::import
