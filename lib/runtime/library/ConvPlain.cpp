#include "lib/runtime/ThreadPool.h"
#include "lib/runtime/library/Conv.h"
#include "lib/runtime/library/Convert.h"

#include <algorithm>

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

/// One number of the filter's gradient: the sum over all windows of the input at one tap times the cotangent.
template <class T> struct FilterSum {
  const ConvGeometry &g;
  const T *input, *outGradient;

  /// The outputs [begin, end) along an axis whose window has the tap inside of the input.
  void reach(size_t axis, int64_t tap, int64_t &begin, int64_t &end) const {
    int64_t stride = g.strides[axis], shift = tap * g.dilations[axis] - g.before[axis];
    begin = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    int64_t last = g.input.dims[2 + axis] - 1 - shift;
    end = last < 0 ? 0 : std::min(g.output.dims[2 + axis], last / stride + 1);
  }

  Wide<T> sum(int64_t output, int64_t channel, int64_t tap) const {
    int64_t begin[3] = {0, 0, 0}, end[3] = {1, 1, 1}, from[3] = {}, fromStep[3] = {}, toStep[3] = {};
    size_t axes = g.kernel.size(), shift = 3 - axes;
    for (size_t axis = axes; axis-- > 0; tap /= g.kernel[axis]) {
      int64_t here = tap % g.kernel[axis];
      reach(axis, here, begin[shift + axis], end[shift + axis]);
      from[shift + axis] = (here * g.dilations[axis] - g.before[axis]) * g.input.strides[2 + axis];
      fromStep[shift + axis] = g.strides[axis] * g.input.strides[2 + axis];
      toStep[shift + axis] = g.output.strides[2 + axis];
    }
    Wide<T> total{};
    for (int64_t n = 0; n < g.input.dims[0]; ++n) {
      const T *x =
          input + n * g.input.strides[0] + channel * g.input.strides[1] + from[0] + from[1] + from[2];
      const T *y = outGradient + n * g.output.strides[0] + output * g.output.strides[1];
      for (int64_t d = begin[0]; d < end[0]; ++d)
        for (int64_t h = begin[1]; h < end[1]; ++h)
          for (int64_t w = begin[2]; w < end[2]; ++w)
            total += static_cast<Wide<T>>(x[d * fromStep[0] + h * fromStep[1] + w * fromStep[2]]) *
                     static_cast<Wide<T>>(y[d * toStep[0] + h * toStep[1] + w * toStep[2]]);
    }
    return total;
  }
};

} // namespace

Result<void> plainWeightGradient(DType dtype, const ConvGeometry &g, const void *input,
                                 const void *outGradient, void *filterGradient) {
  bool known = dispatchFloat(dtype, [&](auto zero) {
    using T = decltype(zero);
    FilterSum<T> sums{g, static_cast<const T *>(input), static_cast<const T *>(outGradient)};
    int64_t taps = 1, perGroup = g.inputChannels() / g.groups, outPerGroup = g.outputChannels() / g.groups;
    for (int64_t size : g.kernel)
      taps *= size;
    parallelFor(g.outputChannels() * perGroup * taps, 16, [&](int64_t begin, int64_t end) {
      for (int64_t flat = begin; flat < end; ++flat) {
        int64_t row = flat / taps, output = row / perGroup;
        int64_t channel = output / outPerGroup * perGroup + row % perGroup;
        static_cast<T *>(filterGradient)[flat] = static_cast<T>(sums.sum(output, channel, flat % taps));
      }
    });
  });
  return known ? Result<void>() : failure("a convolution of {} is not supported", nameOf(dtype));
}

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
