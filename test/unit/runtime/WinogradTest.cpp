#include "lib/runtime/kernels/conv/WinogradConv.h"

#include "lib/runtime/host/ThreadPool.h"

#include "test/unit/runtime/ConvChoiceCase.h"
#include "test/unit/runtime/ConvDefinition.h"

#include "dialects/pd/ops/conv/Conv.kernels.inc"

#include <array>
#include <cmath>
#include <functional>

namespace proa::runtime {
namespace {

using nlohmann::json;

/// batch, channels in and out, height, width, paddings (top, bottom, left, right), expected tile size
using Geometry = std::array<int64_t, 10>;

Shape outputOf(const Geometry &g) { return {g[0], g[2], g[3] + g[5] + g[6] - 2, g[4] + g[7] + g[8] - 2}; }

/// 2 or 4; 0: another kernel is chosen.
int64_t tileDimOf(const Geometry &g, const ConvMachine &machine, bool isConstant = true) {
  ConvChoiceCase problem{{.paddings = {g[5], g[6], g[7], g[8]}, .dataFormat = DataFormat::NHWC},
                         {g[0], g[3], g[4], g[1]},
                         {g[2], g[1], 3, 3},
                         isConstant};
  ConvMethod method = choiceOf(problem, machine).method();
  return method == ConvMethod::Winograd2 ? 2 : method == ConvMethod::Winograd4 ? 4 : 0;
}

/// Random values, scaled so that results have the size of the input.
Tensor filterOf(const Geometry &g) {
  Tensor filter = randomFloats({g[2], g[1], 3, 3}, 2);
  for (int64_t i = 0; i < filter.size(); ++i)
    filter.as<float>()[i] /= std::sqrt(static_cast<float>(g[1]));
  return filter;
}

class Winograd : public ::testing::TestWithParam<Geometry> {};

TEST_P(Winograd, EqualsDefinition) {
  const Geometry &g = GetParam();
  EXPECT_EQ(tileDimOf(g, machineNamed("avx512")), g[9]);
  EXPECT_NE(tileDimOf(g, thisMachine()), 0);
  Tensor x = randomFloats({g[0], g[1], g[3], g[4]}, 1), w = filterOf(g);
  Shape out = outputOf(g);
  Tensor bias = randomFloats({g[2]}, 3), residual = randomFloats(out, 4), factor = randomFloats(out, 5);
  std::vector<double> expected = convolve(x, w, out, {{1, 1}, {g[5], g[7]}});
  auto plane = static_cast<size_t>(out[2] * out[3]), channels = static_cast<size_t>(out[1]);
  for (size_t i = 0; i < expected.size(); ++i) {
    double sum =
        expected[i] + double(bias.as<float>()[i / plane % channels]) + double(residual.as<float>()[i]);
    expected[i] = std::max(sum, 0.0) * double(factor.as<float>()[i]);
  }
  json ops = json::array({{{"kind", "bias"}}, {{"kind", "add"}}, {{"kind", "relu"}}, {{"kind", "multiply"}}});
  json attributes = {{"paddings", {g[5], g[6], g[7], g[8]}}, {"data_format", "NHWC"}, {"post_ops", ops}};
  for (bool constant : {true, false})
    for (Dims mode : {Dims::Static, Dims::Dynamic}) {
      KernelCase c{"fused_conv2d",
                   attributes,
                   {channelsLast(x), w, bias, channelsLast(residual), channelsLast(factor)},
                   {{DType::Float32, {out[0], out[2], out[3], out[1]}}},
                   constant ? std::vector<size_t>{1} : std::vector<size_t>(),
                   mode};
      auto result = runCase(c);
      ASSERT_TRUE(result) << result.diagnostics().text();
      expectClose((*result)[0], channelsLast(expected, out), 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Conv, Winograd,
    ::testing::Values(Geometry{1, 32, 32, 28, 28, 1, 1, 1, 1, 4},  // one block
                      Geometry{2, 20, 36, 29, 31, 1, 1, 1, 1, 4},  // parts of vectors and tiles
                      Geometry{1, 17, 40, 30, 27, 0, 2, 3, 0, 4},  // unequal paddings
                      Geometry{3, 32, 32, 60, 57, 0, 0, 0, 0, 4},  // several blocks
                      Geometry{1, 256, 256, 14, 14, 1, 1, 1, 1, 2} // large filter, few pixels
                      ));

/// Threads that compute blocks of their own, and that share each block.
TEST(WinogradConv, AnyNumberOfThreads) {
  for (const Geometry &g :
       {Geometry{1, 16, 32, 64, 63, 1, 1, 1, 1, 4}, Geometry{1, 64, 64, 16, 15, 1, 1, 1, 1, 4},
        Geometry{1, 256, 256, 14, 14, 1, 1, 1, 1, 2}}) {
    Tensor x = randomFloats({g[0], g[1], g[3], g[4]}, 1), w = filterOf(g);
    Shape out = outputOf(g);
    std::vector<double> expected = convolve(x, w, out, {{1, 1}, {1, 1}});
    for (int threads : {1, 2, 3, 5})
      for (bool constant : {true, false}) {
        ThreadScope scope(threads);
        KernelCase c{"conv2d",
                     {{"paddings", {1, 1}}, {"data_format", "NHWC"}},
                     {channelsLast(x), w},
                     {{DType::Float32, {out[0], out[2], out[3], out[1]}}},
                     constant ? std::vector<size_t>{1} : std::vector<size_t>()};
        auto result = runCase(c);
        ASSERT_TRUE(result) << result.diagnostics().text();
        expectClose((*result)[0], channelsLast(expected, out), 1e-5);
      }
  }
}

/// The gradient of a convolution by its input is a convolution.
TEST_P(Winograd, TransposedEqualsDefinition) {
  const Geometry &g = GetParam();
  Tensor w = filterOf({g[0], g[2], g[1]}), x = randomFloats({g[0], g[1], g[3], g[4]}, 1);
  int64_t crop[2] = {std::min<int64_t>(g[5], 1), std::min<int64_t>(g[7], 2)};
  Shape out{g[0], g[2], g[3] + 2 - 2 * crop[0], g[4] + 2 - 2 * crop[1]};
  ASSERT_NE(tileDimOf({g[0], g[1], g[2], g[3], g[4], 2 - crop[0], 2 - crop[0], 2 - crop[1], 2 - crop[1]},
                      thisMachine()),
            0);
  std::vector<double> expected = scatterConvolve(x, w, out, {{1, 1}, {crop[0], crop[1]}});
  json attributes = {{"paddings", {crop[0], crop[1]}}, {"data_format", "NHWC"}};
  KernelCase c{"conv2d_transpose",
               attributes,
               {channelsLast(x), w},
               {{DType::Float32, {out[0], out[2], out[3], out[1]}}},
               {1}};
  auto result = runCase(c);
  ASSERT_TRUE(result) << result.diagnostics().text();
  expectClose((*result)[0], channelsLast(expected, out), 1e-5);
}

TEST(WinogradConv, IsNotUsedWhereSlower) {
  ConvMachine machine = machineNamed("avx512");
  EXPECT_EQ(tileDimOf({1, 16, 16, 5, 5, 1, 1, 1, 1, 0}, machine), 0);
  EXPECT_EQ(tileDimOf({1, 512, 512, 7, 7, 1, 1, 1, 1, 0}, machine), 0);
  EXPECT_EQ(tileDimOf({1, 256, 256, 14, 14, 1, 1, 1, 1, 0}, machine, false), 0); // a filter that changes
}

/// The result overwrites the residual: both convolutions of x by w are added.
TEST(WinogradConv, ResidualInPlace) {
  constexpr Geometry g{1, 32, 32, 28, 28, 1, 1, 1, 1, 4};
  ASSERT_NE(tileDimOf(g, thisMachine()), 0);
  Tensor x = randomFloats({1, 32, 28, 28}, 1), w = filterOf(g);
  Shape image{1, 28, 28, 32};
  Plan plan;
  plan.values = {{DType::Float32, image, Storage::Feed, 0, none, "x"},
                 {DType::Float32, w.dims(), Storage::Parameter, 0, none, "w"},
                 {DType::Float32, image, Storage::Arena, 0, none, "first"},
                 {DType::Float32, image, Storage::Arena, 0, none, "second"}};
  plan.feeds = {0};
  plan.parameters = {1};
  for (ValueId out : {2, 3}) {
    Step step;
    step.kind = StepKind::Library;
    step.symbol = out == 3 ? "fused_conv2d" : "conv2d";
    step.attributes = {{"paddings", {1, 1}}, {"data_format", "NHWC"}};
    step.inputs = {0, 1};
    step.outputs = {out};
    if (out == 3) {
      step.inputs.push_back(2);
      step.attributes["post_ops"] = json::array({{{"kind", "add"}}});
    }
    plan.steps.push_back(step);
  }
  plan.fetches = {3};
  plan.fetchNames = {"second"};
  plan.arenaBytes = x.size() * static_cast<int64_t>(sizeof(float));
  auto executable = Executable::create(plan, "test", [](const std::string &) { return nullptr; });
  ASSERT_TRUE(executable) << executable.diagnostics().text();
  ASSERT_TRUE((*executable)->bindParameters({{"w", w}}));
  auto session = Session::create(*executable);
  auto result = (*session)->run({{"x", channelsLast(x)}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  std::vector<double> expected = convolve(x, w, x.dims(), {{1, 1}, {1, 1}});
  for (double &value : expected)
    value *= 2;
  expectClose((*result)[0], channelsLast(expected, x.dims()), 1e-5);
}

TEST(RowPostOps, VectorActivationsEqualScalarOnes) {
  std::vector<float> values{0.0f, -0.0f, NAN, 25.0f, -25.0f, 1e-6f, -1e-6f};
  for (float x = -8; x < 8; x += 0.0625f)
    values.push_back(x);
  std::vector<OperandType> factors(2), result(1);
  int found = 0;
  for (json op :
       {json{{"kind", "relu"}}, json{{"kind", "relu6"}, {"alpha", 6}},
        json{{"kind", "leaky_relu"}, {"alpha", 0.3}}, json{{"kind", "clip"}, {"alpha", -1.5}, {"beta", 2.5}},
        json{{"kind", "linear"}, {"alpha", 2.0}, {"beta", -1.0}}, json{{"kind", "abs"}},
        json{{"kind", "square"}}, json{{"kind", "hardswish"}},
        json{{"kind", "hardsigmoid"}, {"alpha", 0.2}, {"beta", 0.5}}, json{{"kind", "sigmoid"}},
        json{{"kind", "swish"}, {"alpha", 1.5}}, json{{"kind", "tanh"}}, json{{"kind", "mish"}},
        json{{"kind", "gelu_tanh"}}, json{{"kind", "gelu_erf"}}}) {
    SCOPED_TRACE(op.dump());
    auto attribute = readStored<PostOpAttribute>(op);
    ASSERT_TRUE(attribute) << attribute.diagnostics().text();
    auto ops = resolvePostOps({&*attribute, 1}, {factors, result});
    ASSERT_TRUE(ops) << ops.diagnostics().text();
    const PostOp &one = ops->front();
    ASSERT_NE(rowActivation(one), RowActivation::None);
    std::vector<float> row = values;
    activateRow(rowActivation(one), row.data(), static_cast<int64_t>(row.size()), one.alpha, one.beta);
    for (size_t i = 0; i < row.size(); ++i) {
      double want = applyActivation(one, double(values[i]));
      bool close = std::isnan(want) ? std::isnan(row[i])
                                    : std::abs(double(row[i]) - want) <= 1e-6 * (1 + std::abs(want));
      EXPECT_TRUE(close) << "of " << values[i] << ": " << row[i] << ", expected " << want;
    }
    ++found;
  }
  EXPECT_EQ(found, static_cast<int>(RowActivation::GeluErf)); // all of them
}

/// x / (1 + e^-x), as Paddle computes it: NaN at minus infinity, and zero for other large negative numbers.
TEST(RowPostOps, SwishOfLargeNumbers) {
  float row[] = {-INFINITY, -3e38f, -1e30f, -100, 100, 3e38f, INFINITY, NAN};
  activateRow(RowActivation::Swish, row, 8, 1, 0);
  EXPECT_TRUE(std::isnan(row[0])) << row[0];
  for (size_t i = 1; i < 4; ++i)
    EXPECT_EQ(row[i], 0) << i;
  EXPECT_EQ(row[4], 100);
  EXPECT_EQ(row[5], 3e38f);
  EXPECT_EQ(row[6], INFINITY);
  EXPECT_TRUE(std::isnan(row[7]));
}

/// The negative side of gelu, where 1 + erf(x) and 1 + tanh(x) would lose all digits.
TEST(RowPostOps, TailsOfGeluKeepTheirDigits) {
  auto geluErf = [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); };
  auto geluTanh = [](double x) {
    return x / (1 + std::exp(-2 * std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  };
  auto check = [](RowActivation kind, const std::function<double(double)> &expected) {
    std::vector<float> values;
    for (float x = -6; x < 8; x += 0.0009765625f)
      values.push_back(x);
    std::vector<float> row = values;
    activateRow(kind, row.data(), static_cast<int64_t>(row.size()), 0, 0);
    for (size_t i = 0; i < row.size(); ++i) {
      double want = expected(double(values[i]));
      EXPECT_NEAR(double(row[i]), want, 5e-6 * std::abs(want)) << "of " << values[i];
    }
    float extreme[] = {-14, -20, -1e30f, -INFINITY, INFINITY, NAN};
    activateRow(kind, extreme, 6, 0, 0);
    for (size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(extreme[i], 0, 1e-37) << i;
    EXPECT_EQ(extreme[4], INFINITY);
    EXPECT_TRUE(std::isnan(extreme[5]));
  };
  check(RowActivation::GeluErf, geluErf);
  check(RowActivation::GeluTanh, geluTanh);
}

} // namespace
} // namespace proa::runtime
