#include "lib/runtime/kernels/conv/PixelConv.h"

#include "lib/runtime/host/ThreadPool.h"

#include "test/unit/runtime/ConvChoiceCase.h"
#include "test/unit/runtime/ConvDefinition.h"

#include <array>
#include <cmath>

namespace proa::runtime {
namespace {

using nlohmann::json;

/// A convolution with channels first.
struct PixelCase {
  int64_t batch, inputs, outputs, height, width; ///< channels of a group
  std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, before{0, 0}, after{0, 0}, dilation{1, 1};
  int64_t groups = 1;

  int64_t outputDim(size_t axis, int64_t in) const {
    return (in + before[axis] + after[axis] - dilation[axis] * (kernel[axis] - 1) - 1) / stride[axis] + 1;
  }
  Shape out() const { return {batch, outputs * groups, outputDim(0, height), outputDim(1, width)}; }
  std::vector<int64_t> paddings() const { return {before[0], after[0], before[1], after[1]}; }
  ConvChoiceCase problem() const {
    return {{.strides = {stride[0], stride[1]},
             .paddings = paddings(),
             .dilations = {dilation[0], dilation[1]},
             .groups = groups,
             .dataFormat = DataFormat::NCHW},
            {batch, inputs * groups, height, width},
            {outputs * groups, inputs, kernel[0], kernel[1]}};
  }
  bool isChosen() const { return choiceOf(problem(), thisMachine()).method() == ConvMethod::Pixels; }
};

struct NamedOp {
  const char *kind;
  double (*function)(double);
  double alpha = 0, beta = 0;
};

/// With a bias, these activations, and a residual.
void expectDefinition(const PixelCase &c, const std::vector<NamedOp> &activations) {
  SCOPED_TRACE(json(c.problem().x).dump() + json(c.problem().filter).dump() + json(c.stride).dump());
  Shape out = c.out();
  Tensor x = randomFloats({c.batch, c.inputs * c.groups, c.height, c.width}, 1),
         w = randomFloats({out[1], c.inputs, c.kernel[0], c.kernel[1]}, 2), bias = randomFloats({out[1]}, 3),
         residual = randomFloats(out, 4);
  for (int64_t i = 0; i < w.size(); ++i)
    w.as<float>()[i] /= std::sqrt(static_cast<float>(c.inputs * c.kernel[0] * c.kernel[1]));
  std::vector<double> expected = convolve(
      x, w, out,
      {{c.stride[0], c.stride[1]}, {c.before[0], c.before[1]}, {c.dilation[0], c.dilation[1]}, c.groups});
  json ops = json::array({{{"kind", "bias"}}});
  for (const NamedOp &op : activations)
    ops.push_back({{"kind", op.kind}, {"alpha", op.alpha}, {"beta", op.beta}});
  ops.push_back({{"kind", "add"}});
  auto plane = static_cast<size_t>(out[2] * out[3]), channels = static_cast<size_t>(out[1]);
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] += double(bias.as<float>()[i / plane % channels]);
    for (const NamedOp &op : activations)
      expected[i] = op.function(expected[i]);
    expected[i] += double(residual.as<float>()[i]);
  }
  json attributes = {{"paddings", c.paddings()}, {"strides", c.stride},   {"dilations", c.dilation},
                     {"groups", c.groups},       {"data_format", "NCHW"}, {"post_ops", ops}};
  for (Dims mode : {Dims::Static, Dims::Dynamic}) {
    auto result =
        runCase({"fused_conv2d", attributes, {x, w, bias, residual}, {{DType::Float32, out}}, {1}, mode});
    ASSERT_TRUE(result) << result.diagnostics().text();
    expectClose((*result)[0], expected, 1e-5);
  }
}

const NamedOp relu{"relu", [](double x) { return std::max(x, 0.0); }},
    relu6{"relu6", [](double x) { return std::min(std::max(x, 0.0), 0.5); }, 0.5},
    clip{"clip", [](double x) { return std::min(std::max(x, -0.25), 0.125); }, -0.25, 0.125},
    absolute{"abs", [](double x) { return std::abs(x); }};

/// Each size of the last panel of pixels and of a tile of outputs.
TEST(PixelConv, AnyNumberOfPixelsAndOutputs) {
  for (int64_t width = 1; width <= 40; ++width)
    expectDefinition({1, 20, width % 23 + 1, 1, width}, {relu});
  EXPECT_TRUE((PixelCase{1, 96, 24, 14, 14}.isChosen()));
  for (int64_t outputs : {24, 25, 31, 64, 67})
    expectDefinition({2, 96, outputs, 7, 9}, {});
}

/// Several blocks of terms.
TEST(PixelConv, ManyInputs) {
  for (int64_t inputs : {383, 384, 385, 800}) {
    PixelCase c{2, inputs, 20, 9, 11};
    EXPECT_TRUE(c.isChosen()) << inputs;
    expectDefinition(c, {relu6});
  }
}

TEST(PixelConv, Activations) {
  PixelCase c{1, 400, 13, 7, 7};
  EXPECT_TRUE(c.isChosen());
  for (const std::vector<NamedOp> &ops : std::vector<std::vector<NamedOp>>{
           {}, {relu}, {relu6}, {clip}, {absolute}, {absolute, clip}, {relu, absolute}, {clip, relu6}})
    expectDefinition(c, ops);
}

TEST(PixelConv, KeepsNaN) {
  Tensor x = randomFloats({1, 32, 4, 5}, 1), w = randomFloats({16, 32, 1, 1}, 2);
  x.as<float>()[3] = std::nanf("");
  auto result = runCase({"fused_conv2d",
                         {{"data_format", "NCHW"}, {"post_ops", json::array({{{"kind", "relu"}}})}},
                         {x, w},
                         {{DType::Float32, {1, 16, 4, 5}}},
                         {1}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  for (int64_t i = 0; i < 16 * 20; ++i)
    EXPECT_EQ(std::isnan((*result)[0].as<float>()[i]), i % 20 == 3) << i;
}

/// Patches, strides, dilations, groups, and windows that leave the image.
TEST(PixelConv, Windows) {
  for (const PixelCase &c :
       {PixelCase{1, 9, 30, 24, 28, {4, 4}, {4, 4}}, PixelCase{2, 16, 20, 9, 14, {2, 2}, {2, 2}},
        PixelCase{1, 12, 40, 5, 9, {2, 3}, {1, 1}, {1, 1}, {0, 2}},
        PixelCase{1, 10, 50, 9, 11, {3, 3}, {2, 2}, {1, 2}, {1, 2}},
        PixelCase{1, 40, 30, 7, 20, {1, 1}, {2, 2}},
        PixelCase{1, 40, 30, 3, 20, {1, 1}, {1, 1}, {2, 1}, {0, 3}},
        PixelCase{1, 9, 40, 3, 14, {3, 3}, {1, 1}, {9, 20}, {9, 20}, {9, 20}},
        PixelCase{2, 20, 30, 9, 9, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 3},
        PixelCase{1, 9, 8, 6, 7, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 2}}) {
    EXPECT_TRUE(c.isChosen()) << json(c.problem().x) << choiceOf(c.problem(), thisMachine()).text();
    expectDefinition(c, {relu});
  }
}

TEST(PixelConv, AnyNumberOfThreads) {
  PixelCase c{2, 200, 48, 20, 21};
  EXPECT_TRUE(c.isChosen());
  for (int threads : {1, 2, 3, 7}) {
    ThreadScope scope(threads);
    expectDefinition(c, {relu});
  }
}

} // namespace
} // namespace proa::runtime
