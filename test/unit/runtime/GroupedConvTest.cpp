#include "lib/runtime/kernels/conv/GroupedConv.h"

#include "test/unit/runtime/ConvChoiceCase.h"
#include "test/unit/runtime/ConvDefinition.h"

#include "dialects/pd/ops/conv/Conv.kernels.inc"

#include <array>
#include <cmath>

namespace proa::runtime {
namespace {

using nlohmann::json;

/// A random convolution; `ofGroup` channels in each group.
struct RandomConvolution {
  int64_t batch, ofGroup, groups, height, width;
  std::array<int64_t, 2> kernel, stride, before, after, dilation;

  static RandomConvolution random(unsigned seed, int64_t ofGroup) {
    std::mt19937 generator(seed);
    auto between = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(generator() % static_cast<uint32_t>(high - low + 1));
    };
    RandomConvolution p{
        between(1, 2), ofGroup, 16 / ofGroup + between(0, 20 / ofGroup), 0, 0, {}, {}, {}, {}, {}};
    for (size_t axis = 0; axis < 2; ++axis) {
      p.kernel[axis] = between(1, 5);
      p.stride[axis] = between(1, 3);
      p.dilation[axis] = between(axis == 0 && ofGroup == 1 ? 2 : 1, 4);
      p.before[axis] = between(0, 6);
      p.after[axis] = between(0, 6);
    }
    auto reach = [&](size_t axis) { return p.dilation[axis] * (p.kernel[axis] - 1) + 1; };
    p.height = std::max<int64_t>(1, reach(0) - p.before[0] - p.after[0]) + between(0, 20);
    p.width = std::max<int64_t>(1, reach(1) - p.before[1] - p.after[1]) + between(0, 20);
    return p;
  }
  int64_t channels() const { return ofGroup * groups; }
  int64_t outputDim(size_t axis, int64_t in) const {
    return (in + before[axis] + after[axis] - dilation[axis] * (kernel[axis] - 1) - 1) / stride[axis] + 1;
  }
  Shape out() const { return {batch, channels(), outputDim(0, height), outputDim(1, width)}; }
  json attributes() const {
    return {{"paddings", {before[0], after[0], before[1], after[1]}},
            {"strides", stride},
            {"dilations", dilation},
            {"groups", groups},
            {"data_format", "NHWC"}};
  }
};

bool isChosen(const RandomConvolution &p) {
  ConvChoiceCase problem{{.strides = {p.stride[0], p.stride[1]},
                          .paddings = {p.before[0], p.after[0], p.before[1], p.after[1]},
                          .dilations = {p.dilation[0], p.dilation[1]},
                          .groups = p.groups,
                          .dataFormat = DataFormat::NHWC},
                         {p.batch, p.height, p.width, p.channels()},
                         {p.channels(), p.ofGroup, p.kernel[0], p.kernel[1]}};
  return choiceOf(problem, thisMachine()).method() == ConvMethod::Grouped;
}

using Activation = double (*)(double);
struct Epilogue {
  json ops;
  bool bias, residual;
  Activation before, after; ///< before and after the residual is added
};

std::vector<Epilogue> epilogues() {
  auto none = [](double x) { return x; };
  auto relu = [](double x) { return std::max(x, 0.0); };
  auto swish = [](double x) { return x / (1 + std::exp(-x)); };
  auto list = [](std::initializer_list<const char *> kinds) {
    json ops = json::array();
    for (const char *kind : kinds)
      ops.push_back({{"kind", kind}});
    return ops;
  };
  json swishes = list({"swish"});
  swishes[0]["alpha"] = 1.0;
  return {{list({}), false, false, none, none},
          {list({"bias"}), true, false, none, none},
          {list({"bias", "relu"}), true, false, relu, none},
          {swishes, false, false, swish, none},
          {list({"bias", "add", "relu"}), true, true, none, relu},
          {list({"bias", "relu", "add"}), true, true, relu, none}};
}

void expectDefinition(const RandomConvolution &p, const Epilogue &epilogue) {
  Shape out = p.out();
  Tensor x = randomFloats({p.batch, p.channels(), p.height, p.width}, 1),
         w = randomFloats({p.channels(), p.ofGroup, p.kernel[0], p.kernel[1]}, 2),
         bias = randomFloats({p.channels()}, 3), residual = randomFloats(out, 4);
  Window window{
      {p.stride[0], p.stride[1]}, {p.before[0], p.before[1]}, {p.dilation[0], p.dilation[1]}, p.groups};
  std::vector<double> expected = convolve(x, w, out, window);
  auto plane = static_cast<size_t>(out[2] * out[3]), channels = static_cast<size_t>(out[1]);
  for (size_t i = 0; i < expected.size(); ++i) {
    double sum = expected[i] + (epilogue.bias ? double(bias.as<float>()[i / plane % channels]) : 0);
    expected[i] =
        epilogue.after(epilogue.before(sum) + (epilogue.residual ? double(residual.as<float>()[i]) : 0));
  }
  json attributes = p.attributes();
  if (!epilogue.ops.empty())
    attributes["post_ops"] = epilogue.ops;
  KernelCase c{epilogue.ops.empty() ? "conv2d" : "fused_conv2d",
               attributes,
               {channelsLast(x), w},
               {{DType::Float32, {out[0], out[2], out[3], out[1]}}},
               {1}};
  if (epilogue.bias)
    c.inputs.push_back(bias);
  if (epilogue.residual)
    c.inputs.push_back(channelsLast(residual));
  for (Dims mode : {Dims::Static, Dims::Dynamic}) {
    c.dims = mode;
    auto result = runCase(c);
    ASSERT_TRUE(result) << result.diagnostics().text();
    expectClose((*result)[0], channelsLast(expected, out), 1e-5);
  }
}

class RandomGroupedConv : public ::testing::TestWithParam<int64_t> {};

TEST_P(RandomGroupedConv, EqualsDefinition) {
  std::vector<Epilogue> all = epilogues();
  int chosen = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    RandomConvolution p = RandomConvolution::random(seed, GetParam());
    SCOPED_TRACE(p.attributes().dump() + " " + std::to_string(p.height) + "x" + std::to_string(p.width));
    chosen += isChosen(p);
    expectDefinition(p, all[seed % all.size()]);
  }
  EXPECT_GT(chosen, 12);
}

INSTANTIATE_TEST_SUITE_P(Conv, RandomGroupedConv, ::testing::Values(1, 2, 4, 8));

} // namespace
} // namespace proa::runtime
