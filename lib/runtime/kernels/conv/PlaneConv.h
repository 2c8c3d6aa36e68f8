/// Convolutions of few input channels in a group, in float32, over planes of channels: a vector holds
/// neighbouring columns of one output channel, so that images with channels first need no transposes. The
/// input rows of a chunk of output rows are copied, with zeros where a window leaves the image; columns that
/// a stride separates lie together there. Images with channels last are transposed by these copies.
#pragma once

#include "lib/runtime/kernels/common/RowPostOps.h"
#include "lib/runtime/kernels/conv/ConvChoice.h"

namespace proa::runtime {

struct PlaneTile;

/// The columns of a copied row with one remainder of the stride that have an input column: column i is column
/// i * stride - left of the input.
struct CopiedColumns {
  int64_t first, last, left;
};

class PlaneConv {
public:
  /// Why this is not the kernel of a convolution; null: it can be.
  static const char *whyNot(const ConvProblem &problem);
  /// Estimated time on one core.
  static double nanoseconds(const ConvProblem &problem, const CpuFacts &cpu);
  /// Of a convolution without whyNot that takes this long. `filter` is [outputs, inputs of a group,
  /// kernel...]. The packed filter is kept, so that `filter` may change only with a new object.
  static std::unique_ptr<PlaneConv> create(const ConvProblem &problem, double nanoseconds,
                                           const float *filter);

  /// How many leading post-ops `run` applies.
  size_t fusedCount() const { return fused.size(); }
  void run(Call &call, float *output) const;

private:
  PlaneConv(const ConvGeometry &geometry, std::vector<PostOp> fused);
  struct Worker;
  void pack(const float *filter);
  void computeChunk(const Worker &worker, int64_t task) const;
  void copyRows(const Worker &worker, int64_t image, int64_t group, int64_t top, int64_t rows) const;
  void computePlanes(const Worker &worker, const PlaneTile &chunk, int64_t image, int64_t group,
                     int64_t first, int64_t rows) const;
  void computeDepthwise(const Worker &worker, const PlaneTile &chunk, int64_t image, int64_t channel,
                        int64_t first, int64_t rows) const;
  void finish(const Worker &worker, PlaneTile &tile, int64_t image, int64_t channel, int64_t row,
              int64_t lines, bool areChannels) const;

  int64_t inputs() const { return geometry.inputChannels() / geometry.groups; }
  int64_t outputs() const { return geometry.outputChannels() / geometry.groups; }
  int64_t taps() const { return geometry.kernel[0] * geometry.kernel[1]; }
  int64_t firstOutput(int64_t block) const { return block * outputs() / blocks; }
  bool isDepthwise() const { return inputs() == 1 && outputs() == 1; }
  /// Input rows of a chunk of output rows.
  int64_t inputRows(int64_t rows) const {
    return (rows - 1) * geometry.strides[0] + (geometry.kernel[0] - 1) * geometry.dilations[0] + 1;
  }

  ConvGeometry geometry;
  std::vector<PostOp> fused;
  RowBounds bounds;
  int64_t blocks = 1;                 ///< of a group's output channels that are computed at once
  std::vector<CopiedColumns> phases;  ///< by remainder
  int64_t columns = 0;                ///< of a copied row that belong to one remainder of the stride
  int64_t rowFloats = 0;              ///< of a copied row
  int64_t fewestChunks = 1;           ///< of an image's rows, so that the copied ones stay in a cache
  double nanosecondsOfRun = 0;        ///< on one core
  std::vector<int64_t> columnOffsets; ///< of each column of the window in a copied row
  std::vector<int64_t> starts;        ///< first columns of the vectors of an output row; the last may overlap
  std::vector<float> weights;         ///< [group, block, input, kernel..., output]
};

} // namespace proa::runtime
