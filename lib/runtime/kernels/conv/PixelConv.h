/// Convolutions in float32 with channels first as GEMMs of the filter and of columns, whose vectors are
/// neighbouring pixels of the result: neither the image nor the result is transposed. A panel holds the
/// windows of some pixels, so a window of one pixel is only copied. Panels of larger windows pay for many
/// output channels: patches.
#pragma once

#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/common/RowPostOps.h"
#include "lib/runtime/kernels/conv/ConvChoice.h"

namespace proa::runtime {

class PixelConv {
public:
  /// Why this is not the kernel of a convolution; null: it can be.
  static const char *whyNot(const ConvProblem &problem);
  /// Estimated time on one core, without reading the filter from memory.
  static double nanoseconds(const ConvProblem &problem, const CpuFacts &cpu);
  /// Of a convolution without whyNot that takes this long. `filters` holds the filter [outputs, inputs of a
  /// group, kernel...] and keeps the packed one.
  static std::unique_ptr<PixelConv> create(const ConvProblem &problem, double nanoseconds,
                                           const float *filter, const PackedCache &filters);

  /// How many leading post-ops `run` applies.
  size_t fusedCount() const { return fused.size(); }
  void run(Call &call, float *output) const;

private:
  PixelConv(const ConvGeometry &geometry, std::vector<PostOp> fused);
  struct Worker;
  void pack(const float *filter, float *to) const;
  void copyPanel(const Worker &worker, int64_t image, int64_t group, int64_t pixel, int64_t width,
                 int64_t term, int64_t count) const;
  void computePanels(const Worker &worker, int64_t image, int64_t group, int64_t first, int64_t count) const;

  int64_t inputs() const { return geometry.inputChannels() / geometry.groups; }
  int64_t outputs() const { return geometry.outputChannels() / geometry.groups; }
  int64_t terms() const { return inputs() * geometry.kernel[0] * geometry.kernel[1]; }
  int64_t pixels() const { return geometry.output.dims[2] * geometry.output.dims[3]; }
  int64_t panels() const { return (pixels() + panelPixels - 1) / panelPixels; }

  ConvGeometry geometry;
  std::vector<PostOp> fused;
  bool isPointwise; ///< windows of one pixel without strides and padding
  int64_t panelPixels;
  RowBounds bounds;
  double nanosecondsOfRun = 0;                ///< on one core
  std::shared_ptr<const PackedTensor> filter; ///< [group, block of terms, block of outputs, term, output]
};

} // namespace proa::runtime
