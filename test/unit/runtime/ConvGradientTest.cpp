#include "test/unit/runtime/KernelHarness.h"

#include <fmt/format.h>

namespace proa::runtime {
namespace {

struct GradientParam {
  std::vector<int64_t> input, cotangent; ///< [batch, channels, spatial...]
  std::vector<int64_t> kernel, strides, paddings, dilations;
  int64_t groups;
  bool channelLast;
};

class ConvGradientTest : public ::testing::TestWithParam<GradientParam> {};

Tensor narrowed(const Tensor &wide) {
  Tensor out(DType::Float32, wide.dims());
  std::copy_n(wide.as<double>(), wide.size(), out.as<float>());
  return out;
}

std::vector<int64_t> stored(std::vector<int64_t> dims, bool channelLast) {
  if (channelLast)
    std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  return dims;
}

// Plain loops compute float64, oneDNN float32. (Both are compared with differences in test/unit/gradient.)
TEST_P(ConvGradientTest, FloatIsDouble) {
  const GradientParam &p = GetParam();
  size_t spatial = p.kernel.size();
  KernelCase c{spatial == 2 ? "conv2d_weight_gradient" : "conv3d_weight_gradient",
               {{"kernel_size", p.kernel},
                {"strides", p.strides},
                {"paddings", p.paddings},
                {"dilations", p.dilations},
                {"groups", p.groups},
                {"data_format", p.channelLast ? "NHWC" : "NCHW"}},
               {},
               {}};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> numbers(-1, 1);
  for (const auto &dims : {p.input, p.cotangent}) {
    Tensor tensor(DType::Float64, stored(dims, p.channelLast));
    std::generate_n(tensor.as<double>(), tensor.size(), [&] { return numbers(random); });
    c.inputs.push_back(tensor);
  }
  std::vector<int64_t> filter{p.cotangent[1], p.input[1] / p.groups};
  filter.insert(filter.end(), p.kernel.begin(), p.kernel.end());
  c.outputs = {{DType::Float64, filter}};
  auto expected = runCase(c);
  ASSERT_TRUE(expected) << expected.diagnostics().text();
  for (Tensor &input : c.inputs)
    input = narrowed(input);
  c.outputs[0].first = DType::Float32;
  for (Dims dims : {Dims::Static, Dims::Dynamic}) {
    c.dims = dims;
    auto found = runCase(c);
    ASSERT_TRUE(found) << found.diagnostics().text();
    for (int64_t i = 0; i < found->front().size(); ++i)
      ASSERT_NEAR(found->front().as<float>()[i], expected->front().as<double>()[i], 2e-4) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Geometries, ConvGradientTest,
    ::testing::Values(
        GradientParam{{2, 16, 9, 9}, {2, 32, 9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, false},
        GradientParam{{2, 3, 12, 11}, {2, 16, 6, 5}, {3, 3}, {2, 2}, {1, 0, 1, 0}, {1, 1}, 1, true},
        GradientParam{{2, 8, 10, 10}, {2, 12, 6, 6}, {3, 3}, {1, 1}, {0, 0}, {2, 2}, 4, false},
        GradientParam{{2, 16, 8, 8}, {2, 16, 4, 4}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 16, true},
        GradientParam{{1, 5, 7, 7}, {1, 7, 7, 7}, {1, 1}, {1, 1}, {0, 0}, {1, 1}, 1, true},
        GradientParam{
            {1, 4, 5, 6, 5}, {1, 8, 4, 5, 4}, {2, 2, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1, false}));

/// Filters of one element with strides, for numbers of channels around multiples of vectors.
std::vector<GradientParam> stridedPoints() {
  std::vector<GradientParam> params;
  for (int64_t channels : {1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24})
    for (bool channelLast : {true, false}) {
      params.push_back({{2, channels, 9, 12}, {2, 5, 5, 6}, {1, 1}, {2, 2}, {0, 0}, {1, 1}, 1, channelLast});
      params.push_back({{1, channels, 10, 7}, {1, 17, 5, 7}, {1, 1}, {2, 1}, {0, 0}, {1, 1}, 1, channelLast});
    }
  return params;
}

INSTANTIATE_TEST_SUITE_P(StridedPoints, ConvGradientTest, ::testing::ValuesIn(stridedPoints()));

// A cotangent of other dims is refused.
TEST(ConvGradient, WrongExtents) {
  KernelCase c{"conv2d_weight_gradient", {{"kernel_size", {2, 2}}}, {}, {}};
  c.inputs = {Tensor(DType::Float32, {1, 1, 4, 4}), Tensor(DType::Float32, {1, 1, 4, 3})};
  c.outputs = {{DType::Float32, {1, 1, 2, 2}}};
  auto found = runCase(c);
  ASSERT_FALSE(found);
  EXPECT_NE(found.diagnostics().text().find("expected a cotangent of dims [1, 1, 3, 3], found [1, 1, 4, 3]"),
            std::string::npos)
      << found.diagnostics().text();
}

} // namespace
} // namespace proa::runtime
