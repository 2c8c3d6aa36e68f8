/// The attributes of Fourier transforms.
#pragma once

#include "lib/runtime/kernels/common/Checks.h"

#include "dialects/pd/ops/signal/Fft.kernels.inc"

#include <cmath>

namespace proa::runtime {

/// Attributes of "fft_c2c", "fft_r2c" and "fft_c2r".
struct FftConfig {
  std::vector<int64_t> axes;
  FftNormalization normalization;
  bool forward = true, onesided = true;
  int64_t lastDim = 0; ///< of the result of c2r along the last axis; 0: twice the operand's last dim, less 2

  /// From the struct that is generated from the record.
  template <class Op>
  FftConfig(const Op &op, Checks &checks)
      : axes(op.axes), normalization(op.normalization), forward(op.forward) {
    if constexpr (requires { op.onesided; })
      onesided = op.onesided;
    if constexpr (requires { op.lastDimSize; })
      lastDim = op.lastDimSize;
    checks.expect(!axes.empty(), "expected at least one axis");
  }
  /// The factor of the result; `count` is the product of the transformed lengths.
  double scale(double count) const {
    if (normalization == FftNormalization::Ortho)
      return 1 / std::sqrt(count);
    return (normalization == FftNormalization::Forward) == forward ? 1 / count : 1;
  }
};

} // namespace proa::runtime
