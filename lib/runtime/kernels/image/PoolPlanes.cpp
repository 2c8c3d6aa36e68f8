#include "lib/runtime/kernels/image/PoolPlanes.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/Vectors.h"

#include <algorithm>

namespace proa::runtime {

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

PROA_VECTOR_INLINE static void foldFloats(bool isMax, const float *from, int64_t stride, int64_t count,
                                          float *into) {
  if (stride == 1)
    fold(isMax, from, 1, count, into);
  else if (stride == 2)
    fold(isMax, from, 2, count, into);
  else
    fold(isMax, from, stride, count, into);
}

namespace {

struct Range {
  int64_t begin, end;
  int64_t size() const { return std::max<int64_t>(0, end - begin); }
};

template <class T> class Planes {
public:
  using Sum = Wide<T>;

  Planes(const PoolGeometry &g, const PoolConfig &attributes, const View &in, const View &out)
      : g(g), attributes(attributes), in(in.as<T>()), out(out.as<T>()), axes(g.kernel.size()),
        width(g.input[1 + axes]), outWidth(g.output[1 + axes]),
        start(attributes.isMax ? static_cast<Sum>(lowestOf<T>()) : Sum(0)), rows(static_cast<size_t>(width)),
        results(static_cast<size_t>(outWidth)) {
    for (int64_t at = 0; at < outWidth; ++at)
      columns.push_back(window(axes - 1, at));
  }

  /// A row of the output, of all rows of all images and channels.
  void row(int64_t flat) {
    int64_t outHeight = g.output[axes], outDepth = axes == 3 ? g.output[2] : 1, rest = flat;
    int64_t h = rest % outHeight, d = (rest /= outHeight) % outDepth, plane = rest / outDepth;
    Range high = window(axes - 2, h), deep = axes == 3 ? window(0, d) : Range{0, 1};
    int64_t height = g.input[axes], depth = axes == 3 ? g.input[2] : 1;
    const T *source = in + plane * depth * height * width;
    std::fill(rows.begin(), rows.end(), start);
    for (int64_t z = deep.begin; z < deep.end; ++z)
      for (int64_t y = high.begin; y < high.end; ++y)
        foldInto(rows.data(), source + (z * height + y) * width, 1, width);
    std::fill(results.begin(), results.end(), start);
    g.adaptive ? combineRanges() : combineTaps();
    T *target = out + flat * outWidth;
    if (attributes.isMax)
      std::transform(results.begin(), results.end(), target, [](Sum value) { return static_cast<T>(value); });
    else
      divide(target, countOf(deep, axes - 3, d) * countOf(high, axes - 2, h));
  }

private:
  Range window(size_t axis, int64_t at) const {
    Range range{};
    g.window(axis, at, range.begin, range.end);
    return range;
  }

  /// How many elements an average counts along an axis.
  int64_t countOf(const Range &range, size_t axis, int64_t at) const {
    bool inclusive = !attributes.exclusive && !g.adaptive && axis < axes;
    return inclusive ? g.inclusiveSize(axis, at) : range.size();
  }

  template <class U> void foldInto(Sum *into, const U *from, int64_t stride, int64_t count) const {
    if constexpr (std::is_same_v<U, float>)
      runVectors<foldFloats>(attributes.isMax, from, stride, count, into);
    else
      fold(attributes.isMax, from, stride, count, into);
  }

  void combineRanges() {
    for (size_t at = 0; at < columns.size(); ++at)
      for (int64_t x = columns[at].begin; x < columns[at].end; ++x)
        fold(attributes.isMax, rows.data() + x, 1, 1, results.data() + at);
  }

  /// One tap of all windows after the other, for those that have it inside of the input.
  void combineTaps() {
    int64_t stride = g.strides[axes - 1], before = g.before[axes - 1];
    for (int64_t tap = 0; tap < g.kernel[axes - 1]; ++tap) {
      int64_t first = tap >= before ? 0 : (before - tap + stride - 1) / stride;
      int64_t inside = width + before - tap; // below which at * stride must stay
      int64_t end = inside <= 0 ? 0 : std::min(outWidth, (inside + stride - 1) / stride);
      if (first < end)
        foldInto(results.data() + first, rows.data() + first * stride + tap - before, stride, end - first);
    }
  }

  void divide(T *target, int64_t count) const {
    for (int64_t at = 0; at < outWidth; ++at)
      target[at] =
          static_cast<T>(results[static_cast<size_t>(at)] /
                         static_cast<Sum>(count * countOf(columns[static_cast<size_t>(at)], axes - 1, at)));
  }

  const PoolGeometry &g;
  const PoolConfig &attributes;
  const T *in;
  T *out;
  size_t axes;
  int64_t width, outWidth;
  Sum start;
  std::vector<Range> columns;
  std::vector<Sum> rows, results;
};

} // namespace

bool poolPlanes(const PoolGeometry &g, const PoolConfig &attributes, const View &in, const View &out) {
  return dispatchReal(in.dtype, [&](auto zero) {
    using T = decltype(zero);
    size_t axes = g.kernel.size();
    int64_t rows = g.output[0] * g.output[1], perRow = g.input[1 + axes];
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
