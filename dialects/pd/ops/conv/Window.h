/// Sliding windows of convolutions and poolings: attributes, paddings and dims.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// The number of channels of an image.
inline int64_t channelsOf(mlir::RankedTensorType image, DataFormat dataFormat) {
  return image.getDimSize(channelsAreLast(dataFormat) ? image.getRank() - 1 : 1);
}

/// Attributes of a window over `spatial` dimensions. Errors cite the number of the op's constraint.
struct Window {
  int64_t spatial;
  llvm::SmallVector<int64_t> kernel;
  llvm::SmallVector<int64_t> strides;
  llvm::SmallVector<int64_t> paddings;
  llvm::SmallVector<int64_t> dilations;
  PaddingAlgorithm paddingAlgorithm = PaddingAlgorithm::Explicit;

  /// Paddings as two values for each dimension, before and after; kDynamic if they depend on a dynamic dim of
  /// the input. `input` has the spatial dims. With SAME dilations count as 1, as in Paddle.
  llvm::SmallVector<int64_t> resolvedPaddings(llvm::ArrayRef<int64_t> input) const;
  /// As above for windows over the input, with padding after it so that the first window fits: Paddle divides
  /// towards zero, so a window that exceeds the padded input by less than a stride still counts.
  llvm::SmallVector<int64_t> paddingsThatFit(llvm::ArrayRef<int64_t> input) const;
  /// Dilations after the padding algorithm.
  int64_t dilation(int64_t i) const { return paddingAlgorithm == PaddingAlgorithm::Same ? 1 : dilations[i]; }
};

/// Checks strides, dilations and paddings; `constraint` is their number in the op's description.
mlir::LogicalResult checkWindow(std::optional<mlir::Location> location, const Window &window,
                                llvm::StringRef constraint);
/// Checks strides of a global or adaptive pooling, whose windows do not depend on them. Paddle divides by
/// strides of global poolings.
mlir::LogicalResult checkUnusedStrides(std::optional<mlir::Location> location, const Window &window,
                                       bool isGlobal, llvm::StringRef constraint);
/// The spatial dims of a shape.
llvm::SmallVector<int64_t> spatialDims(llvm::ArrayRef<int64_t> shape, DataFormat dataFormat);
/// A shape of batch, channels and spatial dims.
llvm::SmallVector<int64_t> shapeOf(int64_t batch, int64_t channels, llvm::ArrayRef<int64_t> spatial,
                                   DataFormat dataFormat);
/// The number of windows that fit, or an error; kDynamic for dynamic dims.
mlir::FailureOr<llvm::SmallVector<int64_t>> windowCounts(std::optional<mlir::Location> location,
                                                         const Window &window, llvm::ArrayRef<int64_t> input,
                                                         bool ceilMode, llvm::StringRef constraint);

} // namespace proa::pd
