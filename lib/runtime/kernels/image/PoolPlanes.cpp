#include "lib/runtime/kernels/image/PoolPlanes.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/Vectors.h"

#include <algorithm>

namespace proa::runtime {

namespace {

/// Elements that are `step` apart.
template <class T> struct Columns {
  const T *first;
  int64_t step;
};

} // namespace

/// into[i] = max(into[i], from[i * stride]), or the sum. Of two numbers that do not compare the later one
/// stays, as in Paddle.
template <class T, class W>
PROA_VECTOR_INLINE void fold(bool isMax, const T *from, int64_t stride, int64_t count, W *into) {
  if (isMax)
    for (int64_t i = 0; i < count; ++i) {
      auto value = static_cast<W>(from[i * stride]);
      into[i] = into[i] > value ? into[i] : value;
    }
  else
    for (int64_t i = 0; i < count; ++i)
      into[i] += static_cast<W>(from[i * stride]);
}

/// fold for `count` columns of `depth` adjacent elements.
template <class T, class W>
PROA_VECTOR_INLINE void foldColumns(bool isMax, Columns<T> from, int64_t depth, int64_t count, W *into) {
  if (from.step == depth)
    fold(isMax, from.first, 1, count * depth, into);
  else if (depth == 1 && from.step == 2)
    fold(isMax, from.first, 2, count, into);
  else if (depth == 1)
    fold(isMax, from.first, from.step, count, into);
  else
    for (int64_t i = 0; i < count; ++i)
      fold(isMax, from.first + i * from.step, 1, depth, into + i * depth);
}

/// fold for the columns of each window, which give `depth` results.
template <class T, class W>
PROA_VECTOR_INLINE void foldWindows(bool isMax, const T *from, int64_t depth,
                                    const std::vector<AxisWindow> &windows, W *into) {
  for (const AxisWindow &window : windows) {
    for (int64_t x = window.begin; x < window.end; ++x)
      fold(isMax, from + x * depth, 1, depth, into);
    into += depth;
  }
}

PROA_VECTOR_INLINE static void foldFloatColumns(bool isMax, Columns<float> from, int64_t depth, int64_t count,
                                                float *into) {
  foldColumns(isMax, from, depth, count, into);
}

PROA_VECTOR_INLINE static void foldFloatWindows(bool isMax, const float *from, int64_t depth,
                                                const std::vector<AxisWindow> &windows, float *into) {
  foldWindows(isMax, from, depth, windows, into);
}

namespace {

/// A plane is a channel of an image, or all `depth` channels of an image where they come last.
template <class T> class Planes {
public:
  using Sum = Wide<T>;

  Planes(const PoolGeometry &g, const PoolConfig &attributes, const View &in, const View &out)
      : g(g), attributes(attributes), in(in.as<T>()), out(out.as<T>()), axes(g.kernel.size()),
        depth(attributes.channelLast ? g.input[1] : 1), width(g.input[1 + axes]),
        start(attributes.isMax ? static_cast<Sum>(lowestOf<T>()) : Sum(0)), deep(g.windows(0, attributes)),
        high(g.windows(1, attributes)), wide(g.windows(2, attributes)),
        rows(static_cast<size_t>(width * depth)), results(wide.size() * static_cast<size_t>(depth)) {}

  /// A row of the output, of all rows of all planes.
  void row(int64_t flat) {
    auto outHeight = static_cast<int64_t>(high.size()), outSlices = static_cast<int64_t>(deep.size());
    const AxisWindow &slices = deep[static_cast<size_t>(flat / outHeight % outSlices)];
    const AxisWindow &lines = high[static_cast<size_t>(flat % outHeight)];
    int64_t plane = flat / outHeight / outSlices;
    int64_t height = g.input[axes], inSlices = axes == 3 ? g.input[2] : 1;
    auto rowSize = static_cast<int64_t>(rows.size());
    const T *source = in + plane * inSlices * height * rowSize;
    std::fill(rows.begin(), rows.end(), start);
    for (int64_t slice = slices.begin; slice < slices.end; ++slice)
      for (int64_t line = lines.begin; line < lines.end; ++line)
        foldInto(rows.data(), Columns<T>{source + (slice * height + line) * rowSize, 1}, 1, rowSize);
    std::fill(results.begin(), results.end(), start);
    g.adaptive ? combineWindows() : combineTaps();
    T *target = out + flat * static_cast<int64_t>(results.size());
    if (attributes.isMax)
      std::transform(results.begin(), results.end(), target, [](Sum value) { return static_cast<T>(value); });
    else
      divide(target, slices.counted * lines.counted);
  }

private:
  template <class U> void foldInto(Sum *into, Columns<U> from, int64_t size, int64_t count) const {
    if constexpr (std::is_same_v<U, float>)
      runVectors<foldFloatColumns>(attributes.isMax, from, size, count, into);
    else
      foldColumns(attributes.isMax, from, size, count, into);
  }

  void combineWindows() {
    if constexpr (std::is_same_v<Sum, float>)
      runVectors<foldFloatWindows>(attributes.isMax, rows.data(), depth, wide, results.data());
    else
      foldWindows(attributes.isMax, rows.data(), depth, wide, results.data());
  }

  /// Adds the taps one after the other, each for all windows that have the tap inside of the input.
  void combineTaps() {
    int64_t stride = g.strides[axes - 1], before = g.before[axes - 1];
    for (int64_t tap = 0; tap < g.kernel[axes - 1]; ++tap) {
      int64_t first = tap >= before ? 0 : (before - tap + stride - 1) / stride;
      int64_t inside = width + before - tap; // below which at * stride must stay
      int64_t end = inside <= 0 ? 0 : std::min(g.output[1 + axes], (inside + stride - 1) / stride);
      if (first < end)
        foldInto(results.data() + first * depth,
                 Columns<Sum>{rows.data() + (first * stride + tap - before) * depth, stride * depth}, depth,
                 end - first);
    }
  }

  void divide(T *target, int64_t count) const {
    const Sum *sums = results.data();
    for (const AxisWindow &window : wide) {
      auto divisor = static_cast<Sum>(count * window.counted);
      for (int64_t channel = 0; channel < depth; ++channel)
        *target++ = static_cast<T>(*sums++ / divisor);
    }
  }

  const PoolGeometry &g;
  const PoolConfig &attributes;
  const T *in;
  T *out;
  size_t axes;
  int64_t depth, width;
  Sum start;
  std::vector<AxisWindow> deep, high, wide;
  std::vector<Sum> rows, results;
};

} // namespace

bool poolPlanes(const PoolGeometry &g, const PoolConfig &attributes, const View &in, const View &out) {
  return dispatchReal(in.dtype, [&](auto zero) {
    using T = decltype(zero);
    size_t axes = g.kernel.size();
    int64_t rows = g.output[0], perRow = g.input[1 + axes];
    (attributes.channelLast ? perRow : rows) *= g.output[1];
    for (size_t axis = 0; axis + 1 < axes; ++axis) {
      rows *= g.output[2 + axis];
      perRow *=
          g.adaptive ? 1 + g.input[2 + axis] / std::max<int64_t>(1, g.output[2 + axis]) : g.kernel[axis];
    }
    parallelFor(rows, 1 + 20000 / (perRow + 1), [&](int64_t begin, int64_t end) {
      Planes<T> planes(g, attributes, in, out);
      for (int64_t row = begin; row < end; ++row)
        planes.row(row);
    });
  });
}

} // namespace proa::runtime
