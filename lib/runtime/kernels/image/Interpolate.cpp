/// The library kernels "interpolate": resampling over one to three spatial axes, as Paddle's *_interp ops,
/// and "interpolate_gradient", the transposed map.
///
/// Inputs: x, out_size, size_tensor... (one a spatial axis; or one absent operand), scale_tensor. Attributes:
/// data_format, out_d, out_h, out_w, scale, interp_method, align_corners, align_mode. What gives the size,
/// first of these that is there: size_tensor, out_size, scale_tensor, scale, out_d/out_h/out_w. The gradient
/// has the cotangent as its second input.
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/Vectors.h"
#include "lib/runtime/kernels/conv/ConvGeometry.h"

#include "dialects/pd/ops/image/Interpolate.kernels.inc"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace proa::runtime {
namespace {

struct InterpolateConfig {
  bool isGradient = false;
  Interpolation method = Interpolation::Bilinear;
  bool alignCorners = true, channelLast = false;
  int64_t alignMode = 1;
  std::vector<int64_t> size; ///< out_d, out_h, out_w
  std::vector<double> scale;
};

/// The elements along one axis that an output position combines.
struct Taps {
  int count = 0;
  int64_t at[4] = {};
  double weight[4] = {};
};

/// Paddle computes positions in float; so must we, to take the same elements.
struct AxisRule {
  int64_t in = 0, out = 0;
  float ratio = 0;
  const InterpolateConfig *attributes = nullptr;

  AxisRule(int64_t in, int64_t out, double scale, const InterpolateConfig &attributes)
      : in(in), out(out), attributes(&attributes) {
    if (out <= 1) // as Paddle: no step, whatever the scale
      ratio = 0;
    else if (attributes.alignCorners)
      ratio = static_cast<float>(in - 1) / static_cast<float>(out - 1);
    else
      ratio = scale > 0 ? 1.0f / static_cast<float>(scale) : static_cast<float>(in) / static_cast<float>(out);
  }

  Taps taps(int64_t position) const {
    auto k = static_cast<float>(position);
    if (attributes->method == Interpolation::Nearest) {
      auto at = static_cast<int64_t>(attributes->alignCorners ? ratio * k + 0.5f : ratio * k);
      return {1, {std::min(at, in - 1)}, {1}};
    }
    return attributes->method == Interpolation::Bicubic ? cubic(k) : linear(k);
  }

private:
  Taps linear(float k) const {
    bool centred = attributes->alignMode == 0 && !attributes->alignCorners;
    float source = centred ? std::max(ratio * (k + 0.5f) - 0.5f, 0.0f) : ratio * k;
    int64_t low = std::min(static_cast<int64_t>(source), in - 1), high = std::min(low + 1, in - 1);
    float fraction = source - static_cast<float>(low);
    return {2, {low, high}, {1 - fraction, fraction}}; // in float too, as there
  }

  Taps cubic(float k) const {
    // From here on Paddle computes with the precision of the elements.
    double source = attributes->alignCorners ? ratio * k : static_cast<double>(ratio) * (k + 0.5) - 0.5;
    double floor = std::floor(source), t = source - floor;
    auto base = static_cast<int64_t>(floor);
    constexpr double a = -0.75;
    auto near = [](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
    auto far = [](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
    Taps taps{4, {}, {far(t + 1), near(t), near(1 - t), far(2 - t)}};
    for (int i = 0; i < 4; ++i)
      taps.at[i] = std::clamp<int64_t>(base - 1 + i, 0, in - 1);
    return taps;
  }
};

/// The output's dims and the scales that were given (0: none).
struct Target {
  std::vector<int64_t> size;
  std::vector<double> scale;
};

Result<std::vector<double>> scaleOf(const Call &call, const InterpolateConfig &attributes, size_t spatial) {
  std::vector<double> scale = attributes.scale;
  const View &tensor = call.input(call.inputCount() - 1);
  size_t skipped = attributes.isGradient ? 1 : 0;
  if (call.inputCount() >= 4 + skipped && tensor) {
    scale.clear();
    bool known = dispatchFloat(tensor.dtype, [&](auto zero) {
      using T = decltype(zero);
      for (int64_t i = 0; i < tensor.size(); ++i)
        scale.push_back(static_cast<double>(static_cast<Wide<T>>(tensor.as<T>()[i])));
    });
    if (!known)
      return failure("the scale is {}", nameOf(tensor.dtype));
  }
  if (scale.size() == 1)
    scale.resize(spatial, scale.front());
  if (!scale.empty() && scale.size() != spatial)
    return failure("scale [{}] does not fit {} spatial axes", fmt::join(scale, ", "), spatial);
  return scale;
}

bool hasIntegers(const View &view) { return view.dtype == DType::Int32 || view.dtype == DType::Int64; }

Result<Target> targetOf(const Call &call, const InterpolateConfig &attributes,
                        std::span<const int64_t> spatialDims) {
  size_t spatial = spatialDims.size();
  Target target{
      std::vector<int64_t>(attributes.size.end() - static_cast<ptrdiff_t>(spatial), attributes.size.end()),
      std::vector<double>(spatial, 0)};
  std::vector<int64_t> sizes;
  // Between out_size and scale_tensor stand the size tensors, or one absent operand. Scales, which may be
  // absent too, are no integers.
  size_t first = attributes.isGradient ? 2 : 1;
  for (size_t i = first + 1; i < call.inputCount(); ++i)
    if (call.input(i) && hasIntegers(call.input(i))) {
      Result<std::vector<int64_t>> one = integersOf(call.input(i));
      if (!one || one->size() != 1)
        return failure("expected size tensors of one integer each");
      sizes.push_back(one->front());
    }
  if (sizes.empty()) {
    Result<std::vector<double>> scale = scaleOf(call, attributes, spatial);
    if (!scale)
      return scale.diagnostics();
    for (size_t i = 0; i < scale->size(); ++i)
      if ((*scale)[i] > 0) {
        target.scale[i] = (*scale)[i];
        target.size[i] =
            static_cast<int64_t>(static_cast<float>(spatialDims[i]) * static_cast<float>((*scale)[i]));
      }
    if (call.input(first)) {
      Result<std::vector<int64_t>> given = integersOf(call.input(first));
      if (!given)
        return given.diagnostics();
      sizes = std::move(*given);
    }
  }
  if (!sizes.empty() && sizes.size() != spatial)
    return failure("sizes [{}] do not fit {} spatial axes", fmt::join(sizes, ", "), spatial);
  if (!sizes.empty())
    target.size = sizes;
  if (std::equal(target.size.begin(), target.size.end(), spatialDims.begin(), spatialDims.end()))
    target.scale.assign(spatial, 0); // as Paddle: equal sizes copy, whatever the scale
  if (std::any_of(target.size.begin(), target.size.end(), [](int64_t size) { return size < 1; }))
    return failure("the output's dims [{}] are not above 0", fmt::join(target.size, ", "));
  return target;
}

/// A tensor as [batch, channels, depth, height, width], absent spatial axes of size 1.
struct Image {
  int64_t dims[5] = {1, 1, 1, 1, 1}, strides[5] = {};

  Image(std::span<const int64_t> stored, bool channelLast) {
    size_t rank = stored.size(), spatial = rank - 2;
    dims[0] = stored[0];
    dims[1] = stored[channelLast ? rank - 1 : 1];
    for (size_t i = 0; i < spatial; ++i)
      dims[5 - spatial + i] = stored[(channelLast ? 1 : 2) + i];
    int64_t next = channelLast ? dims[1] : 1;
    for (size_t i = 5; i-- > 2; next *= dims[i])
      strides[i] = next;
    strides[1] = channelLast ? 1 : next;
    strides[0] = channelLast ? next : next * dims[1];
  }
};

/// The taps of the columns, one list for the first tap of all columns, one for the second and so on.
template <class Sum> struct TapLists {
  std::vector<std::vector<int32_t>> at;
  std::vector<std::vector<Sum>> weight;

  explicit TapLists(const std::vector<Taps> &taps) {
    auto count = static_cast<size_t>(taps.empty() ? 0 : taps.front().count); // the same for all
    at.resize(count);
    weight.resize(count);
    for (const Taps &position : taps)
      for (size_t i = 0; i < count; ++i) {
        at[i].push_back(static_cast<int32_t>(position.at[i]));
        weight[i].push_back(static_cast<Sum>(position.weight[i]));
      }
  }
};

/// Several rows and what each is multiplied by.
template <class T, class Sum> struct WeightedRows {
  static constexpr int most = 16; // cubic along two axes

  int count = 0;
  const T *rows[most];
  Sum weights[most];

  void add(const T *row, Sum weight) {
    rows[count] = row;
    weights[count++] = weight;
  }
};

/// to = the sum of the weighted rows, of `length` elements each.
template <class Sum, class T, class To>
PROA_VECTOR_INLINE void sumRows(const WeightedRows<T, Sum> &from, int64_t length, To *to) {
  if (from.count == 2) {
    const T *a = from.rows[0], *b = from.rows[1];
    Sum first = from.weights[0], second = from.weights[1];
    for (int64_t i = 0; i < length; ++i)
      to[i] = static_cast<To>(first * static_cast<Sum>(a[i]) + second * static_cast<Sum>(b[i]));
    return;
  }
  constexpr int64_t block = 64;
  for (int64_t start = 0; start < length; start += block) {
    Sum sums[block];
    int64_t count = std::min(block, length - start);
    for (int64_t i = 0; i < count; ++i)
      sums[i] = from.weights[0] * static_cast<Sum>(from.rows[0][start + i]);
    for (int row = 1; row < from.count; ++row)
      for (int64_t i = 0; i < count; ++i)
        sums[i] += from.weights[row] * static_cast<Sum>(from.rows[row][start + i]);
    for (int64_t i = 0; i < count; ++i)
      to[start + i] = static_cast<To>(sums[i]);
  }
}

/// to = the columns of a row that the taps say, of one channel.
template <class Sum, class T>
PROA_VECTOR_INLINE void sumColumns(const TapLists<Sum> &taps, const T *from, int64_t width, Sum *to) {
  if (taps.at.size() == 2) {
    const int32_t *low = taps.at[0].data(), *high = taps.at[1].data();
    const Sum *first = taps.weight[0].data(), *second = taps.weight[1].data();
    for (int64_t w = 0; w < width; ++w)
      to[w] = first[w] * static_cast<Sum>(from[low[w]]) + second[w] * static_cast<Sum>(from[high[w]]);
    return;
  }
  for (size_t tap = 0; tap < taps.at.size(); ++tap) {
    const int32_t *at = taps.at[tap].data();
    const Sum *weights = taps.weight[tap].data();
    for (int64_t w = 0; w < width; ++w)
      to[w] = weights[w] * static_cast<Sum>(from[at[w]]) + (tap == 0 ? Sum(0) : to[w]);
  }
}

/// Rows of planes, whose columns are resampled. A row of the output is the sum of some of these, which the
/// next one needs again.
template <class T> class ResampledRows {
public:
  using Sum = Wide<T>;

  ResampledRows(const Image &in, const TapLists<Sum> &wide, int64_t width)
      : in(in), wide(wide), width(width), lines(static_cast<size_t>(slots * width)) {}

  void start(const T *next) {
    if (next != plane)
      std::fill(std::begin(held), std::end(held), -1);
    plane = next;
  }

  PROA_VECTOR_INLINE const Sum *row(int64_t depth, int64_t height) {
    int64_t slot = depth % taps * taps + height % taps, index = depth * in.dims[3] + height;
    Sum *line = lines.data() + slot * width;
    if (held[slot] != index)
      sumColumns<Sum>(wide, plane + depth * in.strides[2] + height * in.strides[3], width, line);
    held[slot] = index;
    return line;
  }

private:
  static constexpr int64_t taps = 4, slots = taps * taps; ///< neighbours get different slots

  const Image &in;
  const TapLists<Sum> &wide;
  int64_t width;
  const T *plane = nullptr;
  int64_t held[slots] = {};
  std::vector<Sum> lines;
};

/// The work of a thread: rows [begin, end) of the output.
template <class T> struct RowRange {
  const Image &in, &out;
  const std::vector<Taps> (&taps)[3];
  const T *x;
  T *y;
  int64_t begin, end;

  const Taps &high(int64_t row) const { return taps[1][static_cast<size_t>(row % out.dims[3])]; }
  const Taps &deep(int64_t row) const {
    return taps[0][static_cast<size_t>(row / out.dims[3] % out.dims[2])];
  }
  /// Of the image or the plane of a row.
  int64_t index(int64_t row) const { return row / out.dims[3] / out.dims[2]; }
};

/// Channels first.
template <class T>
PROA_VECTOR_INLINE void resampleRows(const RowRange<T> &range, const TapLists<Wide<T>> &wide) {
  using Sum = Wide<T>;
  int64_t width = range.out.dims[4];
  ResampledRows<T> lines(range.in, wide, width);
  for (int64_t row = range.begin; row < range.end; ++row) {
    const Taps &high = range.high(row), &deep = range.deep(row);
    lines.start(range.x + range.index(row) * range.in.strides[1]);
    WeightedRows<Sum, Sum> weighted;
    for (int a = 0; a < deep.count; ++a)
      for (int b = 0; b < high.count; ++b)
        weighted.add(lines.row(deep.at[a], high.at[b]),
                     static_cast<Sum>(deep.weight[a]) * static_cast<Sum>(high.weight[b]));
    sumRows<Sum>(weighted, width, range.y + row * width);
  }
}

template <class T>
void resamplePlanes(const Image &in, const Image &out, const std::vector<Taps> (&taps)[3], const T *x, T *y) {
  TapLists<Wide<T>> wide(taps[2]);
  int64_t rows = out.dims[0] * out.dims[1] * out.dims[2] * out.dims[3];
  parallelFor(rows, 1 + 8192 / (out.dims[4] + 1), [&](int64_t begin, int64_t end) {
    runVectors<resampleRows<T>>(RowRange<T>{in, out, taps, x, y, begin, end}, wide);
  });
}

/// Floats that sumChannels may read after a row.
constexpr int64_t readAfterRow = vectorSize;

/// to = the sum of two columns. Whole vectors are stored, also of the elements after `channels` if the `room`
/// of the row has them: the next column replaces these.
PROA_VECTOR_INLINE void sumChannels(const WeightedRows<float, float> &columns, int64_t channels, int64_t room,
                                    float *to) {
  const float *a = columns.rows[0], *b = columns.rows[1];
  float first = columns.weights[0], second = columns.weights[1];
  int64_t c = 0;
  for (; c < channels && c + vectorSize <= room; c += vectorSize) {
    Vector x, y;
    std::memcpy(&x, a + c, sizeof(Vector));
    std::memcpy(&y, b + c, sizeof(Vector));
    x = first * x + second * y;
    std::memcpy(to + c, &x, sizeof(Vector));
  }
  for (; c < channels; ++c)
    to[c] = first * a[c] + second * b[c];
}

/// Channels last: rows of the image are summed, then all channels of the columns.
template <class T>
PROA_VECTOR_INLINE void resampleChannelRows(const RowRange<T> &range, std::vector<Wide<T>> &line) {
  using Sum = Wide<T>;
  const auto &[in, out, taps, x, y, begin, end] = range;
  int64_t channels = in.dims[1], width = out.dims[4];
  for (int64_t row = begin; row < end; ++row) {
    const Taps &high = range.high(row), &deep = range.deep(row);
    const T *image = x + range.index(row) * in.strides[0];
    WeightedRows<T, Sum> rows;
    for (int a = 0; a < deep.count; ++a)
      for (int b = 0; b < high.count; ++b)
        rows.add(image + deep.at[a] * in.strides[2] + high.at[b] * in.strides[3],
                 static_cast<Sum>(deep.weight[a]) * static_cast<Sum>(high.weight[b]));
    const Taps *columnTaps = taps[2].data();
    if (rows.count * columnTaps[0].count == 1) { // one element, of weight 1
      for (int64_t w = 0; w < width; ++w)
        std::copy_n(rows.rows[0] + columnTaps[w].at[0] * channels, channels,
                    y + (row * width + w) * channels);
      continue;
    }
    sumRows<Sum>(rows, in.dims[4] * channels, line.data());
    for (int64_t w = 0; w < width; ++w) {
      const Taps &wide = columnTaps[w];
      WeightedRows<Sum, Sum> columns;
      for (int e = 0; e < wide.count; ++e)
        columns.add(line.data() + wide.at[e] * channels, static_cast<Sum>(wide.weight[e]));
      if constexpr (std::is_same_v<T, float>)
        if (columns.count == 2) {
          sumChannels(columns, channels, (width - w) * channels, y + (row * width + w) * channels);
          continue;
        }
      sumRows<Sum>(columns, channels, y + (row * width + w) * channels);
    }
  }
}

template <class T>
void resampleChannels(const Image &in, const Image &out, const std::vector<Taps> (&taps)[3], const T *x,
                      T *y) {
  int64_t rows = out.dims[0] * out.dims[2] * out.dims[3], columns = out.dims[4] + in.dims[4];
  parallelFor(rows, 1 + 8192 / (columns * in.dims[1] + 1), [&](int64_t begin, int64_t end) {
    std::vector<Wide<T>> line(static_cast<size_t>(in.dims[4] * in.dims[1] + readAfterRow));
    runVectors<resampleChannelRows<T>>(RowRange<T>{in, out, taps, x, y, begin, end}, line);
  });
}

template <class T, int64_t times> PROA_VECTOR_INLINE void repeatElements(const T *x, int64_t count, T *y) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < times; ++k)
      y[i * times + k] = x[i];
}

/// Rows of which each element becomes a square of four.
struct DoubledRows {
  const uint32_t *x;
  int64_t width, count;
  uint32_t *y;
};

PROA_VECTOR_INLINE void doubleRows(const DoubledRows &rows) {
  constexpr int64_t lanes = 8;
  using Elements = uint32_t __attribute__((vector_size(lanes * sizeof(uint32_t))));
  int64_t outWidth = 2 * rows.width;
  for (int64_t row = 0; row < rows.count; ++row) {
    const uint32_t *x = rows.x + row * rows.width;
    uint32_t *y = rows.y + row * 2 * outWidth;
    for (int64_t i = 0; rows.width >= lanes && i < rows.width; i += lanes) {
      int64_t at = std::min(i, rows.width - lanes); // the last vector stores some elements again
      Elements elements;
      std::memcpy(&elements, x + at, sizeof(elements));
      Elements doubled[2] = {__builtin_shufflevector(elements, elements, 0, 0, 1, 1, 2, 2, 3, 3),
                             __builtin_shufflevector(elements, elements, 4, 4, 5, 5, 6, 6, 7, 7)};
      std::memcpy(y + 2 * at, doubled, sizeof(doubled));
      std::memcpy(y + outWidth + 2 * at, doubled, sizeof(doubled));
    }
    for (int64_t i = 0; rows.width < lanes && i < rows.width; ++i)
      y[2 * i] = y[2 * i + 1] = y[outWidth + 2 * i] = y[outWidth + 2 * i + 1] = x[i];
  }
}

/// How often each element of an axis is repeated; 0: not equally often, or in another order.
int64_t repeatsOf(const std::vector<Taps> &taps, int64_t in) {
  auto size = static_cast<int64_t>(taps.size());
  int64_t repeats = size / in;
  bool isRegular = repeats * in == size;
  for (int64_t i = 0; isRegular && i < size; ++i)
    isRegular = taps[static_cast<size_t>(i)].at[0] == i / repeats;
  return isRegular ? repeats : 0;
}

/// The nearest elements of a row, where each is repeated equally often or in any order.
template <class T> class NearestRow {
public:
  NearestRow(const std::vector<Taps> &taps, int64_t in) {
    for (const Taps &position : taps)
      at.push_back(position.at[0]);
    factor = repeatsOf(taps, in);
  }

  int64_t size() const { return static_cast<int64_t>(at.size()); }

  void copy(const T *x, T *y) const {
    switch (factor) {
    case 1:
      return (void)std::copy_n(x, size(), y);
    case 2:
      return repeat<2>(x, y);
    case 3:
      return repeat<3>(x, y);
    case 4:
      return repeat<4>(x, y);
    default:
      for (size_t i = 0; i < at.size(); ++i)
        y[i] = x[at[i]];
    }
  }

private:
  template <int64_t times> void repeat(const T *x, T *y) const {
    runVectors<repeatElements<T, times>>(x, size() / times, y);
  }

  std::vector<int64_t> at;
  int64_t factor = 0; ///< 0: irregular
};

/// Copies the nearest elements. `step`: the elements that lie together, which are the channels or one.
template <class T>
void copyNearest(const Image &in, const Image &out, const std::vector<Taps> (&taps)[3], bool channelLast,
                 const T *x, T *y) {
  int64_t step = channelLast ? in.dims[1] : 1, planes = out.dims[0] * (channelLast ? 1 : out.dims[1]);
  int64_t rowSize = out.dims[4] * step, rows = planes * out.dims[2] * out.dims[3];
  if constexpr (std::is_same_v<T, uint32_t>)
    if (step == 1 && repeatsOf(taps[0], in.dims[2]) == 1 && repeatsOf(taps[1], in.dims[3]) == 2 &&
        repeatsOf(taps[2], in.dims[4]) == 2)
      return parallelFor(rows / 2, 1 + 8192 / (rowSize + 1), [&](int64_t begin, int64_t end) {
        DoubledRows doubled{x + begin * in.dims[4], in.dims[4], end - begin, y + begin * 2 * rowSize};
        runVectors<doubleRows>(doubled);
      });
  NearestRow<T> nearest(taps[2], in.dims[4]);
  parallelFor(rows, 1 + 16384 / (rowSize + 1), [&](int64_t begin, int64_t end) {
    const T *last = nullptr;
    int64_t h = begin % out.dims[3], d = begin / out.dims[3] % out.dims[2],
            plane = begin / out.dims[3] / out.dims[2];
    for (int64_t row = begin; row < end; ++row) {
      const T *source = x + plane * in.strides[channelLast ? 0 : 1] +
                        taps[0][static_cast<size_t>(d)].at[0] * in.strides[2] +
                        taps[1][static_cast<size_t>(h)].at[0] * in.strides[3];
      if (++h == out.dims[3]) {
        h = 0;
        d = d + 1 == out.dims[2] ? 0 : d + 1;
        plane += d == 0 ? 1 : 0;
      }
      T *target = y + row * rowSize;
      if (std::exchange(last, source) == source)
        std::copy_n(target - rowSize, rowSize, target);
      else if (step == 1)
        nearest.copy(source, target);
      else
        for (int64_t w = 0; w < out.dims[4]; ++w)
          std::copy_n(source + taps[2][static_cast<size_t>(w)].at[0] * step, step, target + w * step);
    }
  });
}

/// Integers are weighed as floats in Paddle's order, as what is left of the sum is cut off.
template <class T>
void resampleIntegers(const Image &in, const Image &out, const std::vector<Taps> (&taps)[3], const T *x,
                      T *y) {
  using Sum = float;
  int64_t rows = out.dims[0] * out.dims[2] * out.dims[3];
  parallelFor(rows, 1 + 4096 / (out.dims[4] * out.dims[1] + 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t h = row % out.dims[3], d = row / out.dims[3] % out.dims[2], n = row / out.dims[3] / out.dims[2];
      const Taps &deep = taps[0][static_cast<size_t>(d)], &high = taps[1][static_cast<size_t>(h)];
      for (int64_t w = 0; w < out.dims[4]; ++w) {
        const Taps &wide = taps[2][static_cast<size_t>(w)];
        const T *source = x + n * in.strides[0];
        T *target = y + n * out.strides[0] + d * out.strides[2] + h * out.strides[3] + w * out.strides[4];
        for (int64_t c = 0; c < in.dims[1]; ++c) {
          Sum total = 0;
          for (int a = 0; a < deep.count; ++a)
            for (int b = 0; b < high.count; ++b) {
              Sum line = 0;
              const T *start =
                  source + c * in.strides[1] + deep.at[a] * in.strides[2] + high.at[b] * in.strides[3];
              for (int e = 0; e < wide.count; ++e)
                line +=
                    static_cast<Sum>(wide.weight[e]) * static_cast<Sum>(start[wide.at[e] * in.strides[4]]);
              total += static_cast<Sum>(deep.weight[a]) * static_cast<Sum>(high.weight[b]) * line;
            }
          target[c * out.strides[1]] = convertElement<T>(total);
        }
      }
    }
  });
}

/// Adds each element of y, times its weights, to the elements of x that it was combined from. One thread has
/// whole planes, so that no two add to one element.
template <class T>
void spread(const Image &in, const Image &out, const std::vector<Taps> (&taps)[3], Wide<T> *x, const T *y) {
  using Sum = Wide<T>;
  int64_t planes = in.dims[0] * in.dims[1], elements = out.dims[2] * out.dims[3] * out.dims[4];
  parallelFor(planes, 1 + 4096 / (elements + 1), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      int64_t n = plane / in.dims[1], c = plane % in.dims[1];
      Sum *target = x + n * in.strides[0] + c * in.strides[1];
      const T *source = y + n * out.strides[0] + c * out.strides[1];
      for (int64_t d = 0; d < in.dims[2]; ++d)
        for (int64_t h = 0; h < in.dims[3]; ++h)
          for (int64_t w = 0; w < in.dims[4]; ++w)
            target[d * in.strides[2] + h * in.strides[3] + w * in.strides[4]] = 0;
      for (int64_t flat = 0; flat < elements; ++flat) {
        int64_t w = flat % out.dims[4], h = flat / out.dims[4] % out.dims[3],
                d = flat / out.dims[4] / out.dims[3];
        const Taps &deep = taps[0][static_cast<size_t>(d)], &high = taps[1][static_cast<size_t>(h)],
                   &wide = taps[2][static_cast<size_t>(w)];
        auto value = static_cast<Sum>(source[d * out.strides[2] + h * out.strides[3] + w * out.strides[4]]);
        for (int a = 0; a < deep.count; ++a)
          for (int b = 0; b < high.count; ++b) {
            Sum term = static_cast<Sum>(deep.weight[a]) * static_cast<Sum>(high.weight[b]) * value;
            Sum *start = target + deep.at[a] * in.strides[2] + high.at[b] * in.strides[3];
            for (int e = 0; e < wide.count; ++e)
              start[wide.at[e] * in.strides[4]] += static_cast<Sum>(wide.weight[e]) * term;
          }
      }
    }
  });
}

/// Where each position of the output takes its elements along the three axes.
struct Resampling {
  Image from, to;
  std::vector<Taps> taps[3];

  Resampling(const InterpolateConfig &attributes, std::span<const int64_t> x, std::span<const int64_t> y,
             std::span<const double> scale)
      : from(x, attributes.channelLast), to(y, attributes.channelLast) {
    size_t spatial = x.size() - 2;
    for (size_t i = 0; i < 3; ++i) {
      bool absent = i + spatial < 3;
      if (absent) {
        taps[i] = {Taps{1, {0}, {1}}};
        continue;
      }
      AxisRule rule(from.dims[2 + i], to.dims[2 + i], scale[i + spatial - 3], attributes);
      for (int64_t position = 0; position < to.dims[2 + i]; ++position)
        taps[i].push_back(rule.taps(position));
    }
  }
};

Result<void> gradient(Call &call, const Resampling &resampling, std::span<const int64_t> dims,
                      const View &out) {
  const View &cotangent = call.input(1);
  if (!std::ranges::equal(cotangent.dims, dims) || cotangent.dtype != out.dtype)
    return failure("expected a cotangent {}, found {}", describe(out.dtype, dims),
                   describe(cotangent.dtype, cotangent.dims));
  bool known = dispatchFloat(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto &[from, to, taps] = resampling;
    if constexpr (std::is_same_v<T, Wide<T>>) {
      spread<T>(from, to, taps, out.as<T>(), cotangent.as<T>());
    } else {
      auto *sums = static_cast<float *>(call.scratch(static_cast<size_t>(out.size()) * sizeof(float)));
      spread<T>(from, to, taps, sums, cotangent.as<T>());
      for (int64_t i = 0; i < out.size(); ++i)
        out.as<T>()[i] = static_cast<T>(sums[i]);
    }
  });
  return known ? Result<void>() : failure("resampling {} is not supported", nameOf(out.dtype));
}

Result<void> interpolate(Call &call, const InterpolateConfig &attributes) {
  const View &x = call.input(0);
  if (x.rank() < 3 || x.rank() > 5)
    return failure("expected one to three spatial axes, found {}", describe(x.dtype, x.dims));
  size_t spatial = x.rank() - 2, firstAxis = attributes.channelLast ? 1 : 2;
  std::span<const int64_t> spatialDims = x.dims.subspan(firstAxis, spatial);
  Result<Target> target = targetOf(call, attributes, spatialDims);
  if (!target)
    return target.diagnostics();
  std::vector<int64_t> dims(x.dims.begin(), x.dims.end());
  std::copy(target->size.begin(), target->size.end(), dims.begin() + static_cast<ptrdiff_t>(firstAxis));
  Result<View> out = call.output(0, attributes.isGradient ? x.dims : std::span<const int64_t>(dims));
  if (!out)
    return out.diagnostics();
  if (x.size() == 0)
    return out->size() == 0 ? Result<void>() : failure("an empty image cannot be resampled");
  Resampling resampling(attributes, x.dims, dims, target->scale);
  if (attributes.isGradient)
    return gradient(call, resampling, dims, *out);
  if (attributes.method == Interpolation::Nearest) {
    dispatchSize(sizeOf(x.dtype), [&](auto zero) {
      using T = decltype(zero);
      copyNearest(resampling.from, resampling.to, resampling.taps, attributes.channelLast, x.as<T>(),
                  out->as<T>());
    });
    return {};
  }
  bool known = dispatchReal(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto &[from, to, taps] = resampling;
    if constexpr (std::is_integral_v<T>)
      resampleIntegers(from, to, taps, x.as<T>(), out->as<T>());
    else if (attributes.channelLast)
      resampleChannels(from, to, taps, x.as<T>(), out->as<T>());
    else
      resamplePlanes(from, to, taps, x.as<T>(), out->as<T>());
  });
  return known ? Result<void>() : failure("resampling {} is not supported", nameOf(x.dtype));
}

template <class Op>
Result<std::unique_ptr<LibraryKernel>> make(const Op &op, const KernelRequest &request, bool isGradient) {
  Checks checks(request);
  InterpolateConfig attributes;
  attributes.isGradient = isGradient;
  attributes.method = op.interpMethod;
  attributes.alignCorners = op.alignCorners;
  attributes.alignMode = op.alignMode;
  attributes.channelLast = channelsAreLast(op.dataFormat);
  attributes.size = {op.outD, op.outH, op.outW};
  attributes.scale = op.scale;
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([attributes](Call &call) { return interpolate(call, attributes); });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeInterpolate(const InterpolateAttributes &op,
                                                       const KernelRequest &request) {
  return make(op, request, false);
}
Result<std::unique_ptr<LibraryKernel>> makeInterpolateGradient(const InterpolateGradientAttributes &op,
                                                               const KernelRequest &request) {
  return make(op, request, true);
}

} // namespace proa::runtime
