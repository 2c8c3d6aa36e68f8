#include "lib/runtime/kernels/conv/Conv.h"

#include "test/unit/runtime/ConvChoiceCase.h"
#include "test/unit/runtime/ConvDefinition.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

namespace proa::runtime {
namespace {

using nlohmann::json;
/// Both formats, static and dynamic dims, constant and fed filters.
void expectConv(const std::string &name, json attributes, const Tensor &x, const Tensor &w, const Shape &out,
                const std::vector<double> &expected, const std::vector<Tensor> &extra = {},
                bool extraIsImage = false) {
  for (bool last : {false, true})
    for (Dims mode : {Dims::Static, Dims::Dynamic})
      for (bool constant : {false, true}) {
        SCOPED_TRACE(std::string(last ? "NHWC" : "NCHW") + (mode == Dims::Static ? " static" : " dynamic") +
                     (constant ? " constant filter" : ""));
        attributes["data_format"] = last ? "NHWC" : "NCHW";
        KernelCase c{name, attributes, {last ? channelsLast(x) : x, w}, {}, {}, mode};
        for (const Tensor &tensor : extra)
          c.inputs.push_back(last && extraIsImage && tensor.dims().size() == 4 ? channelsLast(tensor)
                                                                               : tensor);
        if (constant)
          c.constantInputs = {1};
        c.outputs = {{DType::Float32, last ? Shape{out[0], out[2], out[3], out[1]} : out}};
        auto result = runCase(c);
        ASSERT_TRUE(result) << result.diagnostics().text();
        expectClose((*result)[0], last ? channelsLast(expected, out) : expected, 1e-5);
      }
}

TEST(Conv, PaddedStridedDilated) {
  Tensor x = randomFloats({2, 6, 9, 11}, 1), w = randomFloats({8, 6, 3, 2}, 2);
  Window window{{2, 1}, {2, 1}, {1, 2}};
  Shape out{2, 8, 5, 12};
  expectConv("conv2d", {{"strides", {2, 1}}, {"paddings", {2, 1, 1, 2}}, {"dilations", {1, 2}}}, x, w, out,
             convolve(x, w, out, window));
}

TEST(Conv, GroupsAndDepthwise) {
  Tensor x = randomFloats({1, 12, 8, 8}, 1), w = randomFloats({6, 4, 3, 3}, 2);
  Window window{{1, 1}, {1, 1}, {1, 1}, 3};
  expectConv("conv2d", {{"paddings", {1, 1}}, {"groups", 3}}, x, w, {1, 6, 8, 8},
             convolve(x, w, {1, 6, 8, 8}, window));
  Tensor each = randomFloats({12, 1, 3, 3}, 3);
  window.groups = 12;
  expectConv("conv2d", {{"paddings", {1, 1}}, {"groups", 12}}, x, each, {1, 12, 8, 8},
             convolve(x, each, {1, 12, 8, 8}, window));
}

TEST(Conv, SameAndValid) {
  Tensor x = randomFloats({1, 3, 8, 7}, 1), w = randomFloats({4, 3, 3, 3}, 2);
  // SAME with stride 2: ceil(8/2) = 4 rows need 1 row of padding, after the image; 7 columns need 2, one on
  // each side.
  expectConv("conv2d", {{"strides", {2, 2}}, {"padding_algorithm", "SAME"}, {"paddings", {9, 9}}}, x, w,
             {1, 4, 4, 4}, convolve(x, w, {1, 4, 4, 4}, {{2, 2}, {0, 1}}));
  expectConv("conv2d", {{"strides", {2, 2}}, {"padding_algorithm", "VALID"}, {"paddings", {9, 9}}}, x, w,
             {1, 4, 3, 3}, convolve(x, w, {1, 4, 3, 3}, {{2, 2}, {0, 0}}));
}

TEST(Conv, PostOps) {
  Tensor x = randomFloats({2, 16, 6, 5}, 1), w = randomFloats({32, 16, 1, 1}, 2),
         bias = randomFloats({32}, 3), residual = randomFloats({2, 32, 6, 5}, 4);
  std::vector<double> expected = convolve(x, w, {2, 32, 6, 5}, {});
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] =
        std::max(0.0, expected[i] + double(bias.as<float>()[i / 30 % 32]) + double(residual.as<float>()[i]));
  json ops = json::array({{{"kind", "bias"}}, {{"kind", "add"}}, {{"kind", "relu"}}});
  expectConv("fused_conv2d", {{"post_ops", ops}}, x, w, {2, 32, 6, 5}, expected, {bias, residual}, true);
}

/// batch, channels, filter, size, dilation
class DepthwiseWithResidual : public ::testing::TestWithParam<std::array<int64_t, 5>> {};

TEST_P(DepthwiseWithResidual, IsAdded) {
  auto [batch, channels, size, imageSize, dilation] = GetParam();
  Tensor x = randomFloats({batch, channels, imageSize, imageSize}, 1),
         w = randomFloats({channels, 1, size, size}, 2);
  Tensor residual = randomFloats({batch, channels, imageSize, imageSize}, 3),
         bias = randomFloats({channels}, 4);
  int64_t pad = dilation * (size / 2), plane = imageSize * imageSize;
  Window window{{1, 1}, {pad, pad}, {dilation, dilation}, channels};
  std::vector<double> expected = convolve(x, w, x.dims(), window);
  for (int64_t i = 0; i < x.size(); ++i)
    expected[static_cast<size_t>(i)] +=
        double(residual.as<float>()[i]) + double(bias.as<float>()[i / plane % channels]);
  json attributes = {{"paddings", {pad, pad}}, {"dilations", {dilation, dilation}}, {"groups", channels}};
  attributes["post_ops"] = json::array({{{"kind", "bias"}}, {{"kind", "add"}}});
  expectConv("fused_conv2d", attributes, x, w, x.dims(), expected, {bias, residual}, true);
}

INSTANTIATE_TEST_SUITE_P(
    Conv, DepthwiseWithResidual,
    ::testing::Values(std::array<int64_t, 5>{1, 8, 3, 14, 1}, std::array<int64_t, 5>{2, 8, 7, 8, 1},
                      std::array<int64_t, 5>{2, 8, 7, 8, 3}, std::array<int64_t, 5>{2, 24, 5, 7, 1},
                      std::array<int64_t, 5>{1, 58, 3, 28, 1}, std::array<int64_t, 5>{2, 16, 7, 4, 1},
                      std::array<int64_t, 5>{1, 32, 3, 33, 2}));

TEST(Conv, DilatedDepthwiseWithBias) {
  Tensor x = randomFloats({2, 21, 13, 19}, 1), w = randomFloats({21, 1, 3, 4}, 2),
         bias = randomFloats({21}, 3);
  Window window{{1, 2}, {3, 4}, {2, 3}, 21};
  Shape out{2, 21, 14, 8};
  std::vector<double> expected = convolve(x, w, out, window);
  json attributes = {{"strides", {1, 2}}, {"paddings", {3, 2, 4, 1}}, {"dilations", {2, 3}}, {"groups", 21}};
  expectConv("conv2d", attributes, x, w, out, expected);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = std::max(0.0, expected[i] + double(bias.as<float>()[i / (14 * 8) % 21]));
  attributes["post_ops"] = json::array({{{"kind", "bias"}}, {{"kind", "relu"}}});
  expectConv("fused_conv2d", attributes, x, w, out, expected, {bias});
}

/// A convolution with channels last and more input channels than PlaneConv has kernels for.
struct RandomWindow {
  int64_t batch, inputs, outputs, groups, height, width;
  std::array<int64_t, 2> kernel, stride, before, after;

  static RandomWindow random(unsigned seed) {
    std::mt19937 generator(seed);
    auto between = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(generator() % static_cast<uint32_t>(high - low + 1));
    };
    RandomWindow c{between(1, 2), between(9, 50), between(1, 40), 1, 0, 0, {}, {}, {}, {}};
    if (seed % 3 == 0)
      c.groups = c.outputs = c.inputs;
    for (size_t axis = 0; axis < 2; ++axis) {
      c.kernel[axis] = between(1, 5);
      c.stride[axis] = between(1, 3);
      c.before[axis] = between(0, c.kernel[axis] - 1);
      c.after[axis] = between(0, c.kernel[axis] - 1);
    }
    c.height = c.kernel[0] + between(0, 20);
    c.width = c.kernel[1] + between(0, 40);
    return c;
  }
  int64_t outputDim(size_t axis, int64_t in) const {
    return (in + before[axis] + after[axis] - kernel[axis]) / stride[axis] + 1;
  }
  Shape out() const { return {batch, outputs, outputDim(0, height), outputDim(1, width)}; }
  Shape filter() const { return {outputs, inputs / groups, kernel[0], kernel[1]}; }
  std::vector<int64_t> paddings() const { return {before[0], after[0], before[1], after[1]}; }

  ConvChoiceCase problem() const {
    return {{.strides = {stride[0], stride[1]},
             .paddings = paddings(),
             .groups = groups,
             .dataFormat = DataFormat::NHWC},
            {batch, height, width, inputs},
            filter()};
  }
  /// Whether oneDNN's second kernel computes it with AVX-512.
  bool isLoop() const {
    return choiceOf(problem(), machineNamed("avx512")).method() == ConvMethod::Library &&
           prefersLoop(geometryOf(problem()), machineNamed("avx512").cpu);
  }
};

TEST(Conv, PlansHaveTheSecondKernelOfTheLibrary) {
  for (int64_t groups : {1, 20}) {
    RandomWindow c{1, 20, 20, groups, 14, 14, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
    ConvConfig config = configOf(c.problem());
    ConvGeometry geometry = geometryOf(c.problem());
    auto implementation = [&](bool prefersLoop) {
      auto plan = ConvPlan::create(DType::Float32, config, geometry, operandsOf(2), false, prefersLoop);
      return std::string(plan->implementation());
    };
    if (!implementation(false).starts_with("br"))
      GTEST_SKIP() << "oneDNN has " << implementation(false) << " only";
    EXPECT_THAT(implementation(true), ::testing::StartsWith(groups == 1 ? "jit:" : "jit_dw:"));
  }
}

TEST(Conv, SecondKernelsOfTheLibrary) {
  int loops = 0;
  for (unsigned seed = 0; seed < 90; ++seed) {
    RandomWindow c = RandomWindow::random(seed);
    SCOPED_TRACE(seed);
    loops += c.isLoop();
    Tensor x = randomFloats({c.batch, c.inputs, c.height, c.width}, seed),
           w = randomFloats(c.filter(), seed + 1), bias = randomFloats({c.outputs}, seed + 2),
           residual = randomFloats(c.out(), seed + 3);
    for (int64_t i = 0; i < w.size(); ++i)
      w.as<float>()[i] /= std::sqrt(static_cast<float>(w.size() / c.outputs));
    Shape out = c.out();
    std::vector<double> expected =
        convolve(x, w, out, {{c.stride[0], c.stride[1]}, {c.before[0], c.before[1]}, {1, 1}, c.groups});
    json ops = json::array({{{"kind", "bias"}}, {{"kind", "relu6"}, {"alpha", 6.0}}});
    if (seed % 2 == 0)
      ops = json::array({{{"kind", "bias"}}, {{"kind", "add"}}, {{"kind", "relu"}}});
    for (size_t i = 0; i < expected.size(); ++i) {
      expected[i] += double(bias.as<float>()[static_cast<int64_t>(i) / (out[2] * out[3]) % out[1]]);
      expected[i] = seed % 2 == 0 ? std::max(0.0, expected[i] + double(residual.as<float>()[i]))
                                  : std::clamp(expected[i], 0.0, 6.0);
    }
    KernelCase step{"fused_conv2d",
                    {{"paddings", c.paddings()},
                     {"strides", c.stride},
                     {"groups", c.groups},
                     {"data_format", "NHWC"},
                     {"post_ops", ops}},
                    {channelsLast(x), w, bias},
                    {{DType::Float32, {out[0], out[2], out[3], out[1]}}},
                    {1}};
    if (seed % 2 == 0)
      step.inputs.push_back(channelsLast(residual));
    auto result = runCase(step);
    ASSERT_TRUE(result) << result.diagnostics().text();
    expectClose((*result)[0], channelsLast(expected, out), 1e-5);
  }
  EXPECT_GT(loops, 50);
}

TEST(Conv, ResidualInPlace) {
  // The plan lets the result overwrite the residual.
  Tensor x = randomFloats({1, 8, 4, 4}, 1), w = randomFloats({8, 8, 3, 3}, 2);
  for (const char *format : {"NCHW", "NHWC"})
    for (bool fusable : {true, false}) {
      SCOPED_TRACE(std::string(format) + (fusable ? "" : " float64"));
      bool last = format == std::string("NHWC");
      DType dtype = fusable ? DType::Float32 : DType::Float64;
      json ops = json::array({{{"kind", "add"}}, {{"kind", "relu"}}});
      Plan plan;
      Shape image = last ? Shape{1, 4, 4, 8} : Shape{1, 8, 4, 4};
      plan.values = {{dtype, image, Storage::Feed, 0, none, "x"},
                     {dtype, w.dims(), Storage::Parameter, 0, none, "w"},
                     {dtype, image, Storage::Arena, 0, none, "first"},
                     {dtype, image, Storage::Arena, 0, none, "second"}};
      plan.feeds = {0};
      plan.parameters = {1};
      for (ValueId out : {2, 3}) {
        Step step;
        step.kind = StepKind::Library;
        step.symbol = out == 3 ? "fused_conv2d" : "conv2d";
        step.attributes = {{"paddings", {1, 1}}, {"data_format", format}};
        step.inputs = {0, 1};
        step.outputs = {out};
        if (out == 3) {
          step.inputs.push_back(2);
          step.attributes["post_ops"] = ops;
        }
        plan.steps.push_back(step);
      }
      plan.fetches = {3};
      plan.fetchNames = {"second"};
      plan.arenaBytes = 1024;
      auto executable = Executable::create(plan, "test", [](const std::string &) { return nullptr; });
      ASSERT_TRUE(executable) << executable.diagnostics().text();
      auto convert = [&](const Tensor &tensor) {
        if (fusable)
          return tensor;
        Tensor wide(DType::Float64, tensor.dims());
        std::copy(tensor.as<float>(), tensor.as<float>() + tensor.size(), wide.as<double>());
        return wide;
      };
      ASSERT_TRUE((*executable)->bindParameters({{"w", convert(w)}}));
      auto session = Session::create(*executable);
      auto result = (*session)->run({{"x", convert(last ? channelsLast(x) : x)}});
      ASSERT_TRUE(result) << result.diagnostics().text();
      std::vector<double> expected = convolve(x, w, {1, 8, 4, 4}, {{1, 1}, {1, 1}});
      for (double &value : expected)
        value = std::max(0.0, 2 * value);
      expectClose((*result)[0], last ? channelsLast(expected, {1, 8, 4, 4}) : expected, 1e-5);
    }
}

/// Two convolutions read one filter, with one group and with two: kernels pack it in different orders.
TEST(Conv, FilterOfTwoNumbersOfGroups) {
  struct Case {
    ConvMethod method;
    const char *format;
    Shape filter;
    int64_t height, width, padding, dilation;
  };
  for (const Case &c : {Case{ConvMethod::Pixels, "NCHW", {14, 400, 1, 1}, 7, 7, 0, 1},
                        Case{ConvMethod::Indirect, "NHWC", {32, 64, 3, 3}, 8, 9, 7, 7}}) {
    bool last = c.format == std::string("NHWC");
    SCOPED_TRACE(nameOf(c.method));
    Tensor w = randomFloats(c.filter, 1);
    Plan plan;
    plan.values = {{DType::Float32, c.filter, Storage::Parameter, 0, none, "w"}};
    plan.parameters = {0};
    NamedTensors feeds;
    std::vector<std::vector<double>> expected;
    for (int64_t groups : {1, 2}) {
      Shape image{1, c.filter[1] * groups, c.height, c.width}, out{1, c.filter[0], c.height, c.width};
      auto order = [&](const Shape &d) { return last ? Shape{d[0], d[2], d[3], d[1]} : d; };
      ConvChoiceCase problem{{.strides = {1, 1},
                              .paddings = {c.padding, c.padding},
                              .dilations = {c.dilation, c.dilation},
                              .groups = groups,
                              .dataFormat = last ? DataFormat::NHWC : DataFormat::NCHW},
                             order(image),
                             c.filter};
      EXPECT_EQ(choiceOf(problem, thisMachine()).method(), c.method)
          << choiceOf(problem, thisMachine()).text();
      Tensor x = randomFloats(image, 2);
      std::vector<double> sums =
          convolve(x, w, out, {{1, 1}, {c.padding, c.padding}, {c.dilation, c.dilation}, groups});
      expected.push_back(last ? channelsLast(sums, out) : sums);
      auto id = static_cast<ValueId>(plan.values.size());
      std::string name = "x" + std::to_string(groups);
      plan.values.push_back({DType::Float32, order(image), Storage::Feed, 0, none, name});
      plan.values.push_back({DType::Float32, order(out), Storage::Arena, plan.arenaBytes, none, "out"});
      plan.arenaBytes += 64 << 10;
      plan.feeds.push_back(id);
      plan.fetches.push_back(id + 1);
      plan.fetchNames.push_back("out");
      feeds[name] = last ? channelsLast(x) : x;
      Step step;
      step.kind = StepKind::Library;
      step.symbol = "conv2d";
      step.attributes = {{"paddings", {c.padding, c.padding}},
                         {"dilations", {c.dilation, c.dilation}},
                         {"groups", groups},
                         {"data_format", c.format}};
      step.inputs = {id, 0};
      step.outputs = {id + 1};
      plan.steps.push_back(step);
    }
    auto executable = Executable::create(plan, "test", [](const std::string &) { return nullptr; });
    ASSERT_TRUE(executable) << executable.diagnostics().text();
    ASSERT_TRUE((*executable)->bindParameters({{"w", w}}));
    auto session = Session::create(*executable);
    auto result = (*session)->run(feeds);
    ASSERT_TRUE(result) << result.diagnostics().text();
    for (size_t i = 0; i < expected.size(); ++i)
      expectClose((*result)[i], expected[i], 2e-5);
  }
}

TEST(Conv, Transposed) {
  Tensor x = randomFloats({2, 4, 5, 6}, 1), w = randomFloats({4, 3, 3, 3}, 2);
  Window window{{2, 2}, {1, 1}};
  Shape out{2, 3, 9, 11};
  expectConv("conv2d_transpose", {{"strides", {2, 2}}, {"paddings", {1, 1}}}, x, w, out,
             scatterConvolve(x, w, out, window));
  Shape larger{2, 3, 10, 12};
  expectConv("conv2d_transpose", {{"strides", {2, 2}}, {"paddings", {1, 1}}, {"output_padding", {1, 1}}}, x,
             w, larger, scatterConvolve(x, w, larger, window));
  expectConv("conv2d_transpose", {{"strides", {2, 2}}, {"paddings", {1, 1}}, {"output_size", {10, 12}}}, x, w,
             larger, scatterConvolve(x, w, larger, window));
  window.groups = 2;
  Shape grouped{2, 6, 9, 11};
  expectConv("conv2d_transpose", {{"strides", {2, 2}}, {"paddings", {1, 1}}, {"groups", 2}}, x, w, grouped,
             scatterConvolve(x, w, grouped, window));
}

// By ColumnConv: several blocks of channels and of rows, and filters of other sizes.
TEST(Conv, TransposedWithSeparateTaps) {
  struct Sizes {
    int64_t batch, inputs, outputs, height, width, groups;
    int64_t stride[2];
  };
  for (const Sizes &s : {Sizes{2, 16, 70, 9, 33, 1, {2, 2}}, Sizes{1, 8, 3, 300, 200, 1, {2, 2}},
                         Sizes{1, 12, 8, 7, 5, 2, {4, 4}}, Sizes{1, 5, 4, 6, 7, 1, {3, 5}},
                         Sizes{1, 4, 6, 3, 17, 1, {1, 2}}}) {
    Window window{{s.stride[0], s.stride[1]}, {0, 0}};
    window.groups = s.groups;
    Tensor x = randomFloats({s.batch, s.inputs, s.height, s.width}, 1);
    Tensor w = randomFloats({s.inputs, s.outputs / s.groups, s.stride[0], s.stride[1]}, 2);
    Shape out{s.batch, s.outputs, s.height * s.stride[0], s.width * s.stride[1]};
    auto result = runCase({"conv2d_transpose",
                           {{"strides", {s.stride[0], s.stride[1]}}, {"groups", s.groups}},
                           {x, w},
                           {{DType::Float32, out}},
                           {1}});
    ASSERT_TRUE(result) << result.diagnostics().text();
    expectClose((*result)[0], scatterConvolve(x, w, out, window), 1e-5);
  }
}

TEST(Conv, ThreeDimensions) {
  // With depth 1 and a kernel of depth 1 the third axis has no effect.
  Tensor x = randomFloats({1, 4, 6, 6}, 1), w = randomFloats({5, 4, 3, 3}, 2);
  std::vector<double> expected = convolve(x, w, {1, 5, 6, 6}, {{1, 1}, {1, 1}});
  auto result = runCase({"conv3d",
                         {{"paddings", {0, 1, 1}}, {"data_format", "NCDHW"}},
                         {x.reshaped({1, 4, 1, 6, 6}), w.reshaped({5, 4, 1, 3, 3})},
                         {{DType::Float32, {1, 5, 1, 6, 6}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  expectClose((*result)[0], expected, 1e-5);
  // And summing over depth: a kernel as deep as the input.
  Tensor deep = randomFloats({1, 2, 2, 6, 6}, 3), deepW = randomFloats({5, 2, 2, 3, 3}, 4);
  expected =
      convolve(deep.reshaped({1, 4, 6, 6}), deepW.reshaped({5, 4, 3, 3}), {1, 5, 6, 6}, {{1, 1}, {1, 1}});
  result = runCase({"conv3d", {{"paddings", {0, 1, 1}}}, {deep, deepW}, {{DType::Float32, {1, 5, 1, 6, 6}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  expectClose((*result)[0], expected, 1e-5);
}

TEST(Conv, MismatchedOperandsAreErrors) {
  auto result = runCase({"conv2d",
                         {},
                         {randomFloats({1, 3, 4, 4}, 1), randomFloats({4, 2, 3, 3}, 2)},
                         {{DType::Float32, {1, 4, 2, 2}}}});
  ASSERT_FALSE(result);
  EXPECT_THAT(
      result.diagnostics().text(),
      ::testing::HasSubstr("an input of 3 channels does not fit a filter of [4, 2, 3, 3] in 1 groups"));
  result = runCase({"conv2d",
                    {},
                    {randomFloats({1, 3, 2, 2}, 1), randomFloats({4, 3, 3, 3}, 2)},
                    {{DType::Float32, {1, 4, 2, 2}}}});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.diagnostics().text(), ::testing::HasSubstr("a window of 3 does not fit into 2"));
  auto errorsOf = [](const json &attributes) {
    auto failed = runCase({"conv2d",
                           attributes,
                           {randomFloats({1, 3, 2, 2}, 1), randomFloats({4, 3, 1, 1}, 2)},
                           {{DType::Float32, {1, 4, 2, 2}}}});
    EXPECT_FALSE(failed);
    return failed ? "" : failed.diagnostics().text();
  };
  std::string errors = errorsOf({{"strides", {0, 1}}, {"paddings", {1, 1, 1}}});
  EXPECT_THAT(errors, ::testing::HasSubstr("expected strides, dilations and groups above 0"));
  EXPECT_THAT(errors, ::testing::HasSubstr("attribute 'paddings' has 3 numbers for 2 spatial axes"));
  EXPECT_THAT(errorsOf({{"data_format", "CHWN"}}),
              ::testing::HasSubstr("attribute 'data_format' is \"CHWN\"; expected one of NCHW, NHWC"));
  EXPECT_THAT(errorsOf({{"data_format", "NCL"}}),
              ::testing::HasSubstr("attribute 'data_format' is NCL; expected one of NCHW, NHWC"));
}

} // namespace
} // namespace proa::runtime
