/// The windows of a pooling, as Paddle computes them.
#pragma once

#include "lib/runtime/Library.h"

namespace proa::runtime {

/// The attributes of "pool2d" and "pool3d". Inputs: x, and optionally kernel_size as a tensor (which wins).
///
///   kernel_size, strides     one number a spatial axis
///   paddings                 one number a spatial axis, or before and after of each
///   padding_algorithm        EXPLICIT, SAME or VALID
///   pooling_type             "max" or "avg"
///   exclusive                an average does not count the padding
///   ceil_mode                a last window that is not full counts
///   global_pooling           the window is the whole input
///   adaptive                 kernel_size is the output's size; windows tile the input
///   data_format              "NCHW"/"NHWC", "NCDHW"/"NDHWC"
struct PoolAttributes {
  size_t spatial = 2;
  bool isMax = false, exclusive = true, ceilMode = false, global = false, adaptive = false,
       channelLast = false;
  std::vector<int64_t> kernel, strides, paddings;
  std::string paddingAlgorithm;

  static Result<PoolAttributes> parse(const KernelRequest &request, size_t spatial, bool withIndex);
};

/// Dims are [batch, channels, spatial...], whatever the order in memory.
struct PoolGeometry {
  std::vector<int64_t> input, output, inputStrides, outputStrides;
  std::vector<int64_t> outDims; ///< as stored
  std::vector<int64_t> kernel, strides, before, after;
  bool adaptive = false;

  static Result<PoolGeometry> compute(const PoolAttributes &attributes, std::span<const int64_t> dims,
                                      std::span<const int64_t> kernel);

  /// The input positions [begin, end) of output `at` along a spatial axis.
  void window(size_t axis, int64_t at, int64_t &begin, int64_t &end) const;
  /// How many positions an inclusive average divides by along an axis.
  int64_t inclusiveExtent(size_t axis, int64_t at) const;
};

} // namespace proa::runtime
