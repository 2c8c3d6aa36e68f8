#include "lib/runtime/kernels/image/PoolPlanes.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/Vectors.h"

#include <algorithm>

namespace proa::runtime {

namespace {

struct Range {
  int64_t begin, end;
  int64_t size() const { return std::max<int64_t>(0, end - begin); }
};

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

/// fold for the columns of each range, which give `depth` results.
template <class T, class W>
PROA_VECTOR_INLINE void foldRanges(bool isMax, const T *from, int64_t depth, const std::vector<Range> &ranges,
                                   W *into) {
  for (const Range &range : ranges) {
    for (int64_t x = range.begin; x < range.end; ++x)
      fold(isMax, from + x * depth, 1, depth, into);
    into += depth;
  }
}

PROA_VECTOR_INLINE static void foldFloatColumns(bool isMax, Columns<float> from, int64_t depth, int64_t count,
                                                float *into) {
  foldColumns(isMax, from, depth, count, into);
}

PROA_VECTOR_INLINE static void foldFloatRanges(bool isMax, const float *from, int64_t depth,
                                               const std::vector<Range> &ranges, float *into) {
  foldRanges(isMax, from, depth, ranges, into);
}

namespace {

/// A plane is a channel of an image, or all `depth` channels of an image where they come last.
template <class T> class Planes {
public:
  using Sum = Wide<T>;

  Planes(const PoolGeometry &g, const PoolConfig &attributes, const View &in, const View &out)
      : g(g), attributes(attributes), in(in.as<T>()), out(out.as<T>()), axes(g.kernel.size()),
        depth(attributes.channelLast ? g.input[1] : 1), width(g.input[1 + axes]),
        start(attributes.isMax ? static_cast<Sum>(lowestOf<T>()) : Sum(0)),
        rows(static_cast<size_t>(width * depth)), results(static_cast<size_t>(g.output[1 + axes] * depth)) {
    for (int64_t at = 0; at < g.output[1 + axes]; ++at)
      columns.push_back(window(axes - 1, at));
  }

  /// A row of the output, of all rows of all planes.
  void row(int64_t flat) {
    int64_t outHeight = g.output[axes], slices = axes == 3 ? g.output[2] : 1, rest = flat;
    int64_t y = rest % outHeight, z = (rest /= outHeight) % slices, plane = rest / slices;
    Range high = window(axes - 2, y), deep = axes == 3 ? window(0, z) : Range{0, 1};
    int64_t height = g.input[axes], inSlices = axes == 3 ? g.input[2] : 1;
    auto rowSize = static_cast<int64_t>(rows.size());
    const T *source = in + plane * inSlices * height * rowSize;
    std::fill(rows.begin(), rows.end(), start);
    for (int64_t slice = deep.begin; slice < deep.end; ++slice)
      for (int64_t line = high.begin; line < high.end; ++line)
        foldInto(rows.data(), Columns<T>{source + (slice * height + line) * rowSize, 1}, 1, rowSize);
    std::fill(results.begin(), results.end(), start);
    g.adaptive ? combineRanges() : combineTaps();
    T *target = out + flat * static_cast<int64_t>(results.size());
    if (attributes.isMax)
      std::transform(results.begin(), results.end(), target, [](Sum value) { return static_cast<T>(value); });
    else
      divide(target, countOf(deep, axes - 3, z) * countOf(high, axes - 2, y));
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

  template <class U> void foldInto(Sum *into, Columns<U> from, int64_t size, int64_t count) const {
    if constexpr (std::is_same_v<U, float>)
      runVectors<foldFloatColumns>(attributes.isMax, from, size, count, into);
    else
      foldColumns(attributes.isMax, from, size, count, into);
  }

  void combineRanges() {
    if constexpr (std::is_same_v<Sum, float>)
      runVectors<foldFloatRanges>(attributes.isMax, rows.data(), depth, columns, results.data());
    else
      foldRanges(attributes.isMax, rows.data(), depth, columns, results.data());
  }

  /// One tap of all windows after the other, for those that have it inside of the input.
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
    for (size_t at = 0; at < columns.size(); ++at) {
      auto divisor = static_cast<Sum>(count * countOf(columns[at], axes - 1, static_cast<int64_t>(at)));
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
  std::vector<Range> columns;
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
