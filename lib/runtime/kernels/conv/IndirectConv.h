/// Convolutions of images with channels last in float32 by the indirect convolution algorithm: a tile of
/// output positions is a GEMM of the filter and of rows of channels, one for each position and tap, that are
/// found by pointers. A tap that is outside of the image for all positions of a tile is skipped: half of the
/// taps or more where dilations are as large as the image. Source: Dukhan, "The Indirect Convolution
/// Algorithm" (2019).
///
/// With few input channels a tap is a row of the window: its columns and channels are one piece of memory in
/// a copy of the image that has zeros on both sides of each row. That image and the result may have channels
/// first. Sums of at most 4 outputs have vectors of input channels instead of output channels.
#pragma once

#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/common/RowPostOps.h"
#include "lib/runtime/kernels/conv/ConvChoice.h"

namespace proa::runtime {

struct IndirectTerms;

class IndirectConv {
public:
  /// Why this is not the kernel of a convolution; null: it can be.
  static const char *whyNot(const ConvProblem &problem);
  /// Of a convolution without whyNot. `filters` holds the filter [out, in / groups, kh, kw] and keeps the
  /// packed one.
  static std::unique_ptr<IndirectConv> create(const ConvProblem &problem, const float *filter,
                                              const PackedCache &filters);

  /// Whether the convolution has few channels, for which the image is copied.
  static bool copiesImage(const ConvGeometry &geometry);
  /// Whether it has few outputs: vectors are of input channels.
  static bool addsDots(const ConvGeometry &geometry);
  /// Terms that are added in one loop.
  static int64_t termsOfTap(const ConvGeometry &geometry);
  /// With all post-ops; an addend may be in the memory of the output.
  void run(Call &call, float *output) const;

  /// The share of taps inside of the image, from 0 to 1.
  static double usedTaps(const ConvGeometry &geometry);
  /// The share of taps that are inside of the image for any position.
  static double readTaps(const ConvGeometry &geometry);
  /// The share of the rate of whole tiles that the positions reach: few ones leave multipliers idle.
  static double usedRows(const ConvGeometry &geometry);

private:
  IndirectConv(const ConvGeometry &geometry, RowPostOps postOps);
  struct Worker;
  void sortPositions();
  void addRuns(const IndirectTerms &block, int64_t first) const;
  void pack(const float *filter, float *to) const;
  void padRows(const float *input, float *to) const;
  void runUnits(Worker &worker, int64_t begin, int64_t end, float *output,
                std::span<const float *const> operands) const;
  void locateRow(Worker &worker, int64_t position, int64_t index, int64_t count) const;
  void locate(Worker &worker, int64_t first, int64_t count) const;
  template <class Use> void forChunks(Use use) const;
  void multiply(Worker &worker, int64_t group, int64_t channel, int64_t channels) const;
  void addDots(const Worker &worker) const;
  void storeFirst(const Worker &worker, int64_t channel, int64_t channels, float *output) const;
  void finish(const Worker &worker, int64_t channel, int64_t channels, float *output,
              std::span<const float *const> operands) const;

  /// Columns of the window that are one tap.
  int64_t tapColumns() const { return joinsColumns ? geometry.kernel[1] : 1; }
  int64_t taps() const { return geometry.kernel[0] * geometry.kernel[1] / tapColumns(); }
  int64_t groupInputs() const { return geometry.inputChannels() / geometry.groups; }
  /// Neighbouring elements of a tap.
  int64_t inputs() const { return tapColumns() * groupInputs(); }
  /// Columns of the copy.
  int64_t paddedWidth() const {
    return (geometry.output.dims[3] - 1) * geometry.strides[1] + geometry.kernel[1];
  }
  int64_t outputs() const { return geometry.outputChannels() / geometry.groups; }
  int64_t panelsOfGroup() const;
  /// The position of the output that is computed as the index-th.
  int64_t positionAt(int64_t index) const {
    return sorted.empty() ? index : sorted[static_cast<size_t>(index)];
  }
  int64_t positions() const {
    return geometry.output.dims[0] * geometry.output.dims[2] * geometry.output.dims[3];
  }

  ConvGeometry geometry;
  std::vector<PostOp> leading; ///< a bias and activations, which are computed on all sums of a block at once
  RowBounds bounds;            ///< of `leading`
  RowPostOps postOps;          ///< the ops after `leading`
  bool storesSums = false;     ///< tiles store their sums where the results lie
  bool joinsColumns;           ///< a tap is a row of the window
  int64_t blockPositions = 0;  ///< that share a table of pointers
  int64_t panelWidth = 0;      ///< channels of a panel
  int64_t channelsOfChunk = 0, tapsOfChunk = 0; ///< of terms that are added in one loop
  std::vector<float> zeros;                     ///< the row of a tap outside of the image
  std::shared_ptr<const PackedTensor> filter;   ///< [group, chunk, panel, tap, input, panelWidth]
  std::vector<int64_t> sorted;  ///< positions of the output in the order of computation; empty: as they are
  std::vector<int64_t> runs{0}; ///< first indices of positions with the same taps
};

} // namespace proa::runtime
