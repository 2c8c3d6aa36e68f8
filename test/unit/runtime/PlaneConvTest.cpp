#include "lib/runtime/kernels/conv/PlaneConv.h"

#include "lib/runtime/host/ThreadPool.h"

#include "test/unit/runtime/ConvChoiceCase.h"
#include "test/unit/runtime/ConvDefinition.h"

#include <array>
#include <cmath>

namespace proa::runtime {
namespace {

using nlohmann::json;

struct Convolution {
  int64_t batch, inputs, outputs, groups, height, width; ///< channels of a group
  std::array<int64_t, 2> kernel, stride, before, after, dilation;
  DataFormat inputFormat = DataFormat::NCHW, format = DataFormat::NCHW; ///< of the image and of the result

  static Convolution random(unsigned seed, DataFormat inputFormat, DataFormat format) {
    std::mt19937 generator(seed);
    auto between = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(generator() % static_cast<uint32_t>(high - low + 1));
    };
    Convolution c{between(1, 2), between(1, 4), between(1, 20), 1, 0, 0, {}, {}, {}, {}, {},
                  inputFormat,   format};
    if (seed % 3 != 0) { // groups of few channels; depthwise
      c.groups = between(2, 9);
      c.inputs = seed % 3;
      c.outputs = seed % 3 == 1 ? 1 : between(1, 4);
    }
    for (size_t axis = 0; axis < 2; ++axis) {
      c.kernel[axis] = between(1, 5);
      c.stride[axis] = between(1, 5);
      c.dilation[axis] = between(1, 3);
      c.before[axis] = between(0, 6);
      c.after[axis] = between(0, 6);
    }
    auto reach = [&](size_t axis) { return c.dilation[axis] * (c.kernel[axis] - 1) + 1; };
    c.height = std::max<int64_t>(1, reach(0) - c.before[0] - c.after[0]) + between(0, 30);
    c.width = std::max<int64_t>(1, reach(1) - c.before[1] - c.after[1]) + between(0, 70);
    return c;
  }
  int64_t channels() const { return inputs * groups; }
  int64_t outputDim(size_t axis, int64_t in) const {
    return (in + before[axis] + after[axis] - dilation[axis] * (kernel[axis] - 1) - 1) / stride[axis] + 1;
  }
  Shape out() const { return {batch, outputs * groups, outputDim(0, height), outputDim(1, width)}; }
  bool isLast() const { return format == DataFormat::NHWC; }
  bool readsLast() const { return inputFormat == DataFormat::NHWC; }
  json attributes() const {
    return {{"paddings", {before[0], after[0], before[1], after[1]}},
            {"strides", stride},
            {"dilations", dilation},
            {"groups", groups},
            {"data_format", isLast() ? "NHWC" : "NCHW"},
            {"input_format", readsLast() ? "NHWC" : "NCHW"}};
  }
  ConvMethod chosen() const {
    ConvChoiceCase problem{{.strides = {stride[0], stride[1]},
                            .paddings = {before[0], after[0], before[1], after[1]},
                            .dilations = {dilation[0], dilation[1]},
                            .groups = groups,
                            .dataFormat = format},
                           readsLast() ? Shape{batch, height, width, channels()}
                                       : Shape{batch, channels(), height, width},
                           {outputs * groups, inputs, kernel[0], kernel[1]},
                           true,
                           readsLast()};
    return choiceOf(problem, thisMachine()).method();
  }
};

/// With bias, relu, and a residual or a second activation.
void expectDefinition(const Convolution &c, bool hasResidual) {
  Shape out = c.out();
  Tensor x = randomFloats({c.batch, c.channels(), c.height, c.width}, 1),
         w = randomFloats({c.outputs * c.groups, c.inputs, c.kernel[0], c.kernel[1]}, 2),
         bias = randomFloats({out[1]}, 3), residual = randomFloats(out, 4);
  Window window{
      {c.stride[0], c.stride[1]}, {c.before[0], c.before[1]}, {c.dilation[0], c.dilation[1]}, c.groups};
  std::vector<double> expected = convolve(x, w, out, window);
  auto plane = static_cast<size_t>(out[2] * out[3]), channels = static_cast<size_t>(out[1]);
  for (size_t i = 0; i < expected.size(); ++i) {
    double bounded = std::max(0.0, expected[i] + double(bias.as<float>()[i / plane % channels]));
    expected[i] = hasResidual ? bounded + double(residual.as<float>()[i]) : 2 * bounded + 1;
  }
  json attributes = c.attributes(), ops = json::array({{{"kind", "bias"}}, {{"kind", "relu"}}});
  if (hasResidual)
    ops.push_back({{"kind", "add"}});
  else
    ops.push_back({{"kind", "linear"}, {"alpha", 2.0}, {"beta", 1.0}});
  attributes["post_ops"] = ops;
  KernelCase step{"fused_conv2d",
                  attributes,
                  {c.readsLast() ? channelsLast(x) : x, w, bias},
                  {{DType::Float32, c.isLast() ? Shape{out[0], out[2], out[3], out[1]} : out}},
                  {1}};
  if (hasResidual)
    step.inputs.push_back(c.isLast() ? channelsLast(residual) : residual);
  for (Dims mode : {Dims::Static, Dims::Dynamic})
    for (bool isConstant : {true, false}) {
      step.dims = mode;
      step.constantInputs = isConstant ? std::vector<size_t>{1} : std::vector<size_t>();
      auto result = runCase(step);
      ASSERT_TRUE(result) << result.diagnostics().text();
      expectClose((*result)[0], c.isLast() ? channelsLast(expected, out) : expected, 1e-5);
    }
}

/// The orders of the image and of the result.
class PlaneConvTest : public ::testing::TestWithParam<std::pair<DataFormat, DataFormat>> {};

TEST_P(PlaneConvTest, EqualsDefinition) {
  int chosen = 0;
  for (unsigned seed = 0; seed < 80; ++seed) {
    Convolution c = Convolution::random(seed, GetParam().first, GetParam().second);
    SCOPED_TRACE(c.attributes().dump() + " " + std::to_string(c.height) + "x" + std::to_string(c.width));
    chosen += c.chosen() == ConvMethod::Planes;
    expectDefinition(c, seed % 2 == 0);
  }
  EXPECT_GT(chosen, GetParam().first == DataFormat::NCHW ? 15 : 0); // with channels last seldom
}

INSTANTIATE_TEST_SUITE_P(Conv, PlaneConvTest,
                         ::testing::Values(std::pair(DataFormat::NCHW, DataFormat::NCHW),
                                           std::pair(DataFormat::NCHW, DataFormat::NHWC),
                                           std::pair(DataFormat::NHWC, DataFormat::NCHW),
                                           std::pair(DataFormat::NHWC, DataFormat::NHWC)));

/// Each phase of the columns that a stride of two splits.
TEST(PlaneConv, DepthwiseOfStrideTwo) {
  for (int64_t kernel : {2, 3, 5, 7})
    for (int64_t before : {0, 1, 2, 3})
      for (int64_t width : {15, 32, 33, 35, 70}) {
        Convolution c{1, 1, 1, 40, 20, width, {kernel, kernel}, {2, 2}, {before, before}, {1, 2}, {1, 1}};
        SCOPED_TRACE(c.attributes().dump() + " " + std::to_string(width));
        expectDefinition(c, false);
      }
}

/// Rows of results that lie one, two and more rows of the window apart.
TEST(PlaneConv, DepthwiseOfOtherSteps) {
  for (int64_t stride : {1, 2, 3, 4}) {
    int chosen = 0;
    for (int64_t kernel : {3, 5, 7})
      for (int64_t dilation : {1, 2}) {
        Convolution c{1, 1, 1, 3, 90, 64, {kernel, 3}, {stride, 1}, {2, 1}, {3, 1}, {dilation, 1}};
        SCOPED_TRACE(c.attributes().dump());
        chosen += c.chosen() == ConvMethod::Planes;
        expectDefinition(c, false);
      }
    EXPECT_GT(chosen, hasWideVectors() ? -1 : 3) << stride; // chosen less often with AVX-512
  }
}

/// Each number of outputs of a block.
TEST(PlaneConv, AnyNumberOfOutputs) {
  for (int64_t outputs = 1; outputs <= 26; ++outputs)
    for (DataFormat format : {DataFormat::NCHW, DataFormat::NHWC})
      expectDefinition(
          {1, 3, outputs, 1, 12, 40, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, DataFormat::NCHW, format},
          false);
}

/// Several chunks of rows, and of threads.
TEST(PlaneConv, LargeImages) {
  Convolution few{1, 3, 4, 1, 201, 230, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}};
  EXPECT_EQ(few.chosen(), ConvMethod::Planes);
  expectDefinition(few, false);
  Convolution depthwise{2, 1, 1, 5, 190, 300, {5, 3}, {1, 1}, {2, 2}, {2, 0}, {1, 2}};
  EXPECT_EQ(depthwise.chosen(), ConvMethod::Planes);
  expectDefinition(depthwise, false);
}

/// Rows of one group are cut into as many chunks as there are threads, and more where none has as many.
TEST(PlaneConv, AnyNumberOfThreads) {
  Convolution first{1, 3, 4, 1, 64, 65, {7, 7}, {2, 2}, {3, 3}, {3, 3}, {1, 1}},
      low{1, 3, 4, 1, 5, 180, {5, 5}, {2, 1}, {1, 2}, {1, 2}, {1, 1}},
      depthwise{1, 1, 1, 3, 190, 301, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}};
  for (int threads : {1, 2, 3, 7}) {
    ThreadScope scope(threads);
    for (const Convolution &c : {first, low, depthwise}) {
      SCOPED_TRACE(c.attributes().dump());
      EXPECT_EQ(c.chosen(), ConvMethod::Planes);
      expectDefinition(c, false);
    }
  }
}

} // namespace
} // namespace proa::runtime
