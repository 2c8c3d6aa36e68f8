#include "lib/runtime/kernels/conv/ConvGeometry.h"

#include "lib/runtime/kernels/common/Checks.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace proa::runtime {

Result<void> ConvConfig::check(const KernelRequest &request) {
  Checks checks(request);
  // Paddle writes "NCHW" for three spatial axes too.
  for (auto [name, format] : {std::pair("data_format", dataFormat), std::pair("input_format", inputFormat)})
    checks.expectOneOf(
        name, format,
        {DataFormat::NCHW, DataFormat::NHWC, DataFormat::NCDHW, DataFormat::NDHWC, DataFormat::AnyLayout});
  channelLast = channelsAreLast(dataFormat);
  inputLast = inputFormat == DataFormat::AnyLayout ? channelLast : channelsAreLast(inputFormat);
  checks.expectOperands(2, 1);
  auto expectLength = [&](const std::vector<int64_t> &list, const char *name, bool fits) {
    checks.expect(
        fits || list.size() == spatial,
        fmt::format("attribute '{}' has {} numbers for {} spatial axes", name, list.size(), spatial));
  };
  expectLength(strides, "strides", false);
  expectLength(dilations, "dilations", false);
  expectLength(paddings, "paddings", paddings.size() == 2 * spatial);
  expectLength(outputPadding, "output_padding", outputPadding.empty());
  expectLength(outputSize, "output_size", outputSize.empty());
  auto positive = [](int64_t value) { return value > 0; };
  checks.expect(std::ranges::all_of(strides, positive) && std::ranges::all_of(dilations, positive) &&
                    groups > 0,
                "expected strides, dilations and groups above 0");
  return checks.diagnostics();
}

bool channelsAreLast(DataFormat format) {
  switch (format) {
  case DataFormat::NHWC:
  case DataFormat::NDHWC:
  case DataFormat::NLC:
  case DataFormat::NWC:
    return true;
  default:
    return false;
  }
}

std::vector<int64_t> convStrides(std::span<const int64_t> dims, bool channelLast) {
  std::vector<int64_t> strides = rowMajorStrides(dims);
  if (!channelLast)
    return strides;
  int64_t next = dims[1];
  for (size_t axis = dims.size(); axis-- > 2; next *= std::max<int64_t>(1, dims[axis]))
    strides[axis] = next;
  strides[1] = 1;
  strides[0] = next;
  return strides;
}

bool isDense(const StridedOperand &tensor, bool channelLast) {
  return tensor.strides == convStrides(tensor.dims, channelLast);
}

Result<void> resolvePaddings(PaddingAlgorithm algorithm, std::span<const int64_t> paddings,
                             std::span<const int64_t> input, std::span<const int64_t> kernel,
                             std::span<const int64_t> strides, std::vector<int64_t> &dilations,
                             std::vector<int64_t> &before, std::vector<int64_t> &after) {
  size_t count = kernel.size();
  before.assign(count, 0);
  after.assign(count, 0);
  if (algorithm == PaddingAlgorithm::Valid)
    return {};
  for (size_t i = 0; i < count; ++i) {
    if (algorithm == PaddingAlgorithm::Same) {
      dilations[i] = 1;
      int64_t windows = (input[i] + strides[i] - 1) / strides[i];
      int64_t total = std::max<int64_t>(0, (windows - 1) * strides[i] + kernel[i] - input[i]);
      before[i] = total / 2;
      after[i] = total - total / 2;
      continue;
    }
    bool pairs = paddings.size() == 2 * count;
    before[i] = paddings[pairs ? 2 * i : i];
    after[i] = paddings[pairs ? 2 * i + 1 : i];
    if (before[i] < 0 || after[i] < 0)
      return failure("padding [{}] is negative", fmt::join(paddings, ", "));
  }
  return {};
}

namespace {

/// Stored dims as [batch, channels, spatial...] and back.
std::vector<int64_t> toLogical(std::span<const int64_t> stored, bool channelLast) {
  std::vector<int64_t> out(stored.begin(), stored.end());
  if (channelLast)
    std::rotate(out.begin() + 1, out.end() - 1, out.end());
  return out;
}
std::vector<int64_t> toStored(std::span<const int64_t> logical, bool channelLast) {
  std::vector<int64_t> out(logical.begin(), logical.end());
  if (channelLast)
    std::rotate(out.begin() + 1, out.begin() + 2, out.end());
  return out;
}

Result<int64_t> outputDim(const ConvConfig &attributes, const ConvGeometry &g, size_t axis) {
  int64_t in = g.input.dims[2 + axis], reach = g.dilations[axis] * (g.kernel[axis] - 1) + 1;
  if (!attributes.transposed) {
    int64_t room = in + g.before[axis] + g.after[axis] - reach;
    // Paddle divides towards zero: a window that sticks out by less than a stride still counts.
    if (room <= -g.strides[axis])
      return failure("a window of {} does not fit into {} with paddings {} and {}", reach, in, g.before[axis],
                     g.after[axis]);
    return room / g.strides[axis] + 1;
  }
  int64_t out = (in - 1) * g.strides[axis] - g.before[axis] - g.after[axis] + reach;
  int64_t extra = attributes.outputPadding.empty() ? 0 : attributes.outputPadding[axis];
  if (!attributes.outputSize.empty())
    extra = attributes.outputSize[axis] - out;
  if (extra < 0 || extra >= std::max(g.strides[axis], g.dilations[axis]))
    return failure("output size {} is not in [{}, {})", out + extra, out, out + g.strides[axis]);
  return out + extra;
}

Result<StridedOperand> operandLayout(const PostOp &op, std::span<const int64_t> dims, const ConvGeometry &g,
                                     bool channelLast) {
  size_t rank = g.output.dims.size();
  if (op.kind != PostOp::Kind::Bias) {
    Result<StridedOperand> operand = broadcastOperand(dims, g.outDims);
    if (!operand)
      return operand.diagnostics();
    return StridedOperand{toLogical(operand->dims, channelLast), toLogical(operand->strides, channelLast)};
  }
  if (dims.size() != 1 || dims[0] != g.outputChannels())
    return failure("expected a bias of dims [{}], found [{}]", g.outputChannels(), fmt::join(dims, ", "));
  StridedOperand bias{std::vector<int64_t>(rank, 1), std::vector<int64_t>(rank, 0)};
  bias.dims[1] = dims[0];
  bias.strides[1] = dims[0] == 1 ? 0 : 1;
  return bias;
}

} // namespace

Result<ConvGeometry> ConvGeometry::compute(const ConvConfig &attributes, std::span<const int64_t> input,
                                           std::span<const int64_t> filter,
                                           std::span<const std::vector<int64_t>> operandDims) {
  size_t rank = attributes.spatial + 2;
  if (input.size() != rank || filter.size() != rank)
    return failure("expected input and filter of rank {}, found [{}] and [{}]", rank, fmt::join(input, ", "),
                   fmt::join(filter, ", "));
  ConvGeometry g;
  g.groups = attributes.groups;
  g.input.dims = toLogical(input, attributes.inputLast);
  // One channel lies the same in both orders.
  bool inputLast = g.inputChannels() == 1 ? attributes.channelLast : attributes.inputLast;
  g.input.strides = convStrides(g.input.dims, inputLast);
  g.kernel.assign(filter.begin() + 2, filter.end());
  g.strides = attributes.strides;
  g.dilations = attributes.dilations;
  int64_t expectedChannels = attributes.transposed ? filter[0] : filter[1] * g.groups;
  int64_t outputChannels = attributes.transposed ? filter[1] * g.groups : filter[0];
  if (g.inputChannels() != expectedChannels || expectedChannels % g.groups != 0 ||
      outputChannels % g.groups != 0)
    return failure("an input of {} channels does not fit a filter of [{}] in {} groups", g.inputChannels(),
                   fmt::join(filter, ", "), g.groups);
  if (std::any_of(g.kernel.begin(), g.kernel.end(), [](int64_t size) { return size < 1; }))
    return failure("the filter [{}] is empty", fmt::join(filter, ", "));
  if (Result<void> done = resolvePaddings(attributes.paddingAlgorithm, attributes.paddings,
                                          std::span(g.input.dims).subspan(2), g.kernel, g.strides,
                                          g.dilations, g.before, g.after);
      !done)
    return done.diagnostics();
  g.output.dims = {g.input.dims[0], outputChannels};
  for (size_t axis = 0; axis < attributes.spatial; ++axis) {
    Result<int64_t> dim = outputDim(attributes, g, axis);
    if (!dim)
      return dim.diagnostics();
    g.output.dims.push_back(*dim);
  }
  g.output.strides = convStrides(g.output.dims, attributes.channelLast);
  g.outDims = toStored(g.output.dims, attributes.channelLast);
  for (size_t i = 0; i < operandDims.size(); ++i) {
    if (!attributes.postOps[i].hasOperand()) {
      g.operands.emplace_back();
      continue;
    }
    Result<StridedOperand> operand =
        operandLayout(attributes.postOps[i], operandDims[i], g, attributes.channelLast);
    if (!operand)
      return operand.diagnostics();
    g.operands.push_back(std::move(*operand));
  }
  return g;
}

} // namespace proa::runtime
