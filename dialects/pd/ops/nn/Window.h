/// Sliding windows of convolutions and poolings: attributes, paddings and extents.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// Attributes of a window over `spatial` dimensions. An op's constraint that one of them breaks is cited by
/// its number.
struct Window {
  int64_t spatial;
  llvm::SmallVector<int64_t> kernel;
  llvm::SmallVector<int64_t> strides;
  llvm::SmallVector<int64_t> paddings;
  llvm::SmallVector<int64_t> dilations;
  llvm::StringRef paddingAlgorithm = "EXPLICIT";

  /// Paddings as two values a dimension, before and after; kDynamic where they follow from an input extent
  /// that is not known. `input` holds the spatial extents. With SAME dilations count as 1, as in Paddle.
  llvm::SmallVector<int64_t> resolvedPaddings(llvm::ArrayRef<int64_t> input) const;
  /// The same for windows over the input, with so much more after it that the first window fits: Paddle
  /// divides towards zero, so that a window that sticks out of the padded input by less than a stride still
  /// counts.
  llvm::SmallVector<int64_t> paddingsThatFit(llvm::ArrayRef<int64_t> input) const;
  /// Dilations after the padding algorithm.
  int64_t dilation(int64_t i) const { return paddingAlgorithm == "SAME" ? 1 : dilations[i]; }
};

/// Whether the channels are the last dimension (NHWC, NDHWC, NLC); "NCHW", "NCDHW", "AnyLayout" and such:
/// dimension 1.
bool channelsAreLast(llvm::StringRef dataFormat);
/// C.. of the attributes: `constraint` is their number in the op's description.
mlir::LogicalResult checkDataFormat(std::optional<mlir::Location> location, llvm::StringRef dataFormat,
                                    llvm::StringRef constraint);
mlir::LogicalResult checkWindow(std::optional<mlir::Location> location, const Window &window,
                                llvm::StringRef constraint);
/// The spatial extents of a shape.
llvm::SmallVector<int64_t> spatialDims(llvm::ArrayRef<int64_t> shape, llvm::StringRef dataFormat);
/// A shape of batch, channels and spatial extents.
llvm::SmallVector<int64_t> shapeOf(int64_t batch, int64_t channels, llvm::ArrayRef<int64_t> spatial,
                                   llvm::StringRef dataFormat);
/// How many windows fit, or an error; kDynamic where not known.
mlir::FailureOr<llvm::SmallVector<int64_t>> windowCounts(std::optional<mlir::Location> location,
                                                         const Window &window, llvm::ArrayRef<int64_t> input,
                                                         bool ceilMode, llvm::StringRef constraint);

} // namespace proa::pd
