// Attention whose masks are computed from positions and lengths: kernels in float32, which have windows and
// lengths instead, and separate ops in float64, which have the masks.
#include "proa/Model.h"
#include "test/common/OpenSession.h"

#include "lib/base/support/Files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <regex>

using namespace proa;

namespace {

/// Computes %s, the masked scores, of the products %t [2, 2, 40, 40] and the lengths %n.
struct MaskedProgram {
  const char *name, *masks;
  std::vector<int64_t> lengths;
  double tolerance = 1e-5;
  bool hasZeroRows = false; ///< weights that are not numbers are replaced by zero

  std::string text(const std::string &type, bool isDynamic) const {
    std::string text = fmt::format(R"(
func.func @main(%q: tensor<2x2x40x8xf32>, %r: tensor<2x2x40x8xf32>, %v: tensor<2x2x40x8xf32>, %n: tensor<2xi64>)
    -> tensor<2x2x40x8xf32> {{
  %first = pd.constant dense<0> : tensor<i64>
  %one = pd.constant dense<1> : tensor<i64>
  %k = pd.subtract %q, %r : (tensor<2x2x40x8xf32>, tensor<2x2x40x8xf32>) -> tensor<2x2x40x8xf32>
  %size = pd.dim %q {{index = 2 : i64}} : (tensor<2x2x40x8xf32>) -> tensor<i64>
  %keys = pd.arange %first, %size, %one {{dtype = i64}} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<40xi64>
  %rows = pd.unsqueeze %keys {{axis = array<i64: 1>}} : (tensor<40xi64>) -> tensor<40x1xi64>
  %ends = pd.reshape %n {{shape = array<i64: 2, 1, 1, 1>}} : (tensor<2xi64>) -> tensor<2x1x1x1xi64>
  %three = pd.constant dense<3> : tensor<i64>
  %zero = pd.constant dense<0.0> : tensor<f32>
  %low = pd.constant dense<-1.0e+9> : tensor<f32>
  %none = pd.constant dense<0xFF800000> : tensor<f32>
  %least = pd.constant dense<-2.0e+30> : tensor<f32>
  %t = pd.matmul %q, %k {{transpose_y = true}} : (tensor<2x2x40x8xf32>, tensor<2x2x40x8xf32>) -> tensor<2x2x40x40xf32>
{}
  %w0 = pd.softmax %s : (tensor<2x2x40x40xf32>) -> tensor<2x2x40x40xf32>
  %isNan = pd.isnan %w0 : (tensor<2x2x40x40xf32>) -> tensor<2x2x40x40xi1>
  %w1 = pd.where %isNan, %zero, %w0
    : (tensor<2x2x40x40xi1>, tensor<f32>, tensor<2x2x40x40xf32>) -> tensor<2x2x40x40xf32>
  %o = pd.matmul %{}, %v : (tensor<2x2x40x40xf32>, tensor<2x2x40x8xf32>) -> tensor<2x2x40x8xf32>
  return %o : tensor<2x2x40x8xf32>
}})",
                                   masks, hasZeroRows ? "w1" : "w0");
    if (isDynamic)
      text = std::regex_replace(text, std::regex("([<x])40(?=x)"), "$1?");
    if (type == "f64")
      text = std::regex_replace(std::regex_replace(text, std::regex("f32"), "f64"), std::regex("0xFF800000"),
                                "0xFFF0000000000000");
    return text;
  }
};

class AttentionPositions : public testing::TestWithParam<MaskedProgram> {
protected:
  template <class T>
  static std::vector<double> run(const MaskedProgram &program, const std::string &target, bool isDynamic) {
    std::string path = (std::filesystem::path(testing::TempDir()) / "proa-attention-positions.mlir").string();
    EXPECT_TRUE(writeFile(path, program.text(sizeof(T) == 8 ? "f64" : "f32", isDynamic)));
    ModelOptions options;
    options.cacheDirectory = "off";
    options.target = target;
    options.specialization = Specialization::Never;
    auto session = openSession(path, options);
    EXPECT_TRUE(session) << session.diagnostics().text();
    if (!session)
      return {};
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1.5, 1.5);
    std::map<std::string, Tensor> feeds;
    for (const auto &feed : session->model().feeds()) {
      std::vector<int64_t> dims(feed.dims.begin(), feed.dims.end());
      std::ranges::replace_if(dims, [](int64_t dim) { return dim < 0; }, 40);
      Tensor tensor(feed.dtype, dims);
      if (feed.dtype == DType::Int64)
        std::ranges::copy(program.lengths, tensor.as<int64_t>());
      else
        for (int64_t i = 0; i < tensor.size(); ++i)
          tensor.as<T>()[i] = static_cast<T>(uniform(random));
      feeds.emplace(feed.name, tensor);
    }
    auto outputs = session->run(feeds);
    EXPECT_TRUE(outputs) << outputs.diagnostics().text();
    if (!outputs)
      return {};
    const Tensor &out = (*outputs)[0].tensor;
    return {out.as<T>(), out.as<T>() + out.size()};
  }
};

TEST_P(AttentionPositions, KernelsComputeTheMasks) {
  std::vector<double> expected = run<double>(GetParam(), "cpu", /*isDynamic=*/false);
  for (const char *target : {"cpu", "cuda-emulated"})
    for (bool isDynamic : {false, true}) {
      std::vector<double> found = run<float>(GetParam(), target, isDynamic);
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < found.size(); ++i)
        if (!std::isnan(expected[i]) || !std::isnan(found[i]))
          ASSERT_NEAR(found[i], expected[i], GetParam().tolerance)
              << target << (isDynamic ? " with dynamic dims at " : " at ") << i;
    }
}

constexpr const char *causalMask = R"(
  %c = pd.less_equal %keys, %rows : (tensor<40xi64>, tensor<40x1xi64>) -> tensor<40x40xi1>
  %s = pd.where %c, %t, %low : (tensor<40x40xi1>, tensor<2x2x40x40xf32>, tensor<f32>) -> tensor<2x2x40x40xf32>)";
constexpr const char *windowMask = R"(
  %b = pd.subtract %rows, %three : (tensor<40x1xi64>, tensor<i64>) -> tensor<40x1xi64>
  %x = pd.greater_than %keys, %b : (tensor<40xi64>, tensor<40x1xi64>) -> tensor<40x40xi1>
  %e = pd.add %rows, %three : (tensor<40x1xi64>, tensor<i64>) -> tensor<40x1xi64>
  %y = pd.less_than %keys, %e : (tensor<40xi64>, tensor<40x1xi64>) -> tensor<40x40xi1>
  %c = pd.logical_and %x, %y : (tensor<40x40xi1>, tensor<40x40xi1>) -> tensor<40x40xi1>
  %m = pd.where %c, %zero, %none : (tensor<40x40xi1>, tensor<f32>, tensor<f32>) -> tensor<40x40xf32>
  %s = pd.add %t, %m : (tensor<2x2x40x40xf32>, tensor<40x40xf32>) -> tensor<2x2x40x40xf32>)";
constexpr const char *lengthMask = R"(
  %c = pd.greater_equal %keys, %ends : (tensor<40xi64>, tensor<2x1x1x1xi64>) -> tensor<2x1x1x40xi1>
  %s = pd.where %c, %none, %t : (tensor<2x1x1x40xi1>, tensor<f32>, tensor<2x2x40x40xf32>) -> tensor<2x2x40x40xf32>)";
constexpr const char *finiteMask = R"(
  %l = pd.less_equal %ends, %keys : (tensor<2x1x1x1xi64>, tensor<40xi64>) -> tensor<2x1x1x40xi1>
  %f = pd.cast %l {dtype = f32} : (tensor<2x1x1x40xi1>) -> tensor<2x1x1x40xf32>
  %m = pd.scale %f {scale = -1.0E+4 : f64} : (tensor<2x1x1x40xf32>) -> tensor<2x1x1x40xf32>
  %s = pd.add %t, %m : (tensor<2x2x40x40xf32>, tensor<2x1x1x40xf32>) -> tensor<2x2x40x40xf32>)";
constexpr const char *bothMasks = R"(
  %l = pd.less_equal %ends, %keys : (tensor<2x1x1x1xi64>, tensor<40xi64>) -> tensor<2x1x1x40xi1>
  %f = pd.cast %l {dtype = f32} : (tensor<2x1x1x40xi1>) -> tensor<2x1x1x40xf32>
  %m = pd.scale %f {scale = -1.0E+4 : f64} : (tensor<2x1x1x40xf32>) -> tensor<2x1x1x40xf32>
  %c = pd.less_equal %keys, %rows : (tensor<40xi64>, tensor<40x1xi64>) -> tensor<40x40xi1>
  %w = pd.where %c, %zero, %low : (tensor<40x40xi1>, tensor<f32>, tensor<f32>) -> tensor<40x40xf32>
  %a = pd.add %m, %w : (tensor<2x1x1x40xf32>, tensor<40x40xf32>) -> tensor<2x1x40x40xf32>
  %s = pd.add %t, %a : (tensor<2x2x40x40xf32>, tensor<2x1x40x40xf32>) -> tensor<2x2x40x40xf32>)";
constexpr const char *oneMask = R"(
  %l = pd.less_than %keys, %ends : (tensor<40xi64>, tensor<2x1x1x1xi64>) -> tensor<2x1x1x40xi1>
  %c = pd.less_equal %keys, %rows : (tensor<40xi64>, tensor<40x1xi64>) -> tensor<40x40xi1>
  %a = pd.logical_and %l, %c : (tensor<2x1x1x40xi1>, tensor<40x40xi1>) -> tensor<2x1x40x40xi1>
  %s = pd.where %a, %t, %low : (tensor<2x1x40x40xi1>, tensor<2x2x40x40xf32>, tensor<f32>) -> tensor<2x2x40x40xf32>)";

// A condition of keys that is none of lengths, beside a bias of all heads.
constexpr const char *keysMask = R"(
  %c = pd.equal %keys, %ends : (tensor<40xi64>, tensor<2x1x1x1xi64>) -> tensor<2x1x1x40xi1>
  %slopes = pd.constant dense<[[[0.25]], [[0.0625]]]> : tensor<2x1x1xf32>
  %f = pd.cast %keys {dtype = f32} : (tensor<40xi64>) -> tensor<40xf32>
  %x = pd.cast %rows {dtype = f32} : (tensor<40x1xi64>) -> tensor<40x1xf32>
  %y = pd.subtract %f, %x : (tensor<40xf32>, tensor<40x1xf32>) -> tensor<40x40xf32>
  %b = pd.multiply %slopes, %y : (tensor<2x1x1xf32>, tensor<40x40xf32>) -> tensor<2x40x40xf32>
  %u = pd.add %t, %b : (tensor<2x2x40x40xf32>, tensor<2x40x40xf32>) -> tensor<2x2x40x40xf32>
  %s = pd.where %c, %none, %u : (tensor<2x1x1x40xi1>, tensor<f32>, tensor<2x2x40x40xf32>) -> tensor<2x2x40x40xf32>)";

// Padding at the left, so that queries before it have no keys: all keys that the number excludes have equal
// weights, also keys that two masks exclude.
constexpr const char *keysLast = R"(
  %x = pd.greater_equal %keys, %ends : (tensor<40xi64>, tensor<2x1x1x1xi64>) -> tensor<2x1x1x40xi1>
  %c = pd.less_equal %keys, %rows : (tensor<40xi64>, tensor<40x1xi64>) -> tensor<40x40xi1>
  %w = pd.where %c, %zero, %least : (tensor<40x40xi1>, tensor<f32>, tensor<f32>) -> tensor<40x40xf32>
  %u = pd.add %t, %w : (tensor<2x2x40x40xf32>, tensor<40x40xf32>) -> tensor<2x2x40x40xf32>
  %s = pd.where %x, %u, %least : (tensor<2x1x1x40xi1>, tensor<2x2x40x40xf32>, tensor<f32>) -> tensor<2x2x40x40xf32>)";
constexpr const char *keysFirst = R"(
  %x = pd.greater_equal %keys, %ends : (tensor<40xi64>, tensor<2x1x1x1xi64>) -> tensor<2x1x1x40xi1>
  %m = pd.where %x, %zero, %least : (tensor<2x1x1x40xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x40xf32>
  %u = pd.add %t, %m : (tensor<2x2x40x40xf32>, tensor<2x1x1x40xf32>) -> tensor<2x2x40x40xf32>
  %c = pd.less_equal %keys, %rows : (tensor<40xi64>, tensor<40x1xi64>) -> tensor<40x40xi1>
  %s = pd.where %c, %u, %least : (tensor<40x40xi1>, tensor<2x2x40x40xf32>, tensor<f32>) -> tensor<2x2x40x40xf32>)";
constexpr const char *threeMasks = R"(
  %x = pd.greater_equal %keys, %ends : (tensor<40xi64>, tensor<2x1x1x1xi64>) -> tensor<2x1x1x40xi1>
  %m = pd.where %x, %zero, %least : (tensor<2x1x1x40xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x40xf32>
  %u = pd.add %t, %m : (tensor<2x2x40x40xf32>, tensor<2x1x1x40xf32>) -> tensor<2x2x40x40xf32>
  %f = pd.cast %rows {dtype = f32} : (tensor<40x1xi64>) -> tensor<40x1xf32>
  %e = pd.cast %keys {dtype = f32} : (tensor<40xi64>) -> tensor<40xf32>
  %d = pd.sin %e : (tensor<40xf32>) -> tensor<40xf32>
  %b = pd.multiply %f, %d : (tensor<40x1xf32>, tensor<40xf32>) -> tensor<40x40xf32>
  %g = pd.add %u, %b : (tensor<2x2x40x40xf32>, tensor<40x40xf32>) -> tensor<2x2x40x40xf32>
  %c = pd.less_equal %keys, %rows : (tensor<40xi64>, tensor<40x1xi64>) -> tensor<40x40xi1>
  %s = pd.where %c, %g, %least : (tensor<40x40xi1>, tensor<2x2x40x40xf32>, tensor<f32>) -> tensor<2x2x40x40xf32>)";

// The numbers of keys do not change the number of the condition; the first query has no keys.
constexpr const char *smallMasks = R"(
  %x = pd.less_than %keys, %ends : (tensor<40xi64>, tensor<2x1x1x1xi64>) -> tensor<2x1x1x40xi1>
  %y = pd.cast %x {dtype = f32} : (tensor<2x1x1x40xi1>) -> tensor<2x1x1x40xf32>
  %m = pd.scale %y {scale = -1.0E+4 : f64} : (tensor<2x1x1x40xf32>) -> tensor<2x1x1x40xf32>
  %u = pd.add %t, %m : (tensor<2x2x40x40xf32>, tensor<2x1x1x40xf32>) -> tensor<2x2x40x40xf32>
  %f = pd.cast %rows {dtype = f32} : (tensor<40x1xi64>) -> tensor<40x1xf32>
  %e = pd.cast %keys {dtype = f32} : (tensor<40xi64>) -> tensor<40xf32>
  %d = pd.sin %e : (tensor<40xf32>) -> tensor<40xf32>
  %b = pd.multiply %f, %d : (tensor<40x1xf32>, tensor<40xf32>) -> tensor<40x40xf32>
  %g = pd.add %u, %b : (tensor<2x2x40x40xf32>, tensor<40x40xf32>) -> tensor<2x2x40x40xf32>
  %c = pd.less_than %keys, %rows : (tensor<40xi64>, tensor<40x1xi64>) -> tensor<40x40xi1>
  %s = pd.where %c, %g, %least : (tensor<40x40xi1>, tensor<2x2x40x40xf32>, tensor<f32>) -> tensor<2x2x40x40xf32>)";

// Positions and keys that must both be used.
constexpr const char *conjunction = R"(
  %x = pd.greater_equal %keys, %ends : (tensor<40xi64>, tensor<2x1x1x1xi64>) -> tensor<2x1x1x40xi1>
  %y = pd.not_equal %keys, %three : (tensor<40xi64>, tensor<i64>) -> tensor<40xi1>
  %z = pd.logical_and %x, %y : (tensor<2x1x1x40xi1>, tensor<40xi1>) -> tensor<2x1x1x40xi1>
  %c = pd.less_equal %keys, %rows : (tensor<40xi64>, tensor<40x1xi64>) -> tensor<40x40xi1>
  %a = pd.logical_and %c, %z : (tensor<40x40xi1>, tensor<2x1x1x40xi1>) -> tensor<2x1x40x40xi1>
  %m = pd.where %a, %zero, %none : (tensor<2x1x40x40xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x40x40xf32>
  %s = pd.add %t, %m : (tensor<2x2x40x40xf32>, tensor<2x1x40x40xf32>) -> tensor<2x2x40x40xf32>)";

/// With lengths of zero, where the number of the mask decides. Float32 rounds scores near -1e4 to 5e-4.
INSTANTIATE_TEST_SUITE_P(
    All, AttentionPositions,
    testing::Values(MaskedProgram{"causal", causalMask, {1, 2}}, MaskedProgram{"window", windowMask, {1, 2}},
                    MaskedProgram{"lengths", lengthMask, {5, 0}},
                    MaskedProgram{"finite", finiteMask, {23, 0}, 1e-3},
                    MaskedProgram{"beyond", finiteMask, {-3, 50}, 1e-3},
                    MaskedProgram{"both", bothMasks, {23, 0}, 1e-3}, MaskedProgram{"one", oneMask, {23, 0}},
                    MaskedProgram{"keys", keysMask, {23, 0}}, MaskedProgram{"last", keysLast, {5, 40}},
                    MaskedProgram{"first", keysFirst, {5, 40}}, MaskedProgram{"three", threeMasks, {5, 40}},
                    MaskedProgram{"small", smallMasks, {5, 40}, 1e-3},
                    MaskedProgram{"conjunction", conjunction, {5, 40}, 1e-5, true},
                    MaskedProgram{"zeros", lengthMask, {5, 0}, 1e-5, true},
                    MaskedProgram{"zerosOfKeys", keysMask, {23, 0}, 1e-5, true}),
    [](const auto &info) { return info.param.name; });

} // namespace
