#include "lib/runtime/kernels/image/PoolWhole.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Vectors.h"

#include <algorithm>
#include <optional>

namespace proa::runtime {
namespace {

/// Vectors of channels that are added at once, without waiting for the sum before.
constexpr int64_t blockVectors = 4, blockChannels = blockVectors * vectorSize;
/// Positions whose sum is added to the sum of all: a long sum loses digits.
constexpr int64_t positionsOfSum = 64;

/// An image with channels last.
struct DeepImage {
  const float *in;
  float *out;
  int64_t positions, channels;
  float inverse; ///< of the positions that an average divides by
};

/// Channels of an image with channels first.
struct FlatPlanes {
  const float *in;
  const float *inEnd; ///< of the tensor
  float *out;
  int64_t count, positions;
  float inverse;
};

/// The factor of the sums. None: not an average, one with other windows than whole images, or of images
/// without positions.
std::optional<float> inverseCount(const PoolGeometry &g, const PoolConfig &config) {
  int64_t counted = 1;
  if (config.isMax ||
      std::ranges::any_of(g.output.begin() + 2, g.output.end(), [](int64_t n) { return n != 1; }))
    return std::nullopt;
  for (size_t axis = 3 - g.kernel.size(); axis < 3; ++axis) {
    AxisWindow window = g.windows(axis, config).front();
    int64_t size = g.input[axis + g.kernel.size() - 1];
    if (size == 0 || window.begin != 0 || window.end != size)
      return std::nullopt;
    counted *= window.counted;
  }
  return 1 / static_cast<float>(counted);
}

} // namespace

/// The averages of `Count` vectors of channels from `channel` on.
template <int Count>
PROA_VECTOR_INLINE void averageChannels(const DeepImage &image, int64_t channel, float *out) {
  Vector totals[Count] = {};
  const float *from = image.in + channel;
  int64_t step = image.channels;
  for (int64_t begin = 0; begin < image.positions; begin += positionsOfSum) {
    int64_t end = std::min(begin + positionsOfSum, image.positions);
    Vector sums[Count] = {};
    for (int64_t position = begin; position < end; ++position, from += step)
      for (int i = 0; i < Count; ++i) {
        Vector values;
        std::memcpy(&values, from + i * vectorSize, sizeof(values));
        sums[i] += values;
      }
    for (int i = 0; i < Count; ++i)
      totals[i] += sums[i];
  }
  for (int i = 0; i < Count; ++i) {
    Vector average = totals[i] * image.inverse;
    std::memcpy(out + i * vectorSize, &average, sizeof(average));
  }
}

/// The channels [begin, end), of which there are at most blockChannels.
PROA_VECTOR_INLINE static void averageBlock(const DeepImage &image, int64_t begin, int64_t end) {
  if (end - begin == blockChannels)
    return averageChannels<blockVectors>(image, begin, image.out + begin);
  for (; begin + vectorSize <= end; begin += vectorSize)
    averageChannels<1>(image, begin, image.out + begin);
  if (begin == end)
    return;
  if (end >= vectorSize) { // also channels before `begin`, which others store
    float averages[vectorSize];
    averageChannels<1>(image, end - vectorSize, averages);
    std::copy(averages + vectorSize - (end - begin), averages + vectorSize, image.out + begin);
    return;
  }
  for (int64_t channel = begin; channel < end; ++channel) {
    float total = 0;
    for (int64_t first = 0; first < image.positions; first += positionsOfSum) {
      float sum = 0;
      for (int64_t i = first; i < std::min(first + positionsOfSum, image.positions); ++i)
        sum += image.in[i * image.channels + channel];
      total += sum;
    }
    image.out[channel] = total * image.inverse;
  }
}

/// The average of a plane. If `IsWhole`, vectors may be read beyond it.
template <bool IsWhole>
PROA_VECTOR_INLINE float averagePlane(const float *from, int64_t positions, float inverse) {
  constexpr IntVector lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  Vector sums[2] = {};
  int64_t at = 0;
  for (; at + 2 * vectorSize <= positions; at += 2 * vectorSize)
    for (int i = 0; i < 2; ++i) {
      Vector values;
      std::memcpy(&values, from + at + i * vectorSize, sizeof(values));
      sums[i] += values;
    }
  for (; at < positions; at += vectorSize) {
    int64_t count = std::min(positions - at, vectorSize);
    Vector values;
    load(from + at, IsWhole ? vectorSize : count, values);
    sums[1] += lanes < static_cast<int32_t>(count) ? values : Vector{};
  }
  Vector sum = sums[0] + sums[1];
  sum += __builtin_shufflevector(sum, sum, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  sum += __builtin_shufflevector(sum, sum, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
  return (sum[0] + sum[1] + (sum[2] + sum[3])) * inverse;
}

PROA_VECTOR_INLINE static void averagePlanes(const FlatPlanes &planes) {
  int64_t positions = planes.positions, count = planes.count;
  const float *in = planes.in;
  float *out = planes.out, inverse = planes.inverse;
  int64_t whole = std::clamp<int64_t>((planes.inEnd - in - vectorSize) / positions, 0, count);
  for (int64_t plane = 0; plane < whole; ++plane)
    out[plane] = averagePlane<true>(in + plane * positions, positions, inverse);
  for (int64_t plane = whole; plane < count; ++plane)
    out[plane] = averagePlane<false>(in + plane * positions, positions, inverse);
}

bool averageImages(const PoolGeometry &g, const PoolConfig &config, const float *in, float *out) {
  std::optional<float> inverse = inverseCount(g, config);
  if (!inverse)
    return false;
  int64_t images = g.input[0], channels = g.input[1], positions = 1;
  for (size_t axis = 0; axis < g.kernel.size(); ++axis)
    positions *= g.input[2 + axis];
  constexpr int64_t grain = 65536; // elements that one core reads in some microseconds
  if (!config.channelLast) {
    const float *inEnd = in + images * channels * positions;
    parallelFor(images * channels, 1 + grain / positions, [&](int64_t begin, int64_t end) {
      FlatPlanes planes{in + begin * positions, inEnd, out + begin, end - begin, positions, *inverse};
      runVectors<averagePlanes>(planes);
    });
    return true;
  }
  int64_t blocks = (channels + blockChannels - 1) / blockChannels;
  parallelFor(images * blocks, 1 + grain / (positions * blockChannels), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t image = i / blocks, first = i % blocks * blockChannels;
      DeepImage deep{in + image * positions * channels, out + image * channels, positions, channels,
                     *inverse};
      runVectors<averageBlock>(deep, first, std::min(first + blockChannels, channels));
    }
  });
  return true;
}

} // namespace proa::runtime
