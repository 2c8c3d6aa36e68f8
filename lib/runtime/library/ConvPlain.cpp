#include "lib/runtime/ThreadPool.h"
#include "lib/runtime/library/Conv.h"
#include "lib/runtime/library/Convert.h"

namespace proa::runtime {
namespace {

/// One number of the output: a sum over the window, or for a transposed convolution over the inputs that
/// reach it.
template <class T> struct Window {
  const ConvGeometry &g;
  bool transposed;
  const T *input, *filter;

  /// The input's position that meets tap `tap` at output `at`, or -1.
  int64_t inputAt(size_t axis, int64_t at, int64_t tap) const {
    int64_t in = 0;
    if (transposed) {
      int64_t reached = at + g.before[axis] - tap * g.dilations[axis];
      if (reached % g.strides[axis] != 0)
        return -1;
      in = reached / g.strides[axis];
    } else {
      in = at * g.strides[axis] - g.before[axis] + tap * g.dilations[axis];
    }
    return in >= 0 && in < g.input.dims[2 + axis] ? in : -1;
  }

  /// `position` is [batch, channel, spatial...] of the output.
  Wide<T> sum(std::span<const int64_t> position) const {
    size_t axes = g.kernel.size();
    int64_t taps = 1;
    for (int64_t size : g.kernel)
      taps *= size;
    int64_t inPerGroup = g.inputChannels() / g.groups, outPerGroup = g.outputChannels() / g.groups;
    int64_t group = position[1] / outPerGroup, within = position[1] % outPerGroup;
    Wide<T> total{};
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t offset = position[0] * g.input.strides[0], rest = tap;
      bool inside = true;
      for (size_t axis = axes; inside && axis-- > 0; rest /= g.kernel[axis]) {
        int64_t in = inputAt(axis, position[2 + axis], rest % g.kernel[axis]);
        inside = in >= 0;
        offset += in * g.input.strides[2 + axis];
      }
      for (int64_t c = 0; inside && c < inPerGroup; ++c) {
        int64_t channel = group * inPerGroup + c;
        int64_t row = transposed ? channel * outPerGroup + within : position[1] * inPerGroup + c;
        total += static_cast<Wide<T>>(input[offset + channel * g.input.strides[1]]) *
                 static_cast<Wide<T>>(filter[row * taps + tap]);
      }
    }
    return total;
  }
};

} // namespace

Result<void> plainConv(DType dtype, const ConvGeometry &g, bool transposed, const void *input,
                       const void *filter, void *output) {
  bool known = dispatchFloat(dtype, [&](auto zero) {
    using T = decltype(zero);
    Window<T> window{g, transposed, static_cast<const T *>(input), static_cast<const T *>(filter)};
    int64_t count = 1;
    for (int64_t dim : g.output.dims)
      count *= dim;
    parallelFor(count, 64, [&](int64_t begin, int64_t end) {
      std::vector<int64_t> position(g.output.dims.size());
      for (int64_t flat = begin; flat < end; ++flat) {
        int64_t rest = flat, offset = 0;
        for (size_t axis = position.size(); axis-- > 0; rest /= g.output.dims[axis]) {
          position[axis] = rest % g.output.dims[axis];
          offset += position[axis] * g.output.strides[axis];
        }
        static_cast<T *>(output)[offset] = static_cast<T>(window.sum(position));
      }
    });
  });
  if (!known)
    return failure("a convolution of {} is not supported", nameOf(dtype));
  return {};
}

} // namespace proa::runtime
