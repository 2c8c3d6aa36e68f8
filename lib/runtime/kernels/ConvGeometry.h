/// How a convolution reads and writes its tensors.
#pragma once

#include "lib/runtime/kernels/PostOps.h"

namespace proa::runtime {

/// The attributes of "conv2d", "conv3d", "conv2d_transpose", "conv3d_transpose" and their depthwise twins, as
/// in Paddle. Inputs: input, filter ([O, I/groups, k...]; transposed: [I, O/groups, k...]), then the operands
/// of `post_ops`.
///
///   strides, dilations   one number a spatial axis
///   paddings             one number a spatial axis, or before and after of each
///   padding_algorithm    EXPLICIT, SAME or VALID
///   groups, data_format  "NCHW"/"NHWC", "NCDHW"/"NDHWC"
///   output_data_format   where the output's format is another one (an addition to Paddle)
///   output_padding, output_size   transposed only
///   post_ops             see PostOps.h; other operands than the bias broadcast to the stored output
struct ConvAttributes {
  size_t spatial = 2; ///< number of spatial axes
  bool transposed = false;
  bool channelLast = false, outputChannelLast = false;
  std::vector<int64_t> strides, dilations, paddings, outputPadding, outputSize;
  std::string paddingAlgorithm;
  int64_t groups = 1;
  std::vector<PostOp> postOps;

  static Result<ConvAttributes> parse(const KernelRequest &request, size_t spatial, bool transposed);
};

/// A tensor along [batch, channels, spatial...], whatever the order in memory.
struct ConvGeometry {
  StridedOperand input, output;
  std::vector<StridedOperand> operands; ///< of the post-ops; empty for activations
  std::vector<int64_t> outDims;         ///< as stored
  int64_t groups = 1;
  std::vector<int64_t> kernel, strides, dilations, before, after; ///< one number a spatial axis

  int64_t inputChannels() const { return input.dims[1]; }
  int64_t outputChannels() const { return output.dims[1]; }

  static Result<ConvGeometry> compute(const ConvAttributes &attributes, std::span<const int64_t> input,
                                      std::span<const int64_t> filter,
                                      std::span<const std::vector<int64_t>> operandDims);
};

/// Strides of a dense tensor of these dims ([batch, channels, spatial...]) in either order of memory.
std::vector<int64_t> convStrides(std::span<const int64_t> dims, bool channelLast);

/// Paddings before and after each spatial axis as Paddle resolves them; resets `dilations` to 1 for SAME as
/// Paddle does.
Result<void> resolvePaddings(const std::string &algorithm, std::span<const int64_t> paddings,
                             std::span<const int64_t> input, std::span<const int64_t> kernel,
                             std::span<const int64_t> strides, std::vector<int64_t> &dilations,
                             std::vector<int64_t> &before, std::vector<int64_t> &after);

} // namespace proa::runtime
