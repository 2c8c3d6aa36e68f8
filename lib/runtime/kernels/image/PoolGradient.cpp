/// The library kernels "pool2d_gradient" and "pool3d_gradient": the gradient of a pooling by its input.
/// Inputs: the pooling's x, the cotangent of its result, and perhaps kernel_size as a tensor. Attributes:
/// the attributes of the pooling (PoolGeometry.h). A maximum's cotangent goes to the first greatest element
/// of the window, as in Paddle.
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/image/PoolGeometry.h"

#include "dialects/pd/ops/image/Pool.kernels.inc"

#include <fmt/ranges.h>

#include <algorithm>

namespace proa::runtime {
namespace {

/// Some channels at a time: channels-last tensors have them side by side.
constexpr int64_t blockSize = 16;

/// One window, over three axes.
struct Window {
  const AxisWindow &deep, &high, &wide;

  int64_t offset() const { return deep.offset + high.offset + wide.offset; }
  int64_t count() const { return deep.size() * high.size() * wide.size(); }
  int64_t counted() const { return deep.counted * high.counted * wide.counted; }
};

template <class T> class PoolBackward {
public:
  PoolBackward(const PoolGeometry &g, const PoolConfig &attributes, const T *x, const T *outGradient,
               Wide<T> *gradient)
      : g(g), attributes(attributes), x(x), outGradient(outGradient), gradient(gradient) {
    for (size_t axis = 0; axis < 3; ++axis)
      windows[axis] = g.windows(axis, attributes);
    std::copy(g.inputStrides.begin() + 2, g.inputStrides.end(), std::end(strides) - g.kernel.size());
  }

  /// All windows of channels [first, first + count) of one image.
  void run(int64_t image, int64_t first, int64_t count) const {
    int64_t start = image * g.inputStrides[0] + first * g.inputStrides[1];
    int64_t target = image * g.outputStrides[0] + first * g.outputStrides[1];
    if (count == 1)
      runWindows(start, target, std::integral_constant<int64_t, 1>());
    else
      runWindows(start, target, count);
  }

  int64_t work() const {
    return static_cast<int64_t>(windows[0].size() * windows[1].size() * windows[2].size());
  }

private:
  /// `count` may be a constant.
  template <class Count> void runWindows(int64_t start, int64_t target, Count count) const {
    for (const AxisWindow &deep : windows[0])
      for (const AxisWindow &high : windows[1])
        for (const AxisWindow &wide : windows[2]) {
          Window window{deep, high, wide};
          if (window.count() == 0)
            continue;
          if (attributes.isMax)
            toGreatest(window, start, target + window.offset(), count);
          else
            toAll(window, start, target + window.offset(), count);
        }
  }

  template <class Body> void forEach(const Window &window, Body &&body) const {
    for (int64_t d = window.deep.begin; d < window.deep.end; ++d)
      for (int64_t h = window.high.begin; h < window.high.end; ++h)
        for (int64_t w = window.wide.begin; w < window.wide.end; ++w)
          body(d * strides[0] + h * strides[1] + w * strides[2]);
  }

  template <class Count> void toAll(const Window &window, int64_t start, int64_t target, Count count) const {
    auto divisor = static_cast<Wide<T>>(window.counted());
    Wide<T> share[blockSize];
    for (int64_t c = 0; c < count; ++c)
      share[c] = static_cast<Wide<T>>(outGradient[target + c * g.outputStrides[1]]) / divisor;
    forEach(window, [&](int64_t at) {
      for (int64_t c = 0; c < count; ++c)
        gradient[start + at + c * g.inputStrides[1]] += share[c];
    });
  }

  template <class Count>
  void toGreatest(const Window &window, int64_t start, int64_t target, Count count) const {
    Wide<T> best[blockSize] = {};
    int64_t bestAt[blockSize];
    for (int64_t c = 0; c < count; ++c)
      bestAt[c] = -1;
    forEach(window, [&](int64_t at) {
      for (int64_t c = 0; c < count; ++c) {
        auto value = static_cast<Wide<T>>(x[start + at + c * g.inputStrides[1]]);
        bool wins = bestAt[c] < 0 || best[c] < value;
        best[c] = wins ? value : best[c];
        bestAt[c] = wins ? at : bestAt[c];
      }
    });
    for (int64_t c = 0; c < count; ++c)
      if (bestAt[c] >= 0) // else the window lies in the padding
        gradient[start + bestAt[c] + c * g.inputStrides[1]] +=
            static_cast<Wide<T>>(outGradient[target + c * g.outputStrides[1]]);
  }

  const PoolGeometry &g;
  const PoolConfig &attributes;
  const T *x, *outGradient;
  Wide<T> *gradient;
  int64_t strides[3] = {0, 0, 0};
  std::vector<AxisWindow> windows[3];
};

template <class T>
void backward(const PoolGeometry &g, const PoolConfig &attributes, const View &x, const View &outGradient,
              Wide<T> *gradient) {
  std::fill_n(gradient, x.size(), Wide<T>(0));
  PoolBackward<T> pools(g, attributes, x.as<T>(), outGradient.as<T>(), gradient);
  int64_t perBlock = attributes.channelLast ? blockSize : 1, blocks = (g.input[1] + perBlock - 1) / perBlock;
  parallelFor(g.input[0] * blocks, 1 + 4096 / (pools.work() * perBlock + 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = i % blocks * perBlock;
      pools.run(i / blocks, first, std::min(perBlock, g.input[1] - first));
    }
  });
}

Result<void> poolGradient(Call &call, const PoolConfig &attributes) {
  const View &x = call.input(0), &outGradient = call.input(1);
  std::vector<int64_t> kernel = attributes.kernel;
  if (call.input(2)) {
    Result<std::vector<int64_t>> given = integersOf(call.input(2));
    if (!given)
      return given.diagnostics();
    kernel = std::move(*given);
  }
  Result<PoolGeometry> geometry = PoolGeometry::compute(attributes, x.dims, kernel);
  if (!geometry)
    return geometry.diagnostics();
  if (!std::ranges::equal(geometry->outDims, outGradient.dims) || outGradient.dtype != x.dtype)
    return failure("expected a cotangent {}, found {}", describe(x.dtype, geometry->outDims),
                   describe(outGradient.dtype, outGradient.dims));
  Result<View> out = call.output(0, x.dims);
  if (!out)
    return out.diagnostics();
  bool known = dispatchFloat(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, Wide<T>>) {
      backward<T>(*geometry, attributes, x, outGradient, out->as<T>());
    } else {
      auto *sums = static_cast<float *>(call.scratch(static_cast<size_t>(x.size()) * sizeof(float)));
      backward<T>(*geometry, attributes, x, outGradient, sums);
      for (int64_t i = 0; i < x.size(); ++i)
        out->as<T>()[i] = static_cast<T>(sums[i]);
    }
  });
  return known ? Result<void>() : failure("pooling of {} is not supported", nameOf(x.dtype));
}

template <class Op>
Result<std::unique_ptr<LibraryKernel>> makePoolGradient(const Op &op, const KernelRequest &request,
                                                        size_t spatial) {
  Result<PoolConfig> attributes = PoolConfig::create(op, request, spatial, false);
  if (!attributes)
    return attributes.diagnostics();
  return makeKernel(
      [attributes = std::move(*attributes)](Call &call) { return poolGradient(call, attributes); });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makePool2dGradient(const Pool2dGradientAttributes &op,
                                                          const KernelRequest &request) {
  return makePoolGradient(op, request, 2);
}
Result<std::unique_ptr<LibraryKernel>> makePool3dGradient(const Pool3dGradientAttributes &op,
                                                          const KernelRequest &request) {
  return makePoolGradient(op, request, 3);
}

} // namespace proa::runtime
