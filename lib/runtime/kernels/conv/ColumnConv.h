/// Transposed convolutions in float32 whose taps do not overlap, with channels first: one GEMM computes all
/// taps of all channels, whose columns are then interleaved. oneDNN 2.6 reaches half the rate of a matmul
/// there.
#pragma once

#include "lib/runtime/kernels/conv/ConvChoice.h"

namespace proa::runtime {

class ColumnConv {
public:
  /// Why a convolution is not computed in this way; null: it is.
  static const char *whyNot(const ConvProblem &problem);
  static double nanoseconds(const ConvProblem &problem, const CpuFacts &cpu);

  /// Without post-ops.
  static void run(const ConvGeometry &geometry, const float *input, const float *filter, float *output);
};

} // namespace proa::runtime
