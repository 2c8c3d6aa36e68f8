/// Convolutions of groups of 1, 2, 4 or 8 channels to as many, channels last, in float32. A vector holds 16
/// neighbouring channels, so all groups in it are computed at once: each element is multiplied by one weight
/// for each input channel of its group, which a shuffle of the vector brings into its place.
///
/// oneDNN 2.6.3 fills up groups of 2 to 8 channels with zeros, and dilated ones of one channel too.
#pragma once

#include "lib/runtime/kernels/common/RowPostOps.h"
#include "lib/runtime/kernels/conv/ConvChoice.h"

namespace proa::runtime {

class GroupedConv {
public:
  /// Why this is not the kernel of a convolution; null: it can be.
  static const char *whyNot(const ConvProblem &problem);
  /// Of a convolution without whyNot. `filter` is [channels, channels of a group, kernel...]. The packed
  /// filter is kept, so that `filter` may change only with a new object.
  static std::unique_ptr<GroupedConv> create(const ConvProblem &problem, const float *filter);

  /// How many leading post-ops `run` applies.
  size_t fusedCount() const { return fused; }
  void run(Call &call, float *output) const;

private:
  explicit GroupedConv(const ConvGeometry &geometry) : geometry(geometry) {}
  void pack(const float *filter);
  int64_t groupChannels() const { return geometry.inputChannels() / geometry.groups; }

  ConvGeometry geometry;
  RowPostOps postOps;
  size_t fused = 0;
  std::vector<float> taps; ///< [kernel..., input channel of the group, channels]
};

} // namespace proa::runtime
