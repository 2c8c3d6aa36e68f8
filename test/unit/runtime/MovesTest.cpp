#include "lib/runtime/kernels/tensor/StridedCopy.h"
#include "test/unit/runtime/KernelHarness.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

namespace proa::runtime {
namespace {

using ::testing::HasSubstr;
using Shape = std::vector<int64_t>;

/// Every element by definition.
template <class T>
void expectCopy(const std::vector<CopyAxis> &axes, size_t sourceSize, size_t targetSize,
                int64_t sourceStart) {
  std::vector<T> source(sourceSize), target(targetSize, T(0)), expected(targetSize, T(0));
  std::iota(source.begin(), source.end(), T(1));
  std::vector<int64_t> index(axes.size(), 0);
  while (true) {
    int64_t from = sourceStart, to = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      from += index[i] * axes[i].source;
      to += index[i] * axes[i].target;
    }
    expected[static_cast<size_t>(to)] = source[static_cast<size_t>(from)];
    size_t i = axes.size();
    while (i > 0 && ++index[i - 1] == axes[i - 1].size)
      index[--i] = 0;
    if (i == 0)
      break;
  }
  stridedCopy(sizeof(T), axes, source.data() + sourceStart, target.data());
  EXPECT_EQ(target, expected);
}

TEST(StridedCopy, TransposesOfManySizes) {
  for (int64_t rows : {1, 2, 3, 4, 5, 17, 64, 65, 131})
    for (int64_t columns : {1, 3, 4, 7, 16, 70, 2048, 4096}) {
      auto size = static_cast<size_t>(rows * columns);
      std::vector<CopyAxis> axes{{columns, 1, rows}, {rows, columns, 1}};
      expectCopy<uint8_t>(axes, size, size, 0);
      expectCopy<uint16_t>(axes, size, size, 0);
      expectCopy<uint32_t>(axes, size, size, 0);
      expectCopy<uint64_t>(axes, size, size, 0);
    }
}

/// Lines of 32 to 512 bytes, shorter and longer ones, of planes and for two threads.
TEST(StridedCopy, LinesOfManyLengths) {
  for (int64_t length : {2, 7, 8, 9, 16, 31, 64, 127, 128, 129})
    for (int64_t rows : {1, 5, 3000}) {
      int64_t sourceRow = length + 1, targetRow = length + 3, planes = 2;
      std::vector<CopyAxis> axes{
          {planes, rows * sourceRow, rows * targetRow + 5}, {rows, sourceRow, targetRow}, {length, 1, 1}};
      expectCopy<uint32_t>(axes, static_cast<size_t>(planes * rows * sourceRow),
                           static_cast<size_t>(planes * (rows * targetRow + 5)), 0);
      expectCopy<uint8_t>(axes, static_cast<size_t>(planes * rows * sourceRow),
                          static_cast<size_t>(planes * (rows * targetRow + 5)), 0);
    }
}

TEST(StridedCopy, RankFourPermutations) {
  Shape dims{3, 4, 5, 6}, strides{120, 30, 6, 1}, perm{0, 1, 2, 3};
  do {
    std::vector<CopyAxis> axes(4);
    int64_t stride = 1;
    for (size_t i = 4; i-- > 0;) {
      auto axis = static_cast<size_t>(perm[i]);
      axes[i] = {dims[axis], strides[axis], stride};
      stride *= dims[axis];
    }
    expectCopy<uint32_t>(axes, 360, 360, 0);
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST(StridedCopy, BroadcastReversedAndLarge) {
  expectCopy<uint32_t>({{3, 0, 8}, {4, 1, 2}, {2, 0, 1}}, 4, 24, 0);
  expectCopy<uint32_t>({{4, -5, 5}, {5, -1, 1}}, 20, 20, 19);
  expectCopy<uint32_t>({{300000, 1, 1}}, 300000, 300000, 0);
  expectCopy<uint32_t>({{300000, -1, 1}}, 300000, 300000, 299999);
  expectCopy<uint32_t>({{513, 1, 300}, {300, 513, 1}}, 513 * 300, 513 * 300, 0);
}

TEST(Moves, SliceByTensorsAndDynamicDims) {
  Tensor x = floats({4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  for (Dims dims : {Dims::Static, Dims::Dynamic}) {
    auto result = runCase({"slice",
                           {{"axes", {0, 1}}, {"starts", {9, 9}}, {"ends", {9, 9}}},
                           {x, longs({2}, {-3, 1}), longs({2}, {100, 2})},
                           {{DType::Float32, {3, 1}}},
                           {},
                           dims});
    ASSERT_TRUE(result) << result.diagnostics().text();
    EXPECT_EQ((*result)[0].dims(), (Shape{3, 1}));
    EXPECT_EQ(valuesOf<float>((*result)[0]), (std::vector<float>{4, 7, 10}));
  }
  auto result =
      runCase({"slice", {{"axes", {0}}, {"starts", {3}}, {"ends", {1}}}, {x}, {{DType::Float32, {0, 3}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
}

TEST(Moves, ReverseSlice) {
  Tensor x = longs({5}, {0, 1, 2, 3, 4});
  auto run = [&](int64_t start, int64_t end, int64_t step, int64_t count) {
    auto result = runCase({"slice",
                           {{"axes", {0}}, {"starts", {start}}, {"ends", {end}}, {"strides", {step}}},
                           {x},
                           {{DType::Int64, {count}}}});
    EXPECT_TRUE(result) << result.diagnostics().text();
    return valuesOf<int64_t>((*result)[0]);
  };
  EXPECT_EQ(run(4, 0, -2, 2), (Shape{4, 2}));
  EXPECT_EQ(run(-1, -1, -1, 5), (Shape{4, 3, 2, 1, 0})); // Paddle: an end of -1 is before the first element
  EXPECT_EQ(run(9, -4, -1, 3), (Shape{4, 3, 2}));
  EXPECT_EQ(run(1, 100, 3, 2), (Shape{1, 4}));
}

TEST(Moves, SetValueBroadcasts) {
  Tensor x = floats({3, 2}, {0, 0, 0, 0, 0, 0});
  nlohmann::json attributes = {{"axes", {0}}, {"starts", {0}}, {"ends", {3}}, {"steps", {2}}};
  auto result = runCase({"set_value", attributes, {x, floats({2}, {7, 8})}, {{DType::Float32, {3, 2}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<float>((*result)[0]), (std::vector<float>{7, 8, 0, 0, 7, 8}));
  result = runCase({"set_value", attributes, {x, floats({3}, {7, 8, 9})}, {{DType::Float32, {3, 2}}}});
  EXPECT_THAT(result.diagnostics().text(), HasSubstr("[3] does not broadcast to [2, 2]"));
}

TEST(Moves, RollTwoAxesAndFlat) {
  Tensor x = longs({2, 3}, {0, 1, 2, 3, 4, 5});
  auto result = runCase({"roll", {{"shifts", {1, -1}}, {"axis", {0, 1}}}, {x}, {{DType::Int64, {2, 3}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<int64_t>((*result)[0]), (Shape{4, 5, 3, 1, 2, 0}));
  result = runCase({"roll", {{"shifts", {2}}}, {x}, {{DType::Int64, {2, 3}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<int64_t>((*result)[0]), (Shape{4, 5, 0, 1, 2, 3}));
}

TEST(Moves, ReshapeSharesBytes) {
  // The output is an Alias of the input: only the dims are computed.
  Tensor x = longs({2, 6}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  KernelCase c{"reshape", {{"shape", {0, 3, -1}}}, {x}, {{DType::Int64, {2, 3, 2}}}, {}, Dims::Dynamic};
  Plan plan = planOf(c);
  plan.values[1].storage = Storage::Alias;
  plan.values[1].base = 0;
  auto executable = Executable::create(plan, "test", [](const std::string &) { return nullptr; });
  ASSERT_TRUE(executable) << executable.diagnostics().text();
  auto session = Session::create(*executable);
  auto result = (*session)->run({{"in0", x}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ((*result)[0].dims(), (Shape{2, 3, 2}));
  EXPECT_EQ(valuesOf<int64_t>((*result)[0]), valuesOf<int64_t>(x));
  result = (*session)->run({{"in0", longs({1, 4}, {1, 2, 3, 4})}});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.diagnostics().text(), HasSubstr("cannot reshape [1, 4] to [0, 3, -1]"));
  for (Dims dims : {Dims::Static, Dims::Dynamic}) { // into memory of its own, by a tensor
    result = runCase({"reshape", {}, {x, longs({2}, {-1, 4})}, {{DType::Int64, {3, 4}}}, {}, dims});
    ASSERT_TRUE(result) << result.diagnostics().text();
    EXPECT_EQ(valuesOf<int64_t>((*result)[0]), valuesOf<int64_t>(x));
  }
}

TEST(Moves, ShapeAndDim) {
  Tensor x(DType::Float32, {2, 0, 5});
  auto result = runCase({"shape", {}, {x}, {{DType::Int32, {3}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<int32_t>((*result)[0]), (std::vector<int32_t>{2, 0, 5}));
  result = runCase({"dim", {{"index", 2}}, {x}, {{DType::Int64, {}}}, {}, Dims::Dynamic});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<int64_t>((*result)[0]), Shape{5});
}

TEST(Gather, BadIndexIsNamed) {
  Tensor table = randomFloats({10, 4}, 1);
  auto result =
      runCase({"embedding", {}, {longs({2, 2}, {0, 9, 10, 3}), table}, {{DType::Float32, {2, 2, 4}}}});
  EXPECT_THAT(result.diagnostics().text(), HasSubstr("index 10 at [1, 0] is outside of [0, 10)"));
  result = runCase({"gather", {}, {table, longs({1}, {-11})}, {{DType::Float32, {1, 4}}}});
  EXPECT_THAT(result.diagnostics().text(), HasSubstr("index -11 at [0] is outside of [-10, 10)"));
  result = runCase({"gather_nd", {}, {table, longs({1, 2}, {3, 4})}, {{DType::Float32, {1}}}});
  EXPECT_THAT(result.diagnostics().text(), HasSubstr("index 4 at [0, 1] is outside of [-4, 4)"));
}

TEST(Gather, AlongAxis) {
  Tensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  auto result = runCase(
      {"take_along_axis", {{"axis", 1}}, {x, longs({2, 2}, {2, 0, -1, 1})}, {{DType::Float32, {2, 2}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<float>((*result)[0]), (std::vector<float>{3, 1, 6, 5}));
  result =
      runCase({"take_along_axis", {{"axis", 0}}, {x, longs({1, 3}, {1, 0, 1})}, {{DType::Float32, {1, 3}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
}

// Each element of the result by its definition, with broadcast dims of 1 in both operands.
TEST(Gather, AlongAxisBroadcasts) {
  auto check = [](std::vector<int64_t> xDims, std::vector<int64_t> indexDims, std::vector<int64_t> outDims) {
    Tensor x(DType::Float32, xDims), index(DType::Int64, indexDims);
    for (int64_t i = 0; i < x.size(); ++i)
      x.as<float>()[i] = static_cast<float>(i);
    for (int64_t i = 0; i < index.size(); ++i)
      index.as<int64_t>()[i] = i * 5 % xDims[1] - (i % 2 == 0 ? xDims[1] : 0);
    auto result = runCase({"take_along_axis", {{"axis", 1}}, {x, index}, {{DType::Float32, outDims}}, {0}});
    ASSERT_TRUE(result) << result.diagnostics().text();
    auto offset = [](const std::vector<int64_t> &dims, int64_t i, int64_t j, int64_t k) {
      auto at = [&](size_t dim, int64_t position) { return dims[dim] == 1 ? 0 : position; };
      return (at(0, i) * dims[1] + at(1, j)) * dims[2] + at(2, k);
    };
    for (int64_t i = 0; i < outDims[0]; ++i)
      for (int64_t j = 0; j < outDims[1]; ++j)
        for (int64_t k = 0; k < outDims[2]; ++k) {
          int64_t at = index.as<int64_t>()[offset(indexDims, i, j, k)];
          at += at < 0 ? xDims[1] : 0;
          EXPECT_EQ((*result)[0].as<float>()[offset(outDims, i, j, k)],
                    x.as<float>()[offset(xDims, i, at, k)])
              << i << ", " << j << ", " << k;
        }
  };
  check({2, 7, 5}, {2, 3, 5}, {2, 3, 5});
  check({2, 7, 5}, {2, 3, 1}, {2, 3, 5}); // whole rows
  check({2, 7, 5}, {1, 3, 1}, {2, 3, 5});
  check({1, 7, 5}, {2, 3, 5}, {2, 3, 5});
  check({3, 7, 5}, {2, 3, 5}, {2, 3, 5}); // of the first two matrices
  check({2, 7, 1}, {2, 3, 5}, {2, 3, 5});
  check({2, 7, 5}, {2, 3, 4}, {2, 3, 4});
  check({2, 7, 1}, {2, 3, 1}, {2, 3, 1});
}

TEST(Gather, NegativeIndicesAndAxis) {
  Tensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  auto result = runCase(
      {"gather", {{"axis", 1}}, {x, longs({2}, {-1, 0})}, {{DType::Float32, {2, 2}}}, {}, Dims::Dynamic});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<float>((*result)[0]), (std::vector<float>{3, 1, 6, 4}));
  result = runCase({"gather", {{"axis", 0}}, {x, longs({}, {1}), longs({1}, {1})}, {{DType::Float32, {2}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<float>((*result)[0]), (std::vector<float>{2, 5}));
}

TEST(Scatter, EveryReduction) {
  Tensor x = floats({4}, {1, 2, 3, 4});
  auto run = [&](const char *reduce) {
    auto result = runCase({"scatter_nd",
                           {{"reduce", reduce}},
                           {x, longs({3, 1}, {1, -1, 1}), floats({3}, {10, 2, 5})},
                           {{DType::Float32, {4}}}});
    EXPECT_TRUE(result) << result.diagnostics().text();
    return valuesOf<float>((*result)[0]);
  };
  EXPECT_EQ(run("assign"), (std::vector<float>{1, 5, 3, 2}));
  EXPECT_EQ(run("add"), (std::vector<float>{1, 17, 3, 6}));
  EXPECT_EQ(run("multiply"), (std::vector<float>{1, 100, 3, 8}));
  EXPECT_EQ(run("amin"), (std::vector<float>{1, 2, 3, 2}));
  EXPECT_EQ(run("amax"), (std::vector<float>{1, 10, 3, 4}));
  auto result =
      runCase({"scatter_nd", {}, {x, longs({1, 1}, {4}), floats({1}, {0})}, {{DType::Float32, {4}}}});
  EXPECT_THAT(result.diagnostics().text(), HasSubstr("index 4 at [0, 0] is outside of [-4, 4)"));
}

TEST(Pool, ChannelsLastEqualsChannelsFirst) {
  Tensor x = randomFloats({2, 7, 9, 5}, 1); // NHWC
  Tensor first(DType::Float32, {2, 5, 7, 9});
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t i = 0; i < 63; ++i)
      for (int64_t c = 0; c < 5; ++c)
        first.as<float>()[(n * 5 + c) * 63 + i] = x.as<float>()[(n * 63 + i) * 5 + c];
  for (const char *type : {"max", "avg"})
    for (bool adaptive : {false, true})
      for (bool exclusive : {false, true}) {
        nlohmann::json attributes = {{"pooling_type", type}, {"kernel_size", {3, 2}},  {"strides", {2, 2}},
                                     {"paddings", {1, 0}},   {"exclusive", exclusive}, {"adaptive", adaptive},
                                     {"ceil_mode", true}};
        Shape out = adaptive ? Shape{3, 2} : Shape{4, 5};
        attributes["data_format"] = "NHWC";
        auto last = runCase({"pool2d", attributes, {x}, {{DType::Float32, {2, out[0], out[1], 5}}}});
        ASSERT_TRUE(last) << last.diagnostics().text();
        attributes["data_format"] = "NCHW";
        auto plain = runCase({"pool2d", attributes, {first}, {{DType::Float32, {2, 5, out[0], out[1]}}}});
        ASSERT_TRUE(plain) << plain.diagnostics().text();
        int64_t positions = out[0] * out[1];
        for (int64_t n = 0; n < 2; ++n)
          for (int64_t i = 0; i < positions; ++i)
            for (int64_t c = 0; c < 5; ++c)
              EXPECT_NEAR((*last)[0].as<float>()[(n * positions + i) * 5 + c],
                          (*plain)[0].as<float>()[(n * 5 + c) * positions + i], 1e-7)
                  << "averages add in another order";
      }
}

/// Adaptive windows by their definition, Paddle's: of output i from floor(i * in / out) to
/// ceil((i + 1) * in / out).
template <class T> void expectAdaptiveWindows(DType dtype, const Shape &in, const Shape &out, bool isMax) {
  int64_t channels = in[3];
  Tensor x(dtype, in);
  for (int64_t i = 0; i < x.size(); ++i)
    x.as<T>()[i] = static_cast<T>((i * 37 + 11) % 101 - 50);
  nlohmann::json attributes = {{"pooling_type", isMax ? "max" : "avg"},
                               {"kernel_size", {out[1], out[2]}},
                               {"adaptive", true},
                               {"data_format", "NHWC"}};
  auto result = runCase({"pool2d", attributes, {x}, {{dtype, out}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  const T *at = (*result)[0].as<T>();
  for (int64_t n = 0; n < out[0]; ++n)
    for (int64_t y = 0; y < out[1]; ++y)
      for (int64_t x1 = 0; x1 < out[2]; ++x1)
        for (int64_t c = 0; c < channels; ++c, ++at) {
          double sum = 0, best = -1000;
          int64_t count = 0;
          for (int64_t h = y * in[1] / out[1]; h < ((y + 1) * in[1] + out[1] - 1) / out[1]; ++h)
            for (int64_t w = x1 * in[2] / out[2]; w < ((x1 + 1) * in[2] + out[2] - 1) / out[2];
                 ++w, ++count) {
              auto value = static_cast<double>(x.as<T>()[((n * in[1] + h) * in[2] + w) * channels + c]);
              sum += value;
              best = std::max(best, value);
            }
          ASSERT_NEAR(static_cast<double>(*at), isMax ? best : sum / static_cast<double>(count), 1e-5);
        }
}

TEST(Pool, AdaptiveWindowsWithChannelsLastEqualDefinition) {
  for (int64_t channels : {1, 2, 5, 16, 37})
    for (bool isMax : {true, false})
      for (auto [in, out] :
           {std::pair(Shape{2, 1, 1}, Shape{2, 7, 7}), std::pair(Shape{1, 2, 3}, Shape{1, 5, 4}),
            std::pair(Shape{3, 7, 9}, Shape{3, 3, 4}), std::pair(Shape{1, 8, 6}, Shape{1, 4, 6})}) {
        in.push_back(channels);
        out.push_back(channels);
        expectAdaptiveWindows<float>(DType::Float32, in, out, isMax);
        expectAdaptiveWindows<double>(DType::Float64, in, out, isMax);
      }
}

TEST(Pool, GradientOfChannelsLastEqualsChannelsFirst) {
  // More channels than one block, and one remaining.
  constexpr int64_t channels = 17, positions = 35;
  Tensor x = randomFloats({2, 5, 7, channels}, 1), cotangent = randomFloats({2, 3, 4, channels}, 2);
  auto channelsFirst = [](const Tensor &last) {
    const Shape &dims = last.dims();
    Tensor first(DType::Float32, {dims[0], dims[3], dims[1], dims[2]});
    int64_t count = dims[1] * dims[2];
    for (int64_t n = 0; n < dims[0]; ++n)
      for (int64_t i = 0; i < count; ++i)
        for (int64_t c = 0; c < dims[3]; ++c)
          first.as<float>()[(n * dims[3] + c) * count + i] = last.as<float>()[(n * count + i) * dims[3] + c];
    return first;
  };
  Tensor xFirst = channelsFirst(x), cotangentFirst = channelsFirst(cotangent);
  for (const char *type : {"max", "avg"}) {
    nlohmann::json attributes = {{"pooling_type", type},
                                 {"kernel_size", {3, 3}},
                                 {"strides", {2, 2}},
                                 {"paddings", {1, 1}},
                                 {"data_format", "NHWC"}};
    auto last = runCase({"pool2d_gradient", attributes, {x, cotangent}, {{DType::Float32, x.dims()}}});
    ASSERT_TRUE(last) << last.diagnostics().text();
    attributes["data_format"] = "NCHW";
    auto plain =
        runCase({"pool2d_gradient", attributes, {xFirst, cotangentFirst}, {{DType::Float32, xFirst.dims()}}});
    ASSERT_TRUE(plain) << plain.diagnostics().text();
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t i = 0; i < positions; ++i)
        for (int64_t c = 0; c < channels; ++c)
          EXPECT_FLOAT_EQ((*last)[0].as<float>()[(n * positions + i) * channels + c],
                          (*plain)[0].as<float>()[(n * channels + c) * positions + i]);
  }
}

TEST(Interpolate, ChannelsLastAndSizesByTensors) {
  Tensor x = randomFloats({2, 3, 5, 4}, 1), last(DType::Float32, {2, 5, 4, 3});
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t c = 0; c < 3; ++c)
      for (int64_t i = 0; i < 20; ++i)
        last.as<float>()[(n * 20 + i) * 3 + c] = x.as<float>()[(n * 3 + c) * 20 + i];
  for (const char *method : {"nearest", "bilinear", "bicubic"})
    for (bool align : {false, true}) {
      nlohmann::json attributes = {{"interp_method", method}, {"align_corners", align}, {"align_mode", 0}};
      attributes["out_h"] = 7;
      attributes["out_w"] = 9;
      auto byAttribute = runCase({"interpolate", attributes, {x}, {{DType::Float32, {2, 3, 7, 9}}}});
      ASSERT_TRUE(byAttribute) << byAttribute.diagnostics().text();
      attributes["data_format"] = "NHWC";
      attributes["out_h"] = 1;
      Tensor seven = tensorOf<int32_t>(DType::Int32, {1}, {7}),
             nine = tensorOf<int32_t>(DType::Int32, {1}, {9});
      Tensor both = tensorOf<int32_t>(DType::Int32, {2}, {7, 9});
      for (const std::vector<Tensor> &operands : {std::vector<Tensor>{last, Tensor(), seven, nine, Tensor()},
                                                  std::vector<Tensor>{last, both, Tensor(), Tensor()}}) {
        // An empty Tensor of rank 1 has no data: the operand is absent.
        auto byTensor = runCase(
            {"interpolate", attributes, operands, {{DType::Float32, {2, 7, 9, 3}}}, {}, Dims::Dynamic});
        ASSERT_TRUE(byTensor) << byTensor.diagnostics().text();
        for (int64_t n = 0; n < 2; ++n)
          for (int64_t c = 0; c < 3; ++c)
            for (int64_t i = 0; i < 63; ++i)
              EXPECT_NEAR((*byTensor)[0].as<float>()[(n * 63 + i) * 3 + c],
                          (*byAttribute)[0].as<float>()[(n * 3 + c) * 63 + i], 1e-6)
                  << "the weights are applied in another order";
      }
    }
}

TEST(Interpolate, ByHand) {
  Tensor x = floats({1, 1, 4}, {0, 10, 20, 30});
  auto run = [&](nlohmann::json attributes, std::vector<double> expected) {
    attributes["out_w"] = static_cast<int64_t>(expected.size());
    auto result = runCase(
        {"interpolate", attributes, {x}, {{DType::Float32, {1, 1, static_cast<int64_t>(expected.size())}}}});
    ASSERT_TRUE(result) << result.diagnostics().text();
    expectClose((*result)[0], expected, 1e-6);
  };
  run({{"interp_method", "linear"}, {"align_corners", true}}, {0, 5, 10, 15, 20, 25, 30});
  run({{"interp_method", "linear"}, {"align_corners", false}, {"align_mode", 0}},
      {0, 2.5, 7.5, 12.5, 17.5, 22.5, 27.5, 30});
  run({{"interp_method", "linear"}, {"align_corners", false}, {"align_mode", 1}},
      {0, 5, 10, 15, 20, 25, 30, 30});
  run({{"interp_method", "nearest"}, {"align_corners", false}}, {0, 20});
  run({{"interp_method", "nearest"}, {"align_corners", true}}, {0, 20, 30}); // 1.5 rounds up
}

/// Bilinear with centred pixels, of one element.
double bilinear(const Tensor &x, int64_t plane, int64_t height, int64_t width, double y, double column) {
  auto neighbours = [](double at, int64_t size) {
    int64_t low = std::min(static_cast<int64_t>(at), size - 1);
    return std::tuple(low, std::min(low + 1, size - 1), at - static_cast<double>(low));
  };
  auto [top, bottom, down] = neighbours(std::max(y, 0.0), height);
  auto [left, right, across] = neighbours(std::max(column, 0.0), width);
  auto at = [&](int64_t i, int64_t j) -> double { return x.as<float>()[(plane * height + i) * width + j]; };
  return (1 - down) * ((1 - across) * at(top, left) + across * at(top, right)) +
         down * ((1 - across) * at(bottom, left) + across * at(bottom, right));
}

TEST(Interpolate, ManyChannelsAndColumns) {
  // Widths that are no multiples of vectors; rows that are taken again, and rows that are skipped.
  struct Size {
    int64_t channels, height, width, toHeight, toWidth;
  };
  for (auto [channels, height, width, toHeight, toWidth] : {Size{19, 5, 9, 17, 37}, Size{3, 23, 40, 7, 11}}) {
    Tensor first = randomFloats({2, channels, height, width}, 1),
           last(DType::Float32, {2, height, width, channels});
    int64_t pixels = height * width, toPixels = toHeight * toWidth;
    for (int64_t i = 0; i < first.size(); ++i)
      last.as<float>()[(i / pixels / channels * pixels + i % pixels) * channels + i / pixels % channels] =
          first.as<float>()[i];
    nlohmann::json attributes = {{"interp_method", "bilinear"},
                                 {"align_corners", false},
                                 {"align_mode", 0},
                                 {"out_h", toHeight},
                                 {"out_w", toWidth}};
    auto byPlane =
        runCase({"interpolate", attributes, {first}, {{DType::Float32, {2, channels, toHeight, toWidth}}}});
    ASSERT_TRUE(byPlane) << byPlane.diagnostics().text();
    attributes["data_format"] = "NHWC";
    auto byPixel =
        runCase({"interpolate", attributes, {last}, {{DType::Float32, {2, toHeight, toWidth, channels}}}});
    ASSERT_TRUE(byPixel) << byPixel.diagnostics().text();
    for (int64_t i = 0; i < (*byPlane)[0].size(); ++i) {
      int64_t plane = i / toPixels, row = i % toPixels / toWidth, column = i % toWidth;
      double y =
          (static_cast<double>(row) + 0.5) * static_cast<double>(height) / static_cast<double>(toHeight) -
          0.5;
      double x =
          (static_cast<double>(column) + 0.5) * static_cast<double>(width) / static_cast<double>(toWidth) -
          0.5;
      double expected = bilinear(first, plane, height, width, y, x);
      ASSERT_NEAR((*byPlane)[0].as<float>()[i], expected, 3e-5) << "float positions";
      int64_t pixel = plane / channels * toPixels + i % toPixels;
      ASSERT_NEAR((*byPixel)[0].as<float>()[pixel * channels + plane % channels], expected, 3e-5);
    }
  }
}

TEST(Order, ExtremesOfManyLines) {
  constexpr int64_t dim = 70, lines = 83;
  float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  Tensor x = randomFloats({lines, dim}, 1), transposed(DType::Float32, {dim, lines});
  for (int64_t i = 0; i < x.size(); ++i)
    x.as<float>()[i] = std::round(8 * x.as<float>()[i]); // with equal elements
  for (int64_t i = 0; i < dim; ++i)
    x.as<float>()[3 * dim + i] = i % 2 ? nan : -infinity; // nothing is above the lowest number
  x.as<float>()[5 * dim + 66] = infinity;
  x.as<float>()[6 * dim] = nan;
  for (int64_t i = 0; i < x.size(); ++i)
    transposed.as<float>()[i % dim * lines + i / dim] = x.as<float>()[i];
  for (bool greatest : {true, false}) {
    Shape expected;
    for (int64_t line = 0; line < lines; ++line) {
      float best = (greatest ? -1 : 1) * std::numeric_limits<float>::max();
      expected.push_back(0);
      for (int64_t i = 0; i < dim; ++i)
        if (float value = x.as<float>()[line * dim + i]; greatest ? value > best : value < best) {
          best = value;
          expected.back() = i;
        }
    }
    const char *name = greatest ? "argmax" : "argmin";
    auto adjacent = runCase({name, {{"axis", 1}}, {x}, {{DType::Int64, {lines}}}});
    ASSERT_TRUE(adjacent) << adjacent.diagnostics().text();
    EXPECT_EQ(valuesOf<int64_t>((*adjacent)[0]), expected);
    auto apart = runCase({name, {{"axis", 0}}, {transposed}, {{DType::Int64, {lines}}}});
    ASSERT_TRUE(apart) << apart.diagnostics().text();
    EXPECT_EQ(valuesOf<int64_t>((*apart)[0]), expected);
  }
}

TEST(Order, NanIsLargestAndTiesAreAsInPaddle) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  Tensor x = floats({6}, {2, nan, 1, 2, nan, 3});
  auto sorted = runCase({"argsort", {}, {x}, {{DType::Float32, {6}}, {DType::Int64, {6}}}});
  ASSERT_TRUE(sorted) << sorted.diagnostics().text();
  EXPECT_EQ(valuesOf<int64_t>((*sorted)[1]), (Shape{2, 0, 3, 5, 1, 4}));
  auto top = runCase(
      {"topk", {}, {x, longs({1}, {4})}, {{DType::Float32, {4}}, {DType::Int64, {4}}}, {}, Dims::Dynamic});
  ASSERT_TRUE(top) << top.diagnostics().text();
  EXPECT_EQ(valuesOf<int64_t>((*top)[1]), (Shape{1, 4, 5, 3})); // by Paddle 2.6.2
  auto arg = runCase({"argmax", {{"axis", 0}}, {x}, {{DType::Int64, {}}}});
  ASSERT_TRUE(arg) << arg.diagnostics().text();
  EXPECT_EQ(valuesOf<int64_t>((*arg)[0]), Shape{5}); // a NaN is never found, by Paddle 2.6.2
  auto tooMany = runCase({"topk", {{"k", 7}}, {x}, {{DType::Float32, {7}}, {DType::Int64, {7}}}});
  EXPECT_THAT(tooMany.diagnostics().text(), HasSubstr("expected k in [0, 6], found 7"));
}

TEST(Order, TopOfManyByPartialSort) {
  Tensor x = randomFloats({3, 500}, 1);
  auto top = runCase(
      {"topk", {{"k", 5}, {"largest", false}}, {x}, {{DType::Float32, {3, 5}}, {DType::Int64, {3, 5}}}});
  ASSERT_TRUE(top) << top.diagnostics().text();
  for (int64_t row = 0; row < 3; ++row) {
    std::vector<float> line(x.as<float>() + row * 500, x.as<float>() + row * 500 + 500);
    std::sort(line.begin(), line.end());
    for (int64_t i = 0; i < 5; ++i) {
      EXPECT_EQ((*top)[0].as<float>()[row * 5 + i], line[static_cast<size_t>(i)]);
      EXPECT_EQ(x.as<float>()[row * 500 + (*top)[1].as<int64_t>()[row * 5 + i]],
                line[static_cast<size_t>(i)]);
    }
  }
}

TEST(Order, LogCumSumExp) {
  auto result = runCase(
      {"logcumsumexp", {{"axis", 0}}, {floats({4}, {1000, 1000, -1000, 0.5f})}, {{DType::Float32, {4}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  double two = 1000 + std::log(2.0);
  expectClose((*result)[0], {1000, two, two, two}, 1e-6);
}

TEST(Count, NonzeroRowsInOrder) {
  auto result = runCase(
      {"nonzero", {}, {floats({2, 3}, {0, 1, 0, -2, 0, 3})}, {{DType::Int64, {3, 2}}}, {}, Dims::Dynamic});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ((*result)[0].dims(), (Shape{3, 2}));
  EXPECT_EQ(valuesOf<int64_t>((*result)[0]), (Shape{0, 1, 1, 0, 1, 2}));
}

/// Rows of several blocks of columns, and scalars.
TEST(Count, NonzeroOfAllRanks) {
  for (const Shape &dims : {Shape{}, Shape{200}, Shape{3, 130}, Shape{2, 3, 70}, Shape{5, 1}, Shape{2, 0}}) {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    std::vector<float> values;
    Shape expected;
    int64_t rows = 0;
    for (int64_t i = 0; i < count; ++i) {
      bool isZero = i * 2654435761 % 100 < 50 && !dims.empty();
      values.push_back(isZero ? 0 : NAN);
      if (isZero)
        continue;
      ++rows;
      int64_t rest = i;
      Shape position(dims.size());
      for (size_t axis = dims.size(); axis-- > 0; rest /= dims[axis])
        position[axis] = rest % dims[axis];
      expected.insert(expected.end(), position.begin(), position.end());
    }
    Tensor x(DType::Float32, dims);
    std::copy(values.begin(), values.end(), x.as<float>());
    auto result = runCase(
        {"nonzero", {}, {x}, {{DType::Int64, {rows, static_cast<int64_t>(dims.size())}}}, {}, Dims::Dynamic});
    ASSERT_TRUE(result) << result.diagnostics().text();
    EXPECT_EQ(valuesOf<int64_t>((*result)[0]), expected);
  }
}

TEST(Fill, Ranges) {
  auto run = [](Tensor start, Tensor end, Tensor step, DType dtype, int64_t count) {
    return runCase(
        {"arange", {{"dtype", nameOf(dtype)}}, {start, end, step}, {{dtype, {count}}}, {}, Dims::Dynamic});
  };
  auto result = run(longs({1}, {5}), longs({1}, {-2}), longs({1}, {-3}), DType::Int64, 3);
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<int64_t>((*result)[0]), (Shape{5, 2, -1}));
  result = run(floats({1}, {0}), floats({1}, {1}), floats({1}, {0.25f}), DType::Float32, 4);
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<float>((*result)[0]), (std::vector<float>{0, 0.25f, 0.5f, 0.75f}));
  result = run(longs({1}, {3}), longs({1}, {3}), longs({1}, {1}), DType::Int64, 0);
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ((*result)[0].size(), 0);
  result = run(longs({1}, {3}), longs({1}, {9}), longs({1}, {0}), DType::Int64, 0);
  EXPECT_THAT(result.diagnostics().text(), HasSubstr("the step is 0"));
}

} // namespace
} // namespace proa::runtime
