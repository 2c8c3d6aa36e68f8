/// Sliding windows of ONNX's convolutions and poolings.
#pragma once

#include "translator/import/onnx/NodeImporter.h"

namespace proa::import {

/// Attributes of a window, one entry for each spatial dimension.
struct OnnxWindow {
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  /// Two entries for each dimension: before and after it.
  llvm::SmallVector<int64_t> paddings;
  /// Same: the paddings follow from dims that are dynamic at import, and each dilation is 1.
  pd::PaddingAlgorithm algorithm = pd::PaddingAlgorithm::Explicit;

  size_t spatial() const { return kernel.size(); }
  bool isPadded() const {
    return algorithm == pd::PaddingAlgorithm::Same ||
           llvm::any_of(paddings, [](int64_t n) { return n != 0; });
  }
  bool isDilated() const {
    return llvm::any_of(dilations, [](int64_t n) { return n != 1; });
  }
  /// Whether the paddings before and after each dimension are equal.
  bool isSymmetric() const {
    for (size_t i = 0; i < spatial(); ++i)
      if (paddings[2 * i] != paddings[2 * i + 1])
        return false;
    return algorithm == pd::PaddingAlgorithm::Explicit;
  }
  /// The number of elements that a window covers in a dimension.
  int64_t width(size_t i) const { return dilations[i] * (kernel[i] - 1) + 1; }
  /// The number of elements of the kernel.
  int64_t count() const;
};

/// Reads `kernel_shape`, `strides`, `dilations`, `pads` and `auto_pad`, the latter for an input of these
/// spatial dims. `kernel` has the dims of the filter; empty: `kernel_shape` is required. Reports lists of
/// other lengths.
OnnxWindow readWindow(NodeImporter &node, llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> kernel = {});
/// Reports an algorithm other than explicit paddings.
void requireExplicit(NodeImporter &node, const OnnxWindow &window);

/// An entry of 1, or paddings of 0, before the only dimension's: pd has no windows of one dimension.
void addUnitDimension(OnnxWindow &window);
/// The spatial dims of [batch, channels, spatial dims]. Reports an x that has no or more than 3 of them.
llvm::SmallVector<int64_t> spatialDimsOf(NodeImporter &node, pd::Expression x);

} // namespace proa::import
