/// How a convolution reads and writes its tensors.
#pragma once

#include "lib/runtime/kernels/common/PostOps.h"

namespace proa::runtime {

/// The attributes of a convolution, forward or transposed, of two or three spatial axes, as in Paddle.
/// Inputs: input, filter ([O, I/groups, k...]; transposed: [I, O/groups, k...]), then the operands of the
/// post-ops, which broadcast to the stored output unless they are the bias.
struct ConvConfig {
  size_t spatial = 2; ///< number of spatial axes
  bool transposed = false;
  bool channelLast = false;                       ///< of the output
  bool inputLast = false;                         ///< of the input
  std::vector<int64_t> strides, dilations;        ///< one number a spatial axis
  std::vector<int64_t> paddings;                  ///< one number a spatial axis, or before and after of each
  std::vector<int64_t> outputPadding, outputSize; ///< transposed only; empty, or one number a spatial axis
  PaddingAlgorithm paddingAlgorithm = PaddingAlgorithm::Explicit;
  DataFormat dataFormat = DataFormat::NCHW;
  DataFormat inputFormat = DataFormat::AnyLayout; ///< AnyLayout: as dataFormat
  int64_t groups = 1;
  std::vector<PostOp> postOps;

  /// From the struct that is generated from the record of a convolution. Error: numbers that do not fit, or,
  /// with `hasOneDType`, tensors of several dtypes.
  template <class Op>
  static Result<ConvConfig> create(const Op &op, const KernelRequest &request, size_t spatial,
                                   bool transposed, bool hasOneDType = true);

private:
  Result<void> check(const KernelRequest &request);
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

  static Result<ConvGeometry> compute(const ConvConfig &attributes, std::span<const int64_t> input,
                                      std::span<const int64_t> filter,
                                      std::span<const std::vector<int64_t>> operandDims);
};

/// Whether the channels are the last dimension.
bool channelsAreLast(DataFormat format);

/// Strides of a dense tensor of these dims ([batch, channels, spatial...]) in either order of memory.
std::vector<int64_t> convStrides(std::span<const int64_t> dims, bool channelLast);
/// Whether a tensor has these strides.
bool isDense(const StridedOperand &tensor, bool channelLast);

/// Paddings before and after each spatial axis as Paddle resolves them; resets `dilations` to 1 for SAME as
/// Paddle does.
Result<void> resolvePaddings(PaddingAlgorithm algorithm, std::span<const int64_t> paddings,
                             std::span<const int64_t> input, std::span<const int64_t> kernel,
                             std::span<const int64_t> strides, std::vector<int64_t> &dilations,
                             std::vector<int64_t> &before, std::vector<int64_t> &after);

template <class Op>
Result<ConvConfig> ConvConfig::create(const Op &op, const KernelRequest &request, size_t spatial,
                                      bool transposed, bool hasOneDType) {
  ConvConfig config;
  config.spatial = spatial;
  config.transposed = transposed;
  config.strides = op.strides;
  config.dilations = op.dilations;
  config.paddings = op.paddings;
  config.dataFormat = op.dataFormat;
  config.groups = op.groups;
  if constexpr (requires { op.inputFormat; })
    config.inputFormat = op.inputFormat;
  if constexpr (requires { op.outputPadding; }) {
    config.outputPadding = op.outputPadding;
    config.outputSize = op.outputSize;
  }
  if constexpr (requires { op.paddingAlgorithm; })
    config.paddingAlgorithm = op.paddingAlgorithm;
  std::span<const PostOpAttribute> attributes;
  if constexpr (requires { op.postOps; })
    attributes = op.postOps;
  if (Result<void> valid = config.check(request); !valid)
    return valid.diagnostics();
  if (hasOneDType)
    if (Result<void> valid = expectOneDType(request, "input, filter and result"); !valid)
      return valid.diagnostics();
  Result<std::vector<PostOp>> postOps = resolvePostOps(attributes, request);
  if (!postOps)
    return postOps.diagnostics();
  config.postOps = std::move(*postOps);
  return config;
}

} // namespace proa::runtime
