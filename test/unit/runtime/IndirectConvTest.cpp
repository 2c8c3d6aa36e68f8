#include "lib/runtime/kernels/conv/IndirectConv.h"

#include "test/unit/runtime/ConvDefinition.h"

#include "dialects/pd/ops/conv/Conv.kernels.inc"

#include <array>
#include <cmath>

namespace proa::runtime {
namespace {

using nlohmann::json;

struct Geometry {
  int64_t batch, inputs, outputs, height, width;
  std::array<int64_t, 2> kernel, stride, before, after, dilation;
  int64_t groups = 1;

  int64_t outputDim(size_t axis, int64_t in) const {
    return (in + before[axis] + after[axis] - dilation[axis] * (kernel[axis] - 1) - 1) / stride[axis] + 1;
  }
  Shape out() const { return {batch, outputs, outputDim(0, height), outputDim(1, width)}; }
  std::vector<int64_t> paddings() const { return {before[0], after[0], before[1], after[1]}; }
};

double usedTapsOf(const Geometry &g) {
  Conv2dAttributes attributes{.strides = {g.stride[0], g.stride[1]},
                              .paddings = g.paddings(),
                              .dilations = {g.dilation[0], g.dilation[1]},
                              .groups = g.groups,
                              .dataFormat = DataFormat::NHWC};
  OperandType operand{true, true, DType::Float32, {}};
  std::vector<OperandType> inputs(2, operand), outputs(1, operand);
  auto parsed = ConvConfig::create(attributes, {inputs, outputs}, 2, false);
  EXPECT_TRUE(parsed) << parsed.diagnostics().text();
  auto geometry = ConvGeometry::compute(*parsed, Shape{g.batch, g.height, g.width, g.inputs},
                                        Shape{g.outputs, g.inputs / g.groups, g.kernel[0], g.kernel[1]}, {});
  EXPECT_TRUE(geometry) << geometry.diagnostics().text();
  return IndirectConv::usedTaps(*geometry);
}

TEST(IndirectConvTaps, CountsTapsInsideOfTheImage) {
  // Only the tap in the middle meets the image.
  EXPECT_DOUBLE_EQ(usedTapsOf({1, 16, 16, 16, 16, {3, 3}, {1, 1}, {24, 24}, {24, 24}, {24, 24}}), 1.0 / 9);
  EXPECT_DOUBLE_EQ(usedTapsOf({1, 16, 16, 16, 16, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}}), 1);
  // Rows: 4, 16 and 4 of 16; all tiles of columns meet all taps.
  EXPECT_DOUBLE_EQ(usedTapsOf({1, 16, 16, 16, 3, {3, 1}, {1, 1}, {12, 0}, {12, 0}, {12, 1}}), 0.5);
}

/// Of a convolution with a bias and ReLU, and before that with a residual.
void expectDefinition(const Geometry &g, bool adds = true) {
  Tensor x = randomFloats({g.batch, g.inputs, g.height, g.width}, 1),
         w = randomFloats({g.outputs, g.inputs / g.groups, g.kernel[0], g.kernel[1]}, 2);
  for (int64_t i = 0; i < w.size(); ++i)
    w.as<float>()[i] /= std::sqrt(static_cast<float>(g.inputs / g.groups));
  Shape out = g.out();
  Tensor bias = randomFloats({g.outputs}, 3), residual = randomFloats(out, 4);
  Window window{
      {g.stride[0], g.stride[1]}, {g.before[0], g.before[1]}, {g.dilation[0], g.dilation[1]}, g.groups};
  std::vector<double> expected = convolve(x, w, out, window);
  auto plane = static_cast<size_t>(out[2] * out[3]), channels = static_cast<size_t>(out[1]);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = std::max(0.0, expected[i] + double(bias.as<float>()[i / plane % channels]) +
                                    (adds ? double(residual.as<float>()[i]) : 0));
  json ops = json::array({{{"kind", "bias"}}, {{"kind", "add"}}, {{"kind", "relu"}}});
  if (!adds)
    ops.erase(1);
  json attributes = {{"paddings", g.paddings()}, {"strides", g.stride},   {"dilations", g.dilation},
                     {"groups", g.groups},       {"data_format", "NHWC"}, {"post_ops", ops}};
  for (Dims mode : {Dims::Static, Dims::Dynamic}) {
    KernelCase c{"fused_conv2d",
                 attributes,
                 {channelsLast(x), w, bias},
                 {{DType::Float32, {out[0], out[2], out[3], out[1]}}},
                 {1},
                 mode};
    if (adds)
      c.inputs.push_back(channelsLast(residual));
    auto result = runCase(c);
    ASSERT_TRUE(result) << result.diagnostics().text();
    expectClose((*result)[0], channelsLast(expected, out), 1e-5);
  }
}

class IndirectConvTest : public ::testing::TestWithParam<Geometry> {};
TEST_P(IndirectConvTest, EqualsDefinition) {
  ASSERT_LT(usedTapsOf(GetParam()), 0.7);
  for (bool adds : {true, false})
    expectDefinition(GetParam(), adds);
}

/// The layouts of an image and of the result, and post-ops that have a form with each.
struct Layouts {
  DataFormat input, output;
  enum { Residual, Activations, Bounds } ops; ///< after a bias
};

void expectDefinitionWith(const Geometry &g, const Layouts &layouts) {
  Tensor x = randomFloats({g.batch, g.inputs, g.height, g.width}, 1),
         w = randomFloats({g.outputs, g.inputs, g.kernel[0], g.kernel[1]}, 2);
  Shape out = g.out();
  Tensor bias = randomFloats({g.outputs}, 3), residual = randomFloats(out, 4);
  std::vector<double> expected =
      convolve(x, w, out, {{g.stride[0], g.stride[1]}, {g.before[0], g.before[1]}, {1, 1}});
  auto plane = static_cast<size_t>(out[2] * out[3]), channels = static_cast<size_t>(out[1]);
  for (size_t i = 0; i < expected.size(); ++i) {
    double sum = expected[i] + double(bias.as<float>()[i / plane % channels]);
    double bounded = std::min(std::max(0.0, sum), 6.0);
    expected[i] = layouts.ops == Layouts::Residual ? std::max(0.0, sum) + double(residual.as<float>()[i])
                  : layouts.ops == Layouts::Bounds ? bounded
                                                   : bounded * 2 + 1;
  }
  bool readsLast = layouts.input == DataFormat::NHWC, storesLast = layouts.output == DataFormat::NHWC;
  json ops = json::array({{{"kind", "bias"}}, {{"kind", "relu"}}, {{"kind", "add"}}});
  if (layouts.ops != Layouts::Residual)
    ops = json::array({{{"kind", "bias"}}, {{"kind", "relu6"}, {"alpha", 6.0}}});
  if (layouts.ops == Layouts::Activations)
    ops.push_back({{"kind", "linear"}, {"alpha", 2.0}, {"beta", 1.0}});
  json attributes = {{"paddings", g.paddings()},
                     {"strides", g.stride},
                     {"dilations", g.dilation},
                     {"data_format", storesLast ? "NHWC" : "NCHW"},
                     {"input_format", readsLast ? "NHWC" : "NCHW"},
                     {"post_ops", ops}};
  std::vector<Tensor> inputs{readsLast ? channelsLast(x) : x, w, bias};
  if (layouts.ops == Layouts::Residual)
    inputs.push_back(storesLast ? channelsLast(residual) : residual);
  Shape stored = storesLast ? Shape{out[0], out[2], out[3], out[1]} : out;
  KernelCase c{"fused_conv2d", attributes, inputs, {{DType::Float32, stored}}, {1}, Dims::Static};
  auto result = runCase(c);
  ASSERT_TRUE(result) << result.diagnostics().text();
  expectClose((*result)[0], storesLast ? channelsLast(expected, out) : expected, 1e-5);
}

/// Images of few channels, with windows that overlap and that do not.
TEST(IndirectConv, ReadsAndStoresBothLayouts) {
  for (const Geometry &g : {Geometry{1, 3, 96, 64, 64, {4, 4}, {4, 4}, {0, 0}, {0, 0}, {1, 1}},
                            Geometry{2, 3, 40, 64, 48, {16, 16}, {16, 16}, {0, 0}, {0, 0}, {1, 1}},
                            Geometry{2, 3, 33, 37, 29, {7, 7}, {2, 2}, {3, 3}, {3, 3}, {1, 1}},
                            Geometry{1, 8, 16, 12, 11, {3, 5}, {1, 2}, {1, 2}, {1, 2}, {1, 1}},
                            Geometry{1, 5, 20, 30, 6, {11, 3}, {4, 1}, {2, 0}, {2, 0}, {1, 1}},
                            Geometry{2, 8, 8, 15, 13, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
                            Geometry{1, 3, 24, 21, 23, {5, 5}, {2, 2}, {2, 2}, {2, 2}, {1, 1}}})
    for (DataFormat input : {DataFormat::NCHW, DataFormat::NHWC})
      for (DataFormat output : {DataFormat::NCHW, DataFormat::NHWC})
        for (auto ops : {Layouts::Residual, Layouts::Activations, Layouts::Bounds})
          expectDefinitionWith(g, {input, output, ops});
}

/// To few channels, and to such ones after whole panels.
TEST(IndirectConv, FewOutputs) {
  for (int64_t outputs : {8, 11, 16, 24, 40, 72})
    for (const Geometry &g : {Geometry{2, 64, outputs, 14, 9, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},
                              Geometry{1, 100, outputs, 7, 5, {2, 2}, {1, 1}, {1, 0}, {0, 1}, {1, 1}}})
      for (auto ops : {Layouts::Residual, Layouts::Activations, Layouts::Bounds})
        expectDefinitionWith(g, {DataFormat::NHWC, DataFormat::NHWC, ops});
}

/// Sums of groups that are stored where the results lie, of one and of several chunks.
TEST(IndirectConv, StoresSumsOfGroups) {
  for (int64_t group : {8, 60})
    for (int64_t outputs : {16, 48})
      expectDefinition({2, 3 * group, 3 * outputs, 14, 13, {3, 3}, {2, 2}, {0, 0}, {0, 0}, {1, 1}, 3}, false);
}

/// More outputs than one block of channels has.
TEST(IndirectConv, StoresSumsOfBlocks) {
  expectDefinition({1, 48, 336, 14, 13, {3, 3}, {2, 2}, {0, 0}, {0, 0}, {1, 1}}, false);
}

/// Outputs whose last panel has half a vector with AVX2: stored where the results lie, by post-ops, and with
/// channels first; all numbers of positions of a tile.
TEST(IndirectConv, HalfPanels) {
  for (int64_t outputs : {8, 24, 37, 40})
    for (int64_t width : {1, 9, 10, 11, 14, 19})
      for (auto ops : {Layouts::Residual, Layouts::Activations, Layouts::Bounds})
        expectDefinitionWith({1, 32, outputs, 3, width, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},
                             {DataFormat::NHWC, DataFormat::NHWC, ops});
  expectDefinition({2, 400, 24, 9, 7, {3, 3}, {1, 1}, {5, 5}, {5, 5}, {5, 5}}); // chunks of channels
  expectDefinition({2, 48, 72, 7, 9, {3, 3}, {2, 1}, {0, 0}, {0, 0}, {1, 1}, 3}, false);
}

/// So few outputs that vectors are of input channels.
TEST(IndirectConv, Dots) {
  for (int64_t outputs : {1, 2, 3, 4})
    for (const Geometry &g : {Geometry{2, 64, outputs, 9, 14, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},
                              Geometry{1, 24, outputs, 17, 13, {5, 3}, {1, 2}, {2, 1}, {2, 1}, {1, 1}}})
      for (auto ops : {Layouts::Residual, Layouts::Activations, Layouts::Bounds})
        expectDefinitionWith(g, {DataFormat::NHWC, DataFormat::NHWC, ops});
}

/// Each size of the last tile of positions.
TEST(IndirectConv, FewPositions) {
  for (int64_t width = 1; width <= 14; ++width) {
    Geometry g{1, 64, 40, 1, width, {3, 1}, {1, 1}, {9, 0}, {9, 0}, {9, 1}};
    EXPECT_LT(usedTapsOf(g), 0.4);
    expectDefinition(g);
  }
}

/// Without AVX-512, oneDNN would write these windows to memory.
class FewChannelsConvTest : public ::testing::TestWithParam<Geometry> {};
TEST_P(FewChannelsConvTest, EqualsDefinition) { expectDefinition(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Conv, FewChannelsConvTest,
    ::testing::Values(Geometry{1, 3, 12, 63, 63, {11, 11}, {4, 4}, {2, 2}, {2, 2}, {1, 1}},
                      Geometry{2, 1, 33, 40, 29, {13, 12}, {2, 3}, {5, 6}, {4, 5}, {2, 1}},
                      Geometry{1, 5, 16, 9, 7, {11, 15}, {1, 1}, {6, 9}, {5, 8}, {1, 1}},   // mostly padding
                      Geometry{1, 15, 40, 30, 60, {3, 31}, {1, 5}, {1, 0}, {1, 3}, {1, 1}}, // unread columns
                      Geometry{1, 4, 20, 20, 20, {11, 11}, {1, 1}, {10, 10}, {10, 10}, {2, 2}}));

INSTANTIATE_TEST_SUITE_P(
    Conv, IndirectConvTest,
    ::testing::Values(Geometry{1, 32, 48, 16, 16, {3, 3}, {1, 1}, {12, 12}, {12, 12}, {12, 12}},
                      Geometry{2, 20, 36, 15, 17, {3, 3}, {1, 1}, {9, 8}, {7, 8}, {8, 9}}, // parts of panels
                      Geometry{
                          1, 400, 17, 6, 7, {3, 3}, {1, 1}, {5, 5}, {5, 5}, {5, 5}}, // chunks of channels
                      Geometry{1, 64, 96, 24, 24, {3, 3}, {2, 1}, {18, 18}, {18, 18}, {18, 18}, 2},
                      Geometry{1, 16, 16, 4, 5, {7, 5}, {1, 1}, {3, 2}, {3, 2}, {1, 1}},    // small image
                      Geometry{3, 16, 300, 9, 9, {3, 3}, {1, 1}, {8, 8}, {8, 8}, {8, 8}})); // several blocks

} // namespace
} // namespace proa::runtime
