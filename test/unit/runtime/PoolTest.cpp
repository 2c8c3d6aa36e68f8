#include "lib/runtime/host/ThreadPool.h"
#include "test/unit/runtime/KernelHarness.h"

#include <array>
#include <cmath>
#include <limits>

namespace proa::runtime {
namespace {

using nlohmann::json;

/// A pooling over three axes, of which two-dimensional ones use the last two.
struct Pooling {
  size_t axes;
  bool isMax, exclusive, adaptive;
  int64_t planes;
  std::array<int64_t, 3> in = {1, 1, 1}, kernel = {1, 1, 1}, stride = {1, 1, 1}, before = {}, after = {};
  int64_t images = 1; ///< of `planes` each

  static Pooling random(unsigned seed) {
    std::mt19937 generator(seed);
    auto between = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(generator() % static_cast<uint32_t>(high - low + 1));
    };
    Pooling p{size_t(between(2, 3)), seed % 2 == 0, seed % 4 < 2, seed % 5 == 0, between(1, 5)};
    for (size_t axis = 3 - p.axes; axis < 3; ++axis) {
      p.kernel[axis] = between(1, 6);
      if (p.adaptive) {
        p.stride[axis] = 0; // is ignored
        p.in[axis] = between(1, axis == 2 ? 70 : 12);
        continue;
      }
      p.stride[axis] = between(1, 4);
      p.before[axis] = between(0, p.kernel[axis] - 1);
      p.after[axis] = p.before[axis]; // an inclusive average of other paddings is Paddle's own
      p.in[axis] = std::max<int64_t>(1, p.kernel[axis] - 2 * p.before[axis]) + between(0, axis == 2 ? 70 : 9);
    }
    p.images = between(1, 2);
    return p;
  }
  int64_t out(size_t axis) const {
    if (adaptive && axis >= 3 - axes)
      return kernel[axis];
    return (in[axis] + before[axis] + after[axis] - kernel[axis]) / stride[axis] + 1;
  }
  /// [first, end) without bounds.
  std::pair<int64_t, int64_t> window(size_t axis, int64_t at) const {
    if (adaptive && axis >= 3 - axes)
      return {at * in[axis] / out(axis), ((at + 1) * in[axis] + out(axis) - 1) / out(axis)};
    int64_t first = at * stride[axis] - before[axis];
    return {first, first + kernel[axis]};
  }
  template <class T> std::vector<T> spatial(const std::array<T, 3> &values) const {
    return {values.end() - static_cast<ptrdiff_t>(axes), values.end()};
  }

  /// By the definition, in float64.
  std::vector<double> expected(const Tensor &x) const {
    std::vector<double> result;
    for (int64_t plane = 0; plane < images * planes; ++plane)
      for (int64_t d = 0; d < out(0); ++d)
        for (int64_t h = 0; h < out(1); ++h)
          for (int64_t w = 0; w < out(2); ++w)
            result.push_back(windowOf(x.as<float>() + plane * in[0] * in[1] * in[2], {d, h, w}));
    return result;
  }

private:
  double windowOf(const float *plane, const std::array<int64_t, 3> &at) const {
    double sum = 0, best = static_cast<double>(std::numeric_limits<float>::lowest()), count = 0, all = 1;
    auto [d0, d1] = window(0, at[0]);
    auto [h0, h1] = window(1, at[1]);
    auto [w0, w1] = window(2, at[2]);
    all = static_cast<double>((d1 - d0) * (h1 - h0) * (w1 - w0));
    for (int64_t d = std::max<int64_t>(0, d0); d < std::min(d1, in[0]); ++d)
      for (int64_t h = std::max<int64_t>(0, h0); h < std::min(h1, in[1]); ++h)
        for (int64_t w = std::max<int64_t>(0, w0); w < std::min(w1, in[2]); ++w) {
          auto value = static_cast<double>(plane[(d * in[1] + h) * in[2] + w]);
          sum += value;
          best = std::max(best, value);
          count += 1;
        }
    return isMax ? best : sum / (exclusive || adaptive ? count : all);
  }
};

/// The values of [images, channels, positions] as [images, positions, channels].
template <class Values>
std::vector<double> withChannelsLast(const Values &values, int64_t images, int64_t channels) {
  auto positions = static_cast<int64_t>(std::size(values)) / images / channels;
  std::vector<double> result;
  for (int64_t image = 0; image < images; ++image)
    for (int64_t at = 0; at < positions; ++at)
      for (int64_t channel = 0; channel < channels; ++channel)
        result.push_back(
            static_cast<double>(values[static_cast<size_t>((image * channels + channel) * positions + at)]));
  return result;
}

void expectDefinition(const Pooling &p, unsigned seed, bool channelsLast) {
  std::vector<int64_t> dims = p.spatial(p.in), outDims = p.spatial(std::array{p.out(0), p.out(1), p.out(2)});
  for (std::vector<int64_t> *shape : {&dims, &outDims}) {
    shape->insert(channelsLast ? shape->end() : shape->begin(), p.planes);
    shape->insert(shape->begin(), p.images);
  }
  Tensor first = randomFloats(dims, seed), x = first; // `first`: with channels first
  std::vector<double> expected = p.expected(first);
  if (channelsLast) {
    std::ranges::copy(
        withChannelsLast(std::span(first.as<float>(), static_cast<size_t>(first.size())), p.images, p.planes),
        x.as<float>());
    expected = withChannelsLast(expected, p.images, p.planes);
  }
  std::vector<int64_t> paddings;
  for (size_t axis = 3 - p.axes; axis < 3; ++axis)
    paddings.insert(paddings.end(), {p.before[axis], p.after[axis]});
  const char *formats[2][2] = {{"NCHW", "NHWC"}, {"NCDHW", "NDHWC"}};
  KernelCase c{p.axes == 2 ? "pool2d" : "pool3d",
               {{"kernel_size", p.spatial(p.kernel)},
                {"strides", p.spatial(p.stride)},
                {"paddings", paddings},
                {"ceil_mode", false},
                {"exclusive", p.exclusive},
                {"data_format", formats[p.axes - 2][channelsLast]},
                {"pooling_type", p.isMax ? "max" : "avg"},
                {"global_pooling", false},
                {"adaptive", p.adaptive},
                {"padding_algorithm", "EXPLICIT"}},
               {x},
               {{DType::Float32, outDims}}};
  Result<std::vector<Tensor>> found = runCase(c);
  ASSERT_TRUE(found) << found.diagnostics().text();
  expectClose(found->front(), expected, 1e-6);
}

TEST(Pool, ChannelsFirstAgreesWithTheDefinition) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    expectDefinition(Pooling::random(seed), seed, false);
  }
}

TEST(Pool, ChannelsLastAgreesWithTheDefinition) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Pooling p = Pooling::random(seed);
    p.planes = int64_t(1) + seed * 7 % 40;
    expectDefinition(p, seed, true);
  }
}

/// Runs the tasks on the calling thread, the last one first.
struct BackwardPool : ThreadPool {
  void run(int64_t count, const std::function<void(int64_t)> &task) override {
    EXPECT_GT(count, 1);
    ++regions;
    for (int64_t i = count; i-- > 0;)
      task(i);
  }
  int regions = 0;
};

/// Vectors of the last row of a range must not write into the range after it, which may be complete.
TEST(Pool, RangesOfRowsInAnyOrder) {
  for (bool isMax : {true, false})
    for (bool channelsLast : {false, true}) {
      SCOPED_TRACE(channelsLast);
      Pooling p{2, isMax, false, false, 40, {1, 40, 70}, {1, 3, 3}};
      BackwardPool pool;
      ThreadScope threads(4, &pool);
      expectDefinition(p, 1, channelsLast);
      EXPECT_EQ(pool.regions, 2); // of two runs
    }
}

/// Global averages: one vector, blocks of vectors and what is left of them, sums of several parts.
TEST(Pool, AveragesOfWholeImages) {
  for (int64_t channels : {1, 3, 15, 16, 17, 40, 64, 65, 100, 150})
    for (std::array<int64_t, 3> in :
         {std::array<int64_t, 3>{1, 1, 1}, {1, 7, 7}, {1, 4, 8}, {1, 1, 33}, {1, 13, 17}})
      for (int64_t padding : {int64_t(0), std::min<int64_t>(in[1] - 1, 1)}) { // 1: several windows
        Pooling p{2, false, true, false, channels, in, in, {1, 1, 1}, {0, padding, 0}, {0, padding, 0}, 2};
        SCOPED_TRACE(testing::Message() << channels << " channels, " << in[1] << " x " << in[2]);
        expectDefinition(p, 1, false);
        expectDefinition(p, 2, true);
      }
  Pooling volume{3, false, false, true, 21, {3, 5, 7}, {1, 1, 1}, {0, 0, 0}, {}, {}, 2};
  expectDefinition(volume, 1, false);
  expectDefinition(volume, 2, true);
  Pooling counted{2, false, false, false, 20, {1, 5, 6}, {1, 7, 8}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}};
  expectDefinition(counted, 1, false);
  expectDefinition(counted, 2, true);
}

/// Vectors read beyond the last position of a channel and before the last channels.
TEST(Pool, AveragesOfWholeImagesKeepOtherNumbersApart) {
  for (bool channelsLast : {false, true}) {
    Shape dims = channelsLast ? Shape{1, 3, 7, 21} : Shape{1, 21, 3, 7};
    Tensor x = randomFloats(dims, 1);
    constexpr int64_t nan = 5, infinite = 20;
    for (int64_t i = 0; i < 21; ++i) {
      x.as<float>()[channelsLast ? i * 21 + nan : nan * 21 + i] = std::nanf("");
      x.as<float>()[channelsLast ? i * 21 + infinite : infinite * 21 + i] =
          std::numeric_limits<float>::infinity();
    }
    json attributes{{"kernel_size", {3, 7}},
                    {"strides", {1, 1}},
                    {"paddings", {0, 0}},
                    {"data_format", channelsLast ? "NHWC" : "NCHW"},
                    {"pooling_type", "avg"}};
    KernelCase c{"pool2d",
                 attributes,
                 {x},
                 {{DType::Float32, channelsLast ? Shape{1, 1, 1, 21} : Shape{1, 21, 1, 1}}}};
    Result<std::vector<Tensor>> found = runCase(c);
    ASSERT_TRUE(found) << found.diagnostics().text();
    for (int64_t channel = 0; channel < 21; ++channel) {
      float average = found->front().as<float>()[channel];
      EXPECT_EQ(std::isnan(average), channel == nan) << channel;
      EXPECT_EQ(std::isinf(average), channel == infinite) << channel;
    }
  }
}

/// The grain of threads was divided by the number of positions. Paddle does not define such averages.
TEST(Pool, AveragesOfImagesWithoutPositions) {
  for (bool channelsLast : {false, true}) {
    json attributes{{"kernel_size", {1, 1}},
                    {"adaptive", true},
                    {"data_format", channelsLast ? "NHWC" : "NCHW"},
                    {"pooling_type", "avg"}};
    KernelCase c{"pool2d",
                 attributes,
                 {Tensor(DType::Float32, channelsLast ? Shape{1, 0, 5, 3} : Shape{1, 3, 0, 5})},
                 {{DType::Float32, channelsLast ? Shape{1, 1, 1, 3} : Shape{1, 3, 1, 1}}}};
    EXPECT_TRUE(runCase(c));
  }
}

/// Windows that lie in the padding as a whole, far after the end of a row.
TEST(Pool, PaddingsLongerThanWindows) {
  for (int64_t stride : {1, 2, 3})
    for (bool isMax : {true, false}) {
      Pooling p{2, isMax, false, false, 5, {1, 9, 10}, {1, 2, 2}, {1, 1, stride}, {0, 1, 90}, {0, 1, 90}};
      SCOPED_TRACE(stride);
      expectDefinition(p, 1, false);
      expectDefinition(p, 1, true);
    }
}

} // namespace
} // namespace proa::runtime
