#include "lib/runtime/kernels/ConvGeometry.h"

#include "lib/runtime/kernels/Attributes.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace proa::runtime {

Result<ConvAttributes> ConvAttributes::parse(const KernelRequest &request, size_t spatial, bool transposed) {
  Attributes reader(request);
  ConvAttributes out;
  out.spatial = spatial;
  out.transposed = transposed;
  out.strides = reader.integers("strides", std::vector<int64_t>(spatial, 1));
  out.dilations = reader.integers("dilations", std::vector<int64_t>(spatial, 1));
  out.paddings = reader.integers("paddings", std::vector<int64_t>(spatial, 0));
  out.outputPadding = reader.integers("output_padding");
  out.outputSize = reader.integers("output_size");
  out.paddingAlgorithm = reader.choice("padding_algorithm", {"EXPLICIT", "SAME", "VALID"});
  out.groups = reader.integer("groups", 1);
  // Paddle writes "NCHW" for three spatial axes too.
  std::string format = reader.choice("data_format", {"NCHW", "NHWC", "NCDHW", "NDHWC", "AnyLayout"});
  std::string outputFormat = reader.text("output_data_format", format);
  out.channelLast = format == "NHWC" || format == "NDHWC";
  out.outputChannelLast = outputFormat == "NHWC" || outputFormat == "NDHWC";
  reader.expectOperands(2, 1);
  auto expectLength = [&](const std::vector<int64_t> &list, const char *name) {
    bool fits =
        list.size() == spatial ||
        ((name == std::string("output_padding") || name == std::string("output_size")) && list.empty()) ||
        (name == std::string("paddings") && list.size() == 2 * spatial);
    reader.expect(
        fits, fmt::format("attribute '{}' has {} numbers for {} spatial axes", name, list.size(), spatial));
  };
  expectLength(out.strides, "strides");
  expectLength(out.dilations, "dilations");
  expectLength(out.paddings, "paddings");
  expectLength(out.outputPadding, "output_padding");
  expectLength(out.outputSize, "output_size");
  auto positive = [](int64_t value) { return value > 0; };
  reader.expect(std::all_of(out.strides.begin(), out.strides.end(), positive) &&
                    std::all_of(out.dilations.begin(), out.dilations.end(), positive) && out.groups > 0,
                "expected strides, dilations and groups above 0");
  if (!reader.ok())
    return reader.problems();
  Result<std::vector<PostOp>> ops = parsePostOps(request, "input, filter and result");
  if (!ops)
    return ops.problems();
  out.postOps = std::move(*ops);
  return out;
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

Result<void> resolvePaddings(const std::string &algorithm, std::span<const int64_t> paddings,
                             std::span<const int64_t> input, std::span<const int64_t> kernel,
                             std::span<const int64_t> strides, std::vector<int64_t> &dilations,
                             std::vector<int64_t> &before, std::vector<int64_t> &after) {
  size_t count = kernel.size();
  before.assign(count, 0);
  after.assign(count, 0);
  if (algorithm == "VALID")
    return {};
  for (size_t i = 0; i < count; ++i) {
    if (algorithm == "SAME") {
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

Result<int64_t> outputExtent(const ConvAttributes &attributes, const ConvGeometry &g, size_t axis) {
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
      return operand.problems();
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

Result<ConvGeometry> ConvGeometry::compute(const ConvAttributes &attributes, std::span<const int64_t> input,
                                           std::span<const int64_t> filter,
                                           std::span<const std::vector<int64_t>> operandDims) {
  size_t rank = attributes.spatial + 2;
  if (input.size() != rank || filter.size() != rank)
    return failure("expected input and filter of rank {}, found [{}] and [{}]", rank, fmt::join(input, ", "),
                   fmt::join(filter, ", "));
  ConvGeometry g;
  g.groups = attributes.groups;
  g.input.dims = toLogical(input, attributes.channelLast);
  g.input.strides = convStrides(g.input.dims, attributes.channelLast);
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
    return done.problems();
  g.output.dims = {g.input.dims[0], outputChannels};
  for (size_t axis = 0; axis < attributes.spatial; ++axis) {
    Result<int64_t> extent = outputExtent(attributes, g, axis);
    if (!extent)
      return extent.problems();
    g.output.dims.push_back(*extent);
  }
  g.output.strides = convStrides(g.output.dims, attributes.outputChannelLast);
  g.outDims = toStored(g.output.dims, attributes.outputChannelLast);
  for (size_t i = 0; i < operandDims.size(); ++i) {
    if (!attributes.postOps[i].hasOperand()) {
      g.operands.emplace_back();
      continue;
    }
    Result<StridedOperand> operand =
        operandLayout(attributes.postOps[i], operandDims[i], g, attributes.outputChannelLast);
    if (!operand)
      return operand.problems();
    g.operands.push_back(std::move(*operand));
  }
  return g;
}

} // namespace proa::runtime
