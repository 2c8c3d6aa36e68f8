/// Windows of average poolings that count padding.
#pragma once

#include "translator/export/onnx/NodeExporter.h"

namespace proa::exporter::onnxhooks {

/// Windows over the spatial dims of an image, with padding before and after it.
struct PaddedWindows {
  std::vector<int64_t> dims, outDims, kernel, strides, befores;

  /// How many elements after the image the last windows have; negative: elements that no window has.
  std::vector<int64_t> afters() const {
    std::vector<int64_t> list;
    for (size_t i = 0; i < dims.size(); ++i)
      list.push_back((outDims[i] - 1) * strides[i] + kernel[i] - dims[i] - befores[i]);
    return list;
  }

  int64_t area() const {
    int64_t area = 1;
    for (int64_t size : kernel)
      area *= size;
    return area;
  }

  /// The number of elements that each window counts, in row-major order. Paddle assumes that the padding
  /// after the image is as large as the one before it.
  std::vector<double> sizes() const {
    std::vector<double> sizes{1};
    for (size_t i = 0; i < dims.size(); ++i) {
      std::vector<double> longer;
      for (double outer : sizes)
        for (int64_t at = 0; at < outDims[i]; ++at) {
          int64_t first = at * strides[i] - befores[i];
          int64_t size = std::min(first + kernel[i], dims[i] + befores[i]) - first;
          longer.push_back(outer * static_cast<double>(size));
        }
      sizes = std::move(longer);
    }
    return sizes;
  }

  /// Numbers for each window as a tensor that broadcasts to the results.
  std::string perWindow(NodeExporter &node, llvm::ArrayRef<double> values, mlir::Type element) const {
    std::vector<int64_t> shape{1, 1};
    shape.insert(shape.end(), outDims.begin(), outDims.end());
    return node.reshape(node.numbers(values, element), shape);
  }
};

} // namespace proa::exporter::onnxhooks
