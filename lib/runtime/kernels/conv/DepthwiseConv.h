/// Convolutions of each channel with a filter of its own and with dilated taps, channels last, in float32:
/// oneDNN 2.6.3 computes them as products of groups that it fills up with zeros, at a tenth of the speed.
#pragma once

#include "lib/runtime/kernels/conv/ConvGeometry.h"

namespace proa::runtime {

class DepthwiseConv {
public:
  static bool supports(const ConvConfig &attributes, const ConvGeometry &geometry,
                       std::span<const OperandType> inputs);

  /// `filter` is [channels, 1, kernel...]. What it is packed to is kept, so that it may change only with a
  /// new object.
  DepthwiseConv(const ConvConfig &attributes, const ConvGeometry &geometry, const float *filter);

  /// How many leading post-ops `run` applies: the bias.
  size_t fusedCount() const { return biasInput ? 1 : 0; }
  /// `bias` is null where there is none.
  void run(const float *input, const float *bias, float *output) const;
  /// The step's input that holds the bias.
  std::optional<size_t> bias() const { return biasInput; }

private:
  ConvGeometry geometry;
  std::optional<size_t> biasInput;
  std::vector<float> taps; ///< [kernel..., channels]
};

} // namespace proa::runtime
