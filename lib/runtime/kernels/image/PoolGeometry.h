/// The windows of a pooling, as Paddle computes them.
#pragma once

#include "lib/runtime/plan/Library.h"

#include "dialects/pd/ir/Enums.kernels.inc"

#include <algorithm>

namespace proa::runtime {

/// The attributes of a pooling of two or three spatial axes, as in Paddle. Inputs: x, and optionally the
/// window as a tensor, which takes precedence.
struct PoolConfig {
  size_t spatial = 2; ///< number of spatial axes
  bool isMax = true;
  bool exclusive = true; ///< an average does not count the padding
  bool ceilMode = false; ///< a last window that is not full counts
  bool global = false;   ///< the window is the whole input
  bool adaptive = false; ///< `kernel` is the output's size; windows tile the input
  bool channelLast = false;
  std::vector<int64_t> kernel, strides; ///< one number a spatial axis; strides empty: 1, also
                                        ///< of global and adaptive windows
  std::vector<int64_t> paddings;        ///< one number a spatial axis, or before and after of each; empty: 0
  PaddingAlgorithm paddingAlgorithm = PaddingAlgorithm::Explicit;
  DataFormat dataFormat = DataFormat::NCHW;

  /// From the struct that is generated from the record of a pooling. Error: numbers that do not fit.
  template <class Op>
  static Result<PoolConfig> create(const Op &op, const KernelRequest &request, size_t spatial,
                                   bool withIndex);

private:
  Result<void> check(const KernelRequest &request, bool withIndex);
};

template <class Op>
Result<PoolConfig> PoolConfig::create(const Op &op, const KernelRequest &request, size_t spatial,
                                      bool withIndex) {
  PoolConfig config;
  config.spatial = spatial;
  config.kernel = op.kernelSize;
  config.paddings = op.paddings;
  config.global = op.globalPooling;
  config.adaptive = op.adaptive;
  if (!config.global && !config.adaptive)
    config.strides = op.strides;
  if constexpr (requires { op.poolingType; }) {
    config.exclusive = op.exclusive;
    config.isMax = op.poolingType == PoolingType::Max;
    config.paddingAlgorithm = op.paddingAlgorithm;
  }
  if constexpr (requires { op.dataFormat; })
    config.dataFormat = op.dataFormat;
  if constexpr (requires { op.ceilMode; })
    config.ceilMode = op.ceilMode;
  if (Result<void> valid = config.check(request, withIndex); !valid)
    return valid.diagnostics();
  return config;
}

/// A window along one spatial axis.
struct AxisWindow {
  int64_t begin = 0, end = 1; ///< the input positions [begin, end)
  int64_t counted = 1;        ///< how many positions an average divides by, in the padding too or not
  int64_t offset = 0;         ///< of its result, in elements
  int64_t size() const { return std::max<int64_t>(0, end - begin); }
};

/// Dims are [batch, channels, spatial...], whatever the order in memory.
struct PoolGeometry {
  std::vector<int64_t> input, output, inputStrides, outputStrides;
  std::vector<int64_t> outDims; ///< as stored
  std::vector<int64_t> kernel, strides, before, after;
  bool adaptive = false;

  static Result<PoolGeometry> compute(const PoolConfig &attributes, std::span<const int64_t> dims,
                                      std::span<const int64_t> kernel);

  /// The input positions [begin, end) of output `at` along a spatial axis.
  void window(size_t axis, int64_t at, int64_t &begin, int64_t &end) const;
  /// All windows of one of three axes; with two spatial axes the first one has one window of one position.
  std::vector<AxisWindow> windows(size_t axis, const PoolConfig &config) const;

private:
  /// How many positions an inclusive average divides by along an axis.
  int64_t inclusiveSize(size_t axis, int64_t at) const;
};

} // namespace proa::runtime
