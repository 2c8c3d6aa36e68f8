#include "lib/runtime/kernels/image/PoolGeometry.h"

#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/conv/ConvGeometry.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace proa::runtime {

Result<void> PoolConfig::check(const KernelRequest &request, bool withIndex) {
  Checks checks(request);
  checks.expectOneOf("data_format", dataFormat,
                     {DataFormat::NCHW, DataFormat::NHWC, DataFormat::NCDHW, DataFormat::NDHWC});
  channelLast = channelsAreLast(dataFormat);
  if (strides.empty())
    strides.assign(spatial, 1);
  if (paddings.empty())
    paddings.assign(spatial, 0);
  checks.expectOperands(1, withIndex ? 0 : 1); // of a pooling with indices perhaps only the mask is used
  checks.expect(strides.size() == spatial &&
                    std::ranges::all_of(strides, [](int64_t stride) { return stride > 0; }),
                fmt::format("expected {} strides above 0, found [{}]", spatial, fmt::join(strides, ", ")));
  checks.expect(
      paddings.size() == spatial || paddings.size() == 2 * spatial,
      fmt::format("attribute 'paddings' has {} numbers for {} spatial axes", paddings.size(), spatial));
  return checks.diagnostics();
}

Result<PoolGeometry> PoolGeometry::compute(const PoolConfig &attributes, std::span<const int64_t> dims,
                                           std::span<const int64_t> kernel) {
  size_t spatial = attributes.spatial;
  if (dims.size() != spatial + 2)
    return failure("expected a tensor of rank {}, found [{}]", spatial + 2, fmt::join(dims, ", "));
  PoolGeometry g;
  g.adaptive = attributes.adaptive;
  g.input.assign(dims.begin(), dims.end());
  if (attributes.channelLast)
    std::rotate(g.input.begin() + 1, g.input.end() - 1, g.input.end());
  std::span<const int64_t> spatialDims = std::span(g.input).subspan(2);
  g.kernel.assign(kernel.begin(), kernel.end());
  if (attributes.global)
    g.kernel.assign(spatialDims.begin(), spatialDims.end());
  if (g.kernel.size() != spatial ||
      std::any_of(g.kernel.begin(), g.kernel.end(), [](int64_t size) { return size < 1; }))
    return failure("expected {} window sizes above 0, found [{}]", spatial, fmt::join(g.kernel, ", "));
  g.strides = attributes.strides;
  std::vector<int64_t> dilations(spatial, 1), zeros(spatial, 0);
  bool padded = !attributes.global && !attributes.adaptive;
  if (Result<void> done = resolvePaddings(padded ? attributes.paddingAlgorithm : PaddingAlgorithm::Valid,
                                          padded ? attributes.paddings : zeros, spatialDims, g.kernel,
                                          g.strides, dilations, g.before, g.after);
      !done)
    return done.diagnostics();
  g.output = {g.input[0], g.input[1]};
  for (size_t axis = 0; axis < spatial; ++axis) {
    int64_t room = spatialDims[axis] + g.before[axis] + g.after[axis] - g.kernel[axis];
    // Paddle divides towards zero: a window that sticks out by less than a stride still counts.
    int64_t rounding = attributes.ceilMode ? g.strides[axis] - 1 : 0;
    int64_t count = (room + rounding) / g.strides[axis] + 1;
    if (!g.adaptive && (count < 0 || (count == 0 && spatialDims[axis] > 0)))
      return failure("a window of {} does not fit into {} with paddings {} and {}", g.kernel[axis],
                     spatialDims[axis], g.before[axis], g.after[axis]);
    g.output.push_back(g.adaptive ? g.kernel[axis] : (room + rounding) / g.strides[axis] + 1);
  }
  g.inputStrides = convStrides(g.input, attributes.channelLast);
  g.outputStrides = convStrides(g.output, attributes.channelLast);
  g.outDims = g.output;
  if (attributes.channelLast)
    std::rotate(g.outDims.begin() + 1, g.outDims.begin() + 2, g.outDims.end());
  return g;
}

void PoolGeometry::window(size_t axis, int64_t at, int64_t &begin, int64_t &end) const {
  int64_t in = input[2 + axis], out = output[2 + axis];
  if (adaptive) {
    begin = at * in / out;
    end = ((at + 1) * in + out - 1) / out;
    return;
  }
  begin = at * strides[axis] - before[axis];
  end = std::min(begin + kernel[axis], in);
  begin = std::max<int64_t>(begin, 0);
}

std::vector<AxisWindow> PoolGeometry::windows(size_t axis, const PoolConfig &config) const {
  size_t absent = 3 - kernel.size();
  if (axis < absent)
    return {AxisWindow()};
  axis -= absent;
  std::vector<AxisWindow> result;
  for (int64_t at = 0; at < output[2 + axis]; ++at) {
    AxisWindow &added = result.emplace_back();
    window(axis, at, added.begin, added.end);
    added.counted = config.exclusive || adaptive ? added.size() : inclusiveSize(axis, at);
    added.offset = at * outputStrides[2 + axis];
  }
  return result;
}

int64_t PoolGeometry::inclusiveSize(size_t axis, int64_t at) const {
  int64_t begin = at * strides[axis] - before[axis];
  // Paddle cuts a window at the padding's end, and takes the padding after the input to be as large as that
  // before it.
  return std::min(begin + kernel[axis], input[2 + axis] + before[axis]) - begin;
}

} // namespace proa::runtime
