#include "lib/runtime/kernels/image/PoolRows.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Vectors.h"

#include <algorithm>
#include <limits>

namespace proa::runtime {
namespace {

/// A pooling: common to all its rows.
struct RowPooling {
  RowPooling(const PoolGeometry &g, const PoolConfig &config, const float *in, float *out);

  const float *in, *inEnd;
  float *out;
  std::vector<AxisWindow> deep, high, wide;
  int64_t depth;             ///< elements of a column: the channels where they come last, else one
  std::vector<float> counts; ///< of the elements of `wide`, as many as whole vectors have
  int64_t planes, slices, height;
  int64_t width;                       ///< elements of a row
  int64_t taps, stride, before, after; ///< of the columns

  int64_t outWidth() const { return static_cast<int64_t>(wide.size()) * depth; }
  int64_t rowCount() const { return planes * static_cast<int64_t>(deep.size() * high.size()); }
  /// Elements of a row, and the elements before and after it that vectors of windows read.
  int64_t rowRoom() const {
    int64_t ends = depth == 1 ? vectorSize * (stride + 1) : stride * depth + 2 * vectorSize;
    return width + (before + std::max(taps, after)) * depth + ends;
  }
};

int64_t roundedUp(int64_t count) { return (count + vectorSize - 1) / vectorSize * vectorSize; }

RowPooling::RowPooling(const PoolGeometry &g, const PoolConfig &config, const float *in, float *out)
    : in(in), out(out), deep(g.windows(0, config)), high(g.windows(1, config)), wide(g.windows(2, config)),
      depth(config.channelLast ? g.input[1] : 1) {
  size_t axes = g.kernel.size();
  planes = g.input[0] * (config.channelLast ? 1 : g.input[1]);
  slices = axes == 3 ? g.input[2] : 1;
  height = g.input[axes];
  width = g.input[1 + axes] * depth;
  inEnd = in + planes * slices * height * width;
  taps = g.adaptive ? 0 : g.kernel[axes - 1];
  stride = g.adaptive ? 1 : g.strides[axes - 1];
  before = g.before[axes - 1];
  after = g.after[axes - 1];
  counts.assign(static_cast<size_t>(roundedUp(outWidth())), 1);
  for (auto count = counts.begin(); const AxisWindow &window : wide)
    count = std::fill_n(count, depth, static_cast<float>(window.counted));
}

/// Rows are computed in steps, each for some rows: what a vector reads was not just written by other vectors.
/// Of long rows there are fewer, so that they stay in the first-level cache.
constexpr int64_t mostRowsAtOnce = 8, floatsAtOnce = 4096;

/// Elements of rows outside of the image are neutral, so that windows at the edge need no masks.
struct RowBuffers {
  int64_t rowRoom, rowsAtOnce;
  std::vector<float> rows;
  int64_t lineCount = 0;      ///< of the last row, if its windows are averaged
  std::vector<float> inverse; ///< of the elements of each of its windows

  float *row(const RowPooling &pooling, int64_t i) {
    return rows.data() + i * rowRoom + pooling.before * pooling.depth;
  }

  RowBuffers(const RowPooling &pooling, float neutral)
      : rowRoom(pooling.rowRoom()),
        rowsAtOnce(std::clamp<int64_t>(floatsAtOnce / rowRoom, 1, mostRowsAtOnce)),
        rows(static_cast<size_t>(rowRoom * rowsAtOnce), neutral), inverse(pooling.counts.size()) {}

  void setLineCount(const RowPooling &pooling, int64_t count) {
    if (count == lineCount)
      return;
    lineCount = count;
    std::ranges::transform(pooling.counts, inverse.begin(),
                           [&](float columns) { return 1 / (columns * static_cast<float>(count)); });
  }
};

} // namespace

/// Of two numbers that do not compare the second one stays.
template <bool IsMax, class T> PROA_VECTOR_INLINE void combine(T &sum, const T &value) {
  if constexpr (IsMax)
    sum = sum > value ? sum : value;
  else
    sum += value;
}

template <bool IsMax> inline constexpr float initial = IsMax ? std::numeric_limits<float>::lowest() : 0;

/// Lines that a window reaches. Sizes are copies: what is written through vectors may be anything for the
/// compiler.
struct Lines {
  const float *first;
  int64_t count, sliceCount, width, sliceSize, room; ///< `room`: elements of the input from `first` on
};

/// row[x] = the combination of column x of all lines, neutral after the last column. If `IsWhole`, vectors
/// may be read beyond it. `Count`: of the lines, of one slice; 0: any.
template <bool IsMax, bool IsWhole, int Count> PROA_VECTOR_INLINE void combineLines(Lines lines, float *row) {
  constexpr IntVector lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  int64_t sliceCount = Count == 0 ? lines.sliceCount : 1, count = Count == 0 ? lines.count : Count;
  for (int64_t x = 0; x < lines.width; x += vectorSize) {
    Vector sum = Vector{} + initial<IsMax>;
    for (int64_t slice = 0; slice < sliceCount; ++slice) {
      int64_t at = slice * lines.sliceSize + x;
#pragma GCC unroll 5
      for (int64_t line = 0; line < count; ++line, at += lines.width) {
        Vector values;
        load(lines.first + at, IsWhole ? vectorSize : lines.room - at, values);
        combine<IsMax>(sum, values);
      }
    }
    if (lines.width - x < vectorSize)
      sum = lanes < static_cast<int32_t>(lines.width - x) ? sum : Vector{} + initial<IsMax>;
    std::memcpy(row + x, &sum, sizeof(sum));
  }
}

/// The same with the number of lines as a constant where it is a usual one.
template <bool IsMax> PROA_VECTOR_INLINE void combineWholeLines(Lines lines, float *row) {
  if (lines.sliceCount == 1 && lines.count == 2)
    combineLines<IsMax, true, 2>(lines, row);
  else if (lines.sliceCount == 1 && lines.count == 3)
    combineLines<IsMax, true, 3>(lines, row);
  else if (lines.sliceCount == 1 && lines.count == 5)
    combineLines<IsMax, true, 5>(lines, row);
  else
    combineLines<IsMax, true, 0>(lines, row);
}

template <bool IsMax>
PROA_VECTOR_INLINE void combineRows(const RowPooling &pooling, const float *plane, const AxisWindow &slices,
                                    const AxisWindow &high, float *row) {
  int64_t sliceSize = pooling.height * pooling.width;
  const float *first = plane + slices.begin * sliceSize + high.begin * pooling.width;
  Lines lines{first, high.size(), slices.size(), pooling.width, sliceSize, pooling.inEnd - first};
  int64_t last = (lines.sliceCount - 1) * sliceSize + (lines.count - 1) * lines.width;
  if (lines.room - last >= roundedUp(lines.width))
    combineWholeLines<IsMax>(lines, row);
  else
    combineLines<IsMax, false, 0>(lines, row);
}

/// A row of the output, and what its sums are multiplied with.
struct RowTarget {
  float *out;
  const float *outEnd, *inverse;
};

/// The last vector of a row writes into the next one, which is written later, but not beyond `outEnd`.
template <bool IsMax> PROA_VECTOR_INLINE void write(const RowTarget &target, int64_t at, Vector &values) {
  if constexpr (!IsMax) {
    Vector factors;
    std::memcpy(&factors, target.inverse + at, sizeof(factors));
    values *= factors;
  }
  float *out = target.out + at;
  store(values, target.outEnd - out, out);
}

/// All windows of a row. `Step` is the stride, `Taps` the elements of a window; 0: any.
template <bool IsMax, int Step, int Taps>
PROA_VECTOR_INLINE void combineTaps(const RowPooling &pooling, const float *row, RowTarget target) {
  int64_t outWidth = pooling.outWidth(), stride = Step == 0 ? pooling.stride : Step,
          taps = Taps == 0 ? pooling.taps : Taps;
  const float *from = row - pooling.before;
  for (int64_t at = 0; at < outWidth; at += vectorSize, from += vectorSize * stride) {
    Vector sum = Vector{} + initial<IsMax>;
#pragma GCC unroll 5
    for (int64_t tap = 0; tap < taps; ++tap) {
      Vector values;
      if constexpr (Step == 0)
        for (int64_t lane = 0; lane < vectorSize; ++lane)
          values[lane] = from[lane * stride + tap];
      else
        loadEvery<Step>(from + tap, values);
      combine<IsMax>(sum, values);
    }
    write<IsMax>(target, at, sum);
  }
}

template <bool IsMax, int Step>
PROA_VECTOR_INLINE void combineWindows(const RowPooling &pooling, const float *row, const RowTarget &target) {
  if (pooling.taps == 2)
    combineTaps<IsMax, Step, 2>(pooling, row, target);
  else if (pooling.taps == 3)
    combineTaps<IsMax, Step, 3>(pooling, row, target);
  else if (pooling.taps == 5)
    combineTaps<IsMax, Step, 5>(pooling, row, target);
  else
    combineTaps<IsMax, Step, 0>(pooling, row, target);
}

/// A window of `taps` columns of several channels. `Taps`: as many; 0: any.
template <bool IsMax, int Taps>
PROA_VECTOR_INLINE void combineColumn(const float *from, int64_t taps, int64_t depth, float inverse,
                                      float *out, const float *outEnd) {
  for (int64_t channel = 0; channel < depth; channel += vectorSize) {
    Vector sum = Vector{} + initial<IsMax>;
#pragma GCC unroll 5
    for (int64_t tap = 0; tap < (Taps == 0 ? taps : Taps); ++tap) {
      Vector values;
      std::memcpy(&values, from + tap * depth + channel, sizeof(values));
      combine<IsMax>(sum, values);
    }
    if constexpr (!IsMax)
      sum *= inverse;
    store(sum, outEnd - out - channel, out + channel); // also elements of the next window, which follows
  }
}

/// All windows of a row of columns of several channels.
template <bool IsMax, int Taps>
PROA_VECTOR_INLINE void combineDeepTaps(const RowPooling &pooling, const float *row,
                                        const RowTarget &target) {
  int64_t depth = pooling.depth, taps = pooling.taps, count = pooling.outWidth() / depth;
  for (int64_t i = 0; i < count; ++i)
    combineColumn<IsMax, Taps>(row + (i * pooling.stride - pooling.before) * depth, taps, depth,
                               IsMax ? 1 : target.inverse[i * depth], target.out + i * depth, target.outEnd);
}

template <bool IsMax>
PROA_VECTOR_INLINE void combineDeepColumns(const RowPooling &pooling, const float *row,
                                           const RowTarget &target) {
  int64_t depth = pooling.depth;
  if (pooling.taps == 2)
    return combineDeepTaps<IsMax, 2>(pooling, row, target);
  if (pooling.taps == 3)
    return combineDeepTaps<IsMax, 3>(pooling, row, target);
  if (pooling.taps > 0)
    return combineDeepTaps<IsMax, 0>(pooling, row, target);
  for (size_t i = 0; i < pooling.wide.size(); ++i) {
    int64_t at = static_cast<int64_t>(i) * depth;
    combineColumn<IsMax, 0>(row + pooling.wide[i].begin * depth, pooling.wide[i].size(), depth,
                            IsMax ? 1 : target.inverse[at], target.out + at, target.outEnd);
  }
}

/// Windows of several sizes.
template <bool IsMax>
PROA_VECTOR_INLINE void combineAdaptive(const RowPooling &pooling, const float *row,
                                        const RowTarget &target) {
  for (size_t i = 0; i < pooling.wide.size(); ++i) {
    float sum = initial<IsMax>;
    for (int64_t x = pooling.wide[i].begin; x < pooling.wide[i].end; ++x)
      combine<IsMax>(sum, row[x]);
    target.out[i] = IsMax ? sum : sum * target.inverse[i];
  }
}

template <bool IsMax>
PROA_VECTOR_INLINE void combineColumns(const RowPooling &pooling, const float *row, const RowTarget &target) {
  if (pooling.depth > 1)
    combineDeepColumns<IsMax>(pooling, row, target);
  else if (pooling.taps == 0)
    combineAdaptive<IsMax>(pooling, row, target);
  else if (pooling.stride == 1)
    combineWindows<IsMax, 1>(pooling, row, target);
  else if (pooling.stride == 2)
    combineWindows<IsMax, 2>(pooling, row, target);
  else
    combineTaps<IsMax, 0, 0>(pooling, row, target);
}

/// A row of the output among all rows of all planes.
struct RowPosition {
  int64_t plane, slice, line;

  RowPosition(const RowPooling &pooling, int64_t flat) {
    auto outHeight = static_cast<int64_t>(pooling.high.size()),
         outSlices = static_cast<int64_t>(pooling.deep.size());
    line = flat % outHeight;
    slice = flat / outHeight % outSlices;
    plane = flat / outHeight / outSlices;
  }
  void advance(const RowPooling &pooling) {
    if (++line < static_cast<int64_t>(pooling.high.size()))
      return;
    line = 0;
    if (++slice < static_cast<int64_t>(pooling.deep.size()))
      return;
    slice = 0;
    ++plane;
  }
};

/// The rows [begin, end) of all rows of all planes of the output.
template <bool IsMax>
PROA_VECTOR_INLINE static void poolRange(const RowPooling &pooling, int64_t begin, int64_t end,
                                         RowBuffers &buffers) {
  int64_t planeSize = pooling.slices * pooling.height * pooling.width;
  const float *outEnd = pooling.out + end * pooling.outWidth();
  RowPosition position(pooling, begin);
  for (int64_t first = begin; first < end; first += buffers.rowsAtOnce) {
    int64_t count = std::min(buffers.rowsAtOnce, end - first), lineCounts[mostRowsAtOnce];
    for (int64_t i = 0; i < count; ++i, position.advance(pooling)) {
      const AxisWindow &slices = pooling.deep[static_cast<size_t>(position.slice)];
      const AxisWindow &lines = pooling.high[static_cast<size_t>(position.line)];
      combineRows<IsMax>(pooling, pooling.in + position.plane * planeSize, slices, lines,
                         buffers.row(pooling, i));
      lineCounts[i] = slices.counted * lines.counted;
    }
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (!IsMax)
        buffers.setLineCount(pooling, lineCounts[i]);
      float *out = pooling.out + (first + i) * pooling.outWidth();
      combineColumns<IsMax>(pooling, buffers.row(pooling, i), {out, outEnd, buffers.inverse.data()});
    }
  }
}

void poolRows(const PoolGeometry &g, const PoolConfig &config, const float *in, float *out) {
  RowPooling pooling(g, config, in, out);
  auto outHeight = static_cast<int64_t>(pooling.high.size());
  int64_t lines =
      g.adaptive ? 1 + pooling.height / std::max<int64_t>(1, outHeight) : g.kernel[g.kernel.size() - 2];
  constexpr int64_t grain = 65536; // elements that one core reads in some microseconds
  parallelFor(pooling.rowCount(), 1 + grain / (lines * pooling.width + 1), [&](int64_t begin, int64_t end) {
    RowBuffers buffers(pooling, config.isMax ? initial<true> : initial<false>);
    if (config.isMax)
      runVectors<poolRange<true>>(pooling, begin, end, buffers);
    else
      runVectors<poolRange<false>>(pooling, begin, end, buffers);
  });
}

} // namespace proa::runtime
