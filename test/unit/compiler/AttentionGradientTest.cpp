// pd.fused_attention_grad as a program: its formula in double precision with differences of
// pd.fused_attention, and its kernels for CPUs and GPUs with the formula.
#include "proa/Model.h"
#include "test/common/OpenSession.h"

#include "lib/base/support/Files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <regex>

using namespace proa;

namespace {

/// An attention of four query heads, two heads of keys, and its gradients. The gradient of the scores, the
/// last result, is a sum over the heads: the gradient of the mask.
struct Program {
  const char *name;
  const char *attributes; ///< that both ops have
  bool hasMask = false, hasLengths = false, hasDropout = false, isShard = false, isCondition = false,
       hasKeyMask = false, isKeyCondition = false;

  std::string text(const std::string &type) const {
    std::string q = fmt::format("tensor<2x7x4x6x{}>", type), k = fmt::format("tensor<2x2x9x6x{}>", type),
                v = fmt::format("tensor<2x2x9x5x{}>", type), out = fmt::format("tensor<2x4x7x5x{}>", type),
                row = fmt::format("tensor<2x4x7x{}>", type), mask = fmt::format("tensor<2x1x7x9x{}>", type);
    std::string last = fmt::format("{}{}{}{}{}", hasMask ? (isCondition ? ", %o" : ", %m") : "",
                                   hasLengths ? ", %n" : "", hasDropout ? ", %c" : "", isShard ? ", %b" : "",
                                   hasKeyMask ? (isKeyCondition ? ", %f" : ", %e") : ""),
                types = fmt::format(
                    "{}{}{}{}{}", hasMask ? ", " + (isCondition ? "tensor<2x1x7x9xi1>" : mask) : "",
                    hasLengths ? ", tensor<2xi32>" : "", hasDropout ? ", tensor<2xi64>" : "",
                    isShard ? ", tensor<4xi64>" : "",
                    hasKeyMask ? fmt::format(", tensor<2x1x1x9x{}>", isKeyCondition ? "i1" : type) : ""),
                segments = fmt::format("{:d}, {:d}, {:d}, {:d}, {:d}", hasMask, hasLengths, hasDropout,
                                       isShard, hasKeyMask);
    return fmt::format(
        R"(func.func @main(%q: {0}, %k: {1}, %v: {2}, %g: {3}, %m: {5}) -> ({3}, {0}, {1}, {2}, {10}) {{
  %n = pd.constant dense<[5, 9]> : tensor<2xi32>
  %z = pd.constant dense<0.5> : tensor<{11}>
  %o = pd.less_than %m, %z : ({5}, tensor<{11}>) -> tensor<2x1x7x9xi1>
  %c = pd.constant dense<[5, 9]> : tensor<2xi64>
  %b = pd.constant dense<[1, 3, 2, 0]> : tensor<4xi64>
  %e = pd.constant dense<[[[[0.5, -1.0, 0.25, 2.0, -30.0, 0.0, 1.0, -0.5, 0.75]]],
                          [[[-2.0, 1.5, -30.0, 0.0, 0.125, 1.0, -1.0, 0.5, 0.25]]]]> : tensor<2x1x1x9x{11}>
  %f = pd.less_than %e, %z : (tensor<2x1x1x9x{11}>, tensor<{11}>) -> tensor<2x1x1x9xi1>
  %0:3 = "pd.fused_attention"(%q, %k, %v{6}) <{{operandSegmentSizes = array<i32: 1, 1, 1, {8}>, {9}}}>
      : ({0}, {1}, {2}{7}) -> ({3}, {4}, {4})
  %1:3 = "pd.fused_attention_grad"(%q, %k, %v, %g, %0#1, %0#2, %0#0{6})
      <{{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, {8}>, {9}}}>
      : ({0}, {1}, {2}, {3}, {4}, {4}, {3}{7}) -> ({0}, {1}, {2})
  %2 = pd.multiply %g, %0#0 : ({3}, {3}) -> {3}
  %3 = pd.sum %2 {{axis = array<i64: 3>}} : ({3}) -> {4}
  %4 = "pd.fused_attention_score_grad"(%q, %k, %v, %g, %0#1, %0#2, %3{6})
      <{{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, {8}>, sum_heads = true, {9}}}>
      : ({0}, {1}, {2}, {3}, {4}, {4}, {4}{7}) -> {10}
  return %0#0, %1#0, %1#1, %1#2, %4 : {3}, {0}, {1}, {2}, {10}
}})",
        q, k, v, out, row, mask, last, types, segments, attributes, mask, type);
  }
};

class AttentionGradient : public testing::TestWithParam<Program> {
protected:
  using Numbers = std::vector<double>;

  static Result<Session> open(const std::string &text, const std::string &target) {
    std::string path = (std::filesystem::path(testing::TempDir()) / "proa-attention-test.mlir").string();
    EXPECT_TRUE(writeFile(path, text));
    ModelOptions options;
    options.cacheDirectory = "off";
    options.target = target;
    return openSession(path, options);
  }

  /// q, k, v, the gradient of the result, and the mask.
  static std::vector<Numbers> inputs() {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1.5, 1.5);
    std::vector<Numbers> all;
    for (size_t size : {336, 216, 180, 280, 126}) {
      all.emplace_back(size);
      for (double &value : all.back())
        value = static_cast<float>(uniform(random));
    }
    return all;
  }

  template <class T> static std::vector<Numbers> run(Session &session, const std::vector<Numbers> &inputs) {
    std::map<std::string, Tensor> feeds;
    for (const auto &feed : session.model().feeds()) {
      Tensor tensor(feed.dtype, std::vector<int64_t>(feed.dims.begin(), feed.dims.end()));
      std::ranges::copy(inputs[feeds.size()], tensor.as<T>());
      feeds.emplace(feed.name, tensor);
    }
    auto outputs = session.run(feeds);
    EXPECT_TRUE(outputs) << outputs.diagnostics().text();
    std::vector<Numbers> results;
    for (const auto &output : *outputs)
      results.emplace_back(output.tensor.as<T>(), output.tensor.as<T>() + output.tensor.size());
    return results;
  }

  static double product(const Numbers &x, const Numbers &y) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i)
      sum += x[i] * y[i];
    return sum;
  }
};

TEST_P(AttentionGradient, IsTheDerivative) {
  auto session = open(GetParam().text("f64"), "cpu");
  ASSERT_TRUE(session) << session.diagnostics().text();
  std::vector<Numbers> given = inputs(), found = run<double>(*session, given);
  constexpr double step = 1e-5;
  for (auto [operand, result] : {std::pair(0U, 1U), std::pair(1U, 2U), std::pair(2U, 3U), std::pair(4U, 4U)})
    for (size_t i = operand;
         i < given[operand].size() && (operand < 4 || (GetParam().hasMask && !GetParam().isCondition));
         i += 23) {
      auto lossAt = [&](double change) {
        std::vector<Numbers> changed = given;
        changed[operand][i] += change;
        return product(run<double>(*session, changed)[0], given[3]);
      };
      double slope = (lossAt(step) - lossAt(-step)) / (2 * step);
      EXPECT_NEAR(found[result][i], slope, 1e-8) << GetParam().name << " " << operand << " " << i;
    }
}

TEST_P(AttentionGradient, HasTheKernelsOfTheFormula) {
  auto exact = open(GetParam().text("f64"), "cpu");
  ASSERT_TRUE(exact) << exact.diagnostics().text();
  std::vector<Numbers> given = inputs(), expected = run<double>(*exact, given);
  for (const char *target : {"cpu", "cuda-emulated"}) {
    auto kernels = open(GetParam().text("f32"), target);
    ASSERT_TRUE(kernels) << kernels.diagnostics().text();
    std::vector<Numbers> found = run<float>(*kernels, given);
    for (size_t result = 0; result < 5; ++result)
      for (size_t i = 0; i < expected[result].size(); ++i)
        ASSERT_NEAR(found[result][i], expected[result][i], 5e-6)
            << GetParam().name << " " << target << " " << result << " " << i;
  }
}

/// The loss, and the weights that the next step reads, in double precision.
using Step = std::vector<std::vector<double>>;

template <class T> std::vector<double> numbersOf(const Tensor &tensor) {
  return {tensor.as<T>(), tensor.as<T>() + tensor.size()};
}

/// Three steps of a training program whose first feed is data, and the others are results of the step before.
template <class T> std::vector<Step> train(const std::string &path, const std::string &target) {
  ModelOptions options;
  options.cacheDirectory = "off";
  options.target = target;
  std::vector<Step> steps;
  auto session = openSession(path, options);
  EXPECT_TRUE(session) << session.diagnostics().text();
  if (!session)
    return steps;
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 0.5F);
  std::vector<std::string> names;
  std::map<std::string, Tensor> feeds;
  for (const auto &feed : session->model().feeds()) {
    Tensor tensor(feed.dtype, std::vector<int64_t>(feed.dims.begin(), feed.dims.end()));
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.as<T>()[i] = static_cast<T>(normal(random));
    names.push_back(feed.name);
    feeds.emplace(feed.name, tensor);
  }
  for (int step = 0; step < 3; ++step) {
    auto outputs = session->run(feeds);
    EXPECT_TRUE(outputs) << outputs.diagnostics().text();
    if (!outputs)
      break;
    Step &own = steps.emplace_back();
    for (size_t i = 0; i < outputs->size(); ++i) {
      own.push_back(numbersOf<T>((*outputs)[i].tensor));
      if (i > 0)
        feeds[names[i]] = (*outputs)[i].tensor;
    }
  }
  return steps;
}

void expectNear(const std::vector<Step> &found, const std::vector<Step> &expected) {
  ASSERT_EQ(found.size(), 3U);
  ASSERT_EQ(expected.size(), 3U);
  EXPECT_LT(expected[2][0][0], expected[0][0][0]); // the loss
  for (size_t step = 0; step < 3; ++step)
    for (size_t result = 0; result < 4; ++result)
      for (size_t i = 0; i < expected[step][result].size(); ++i)
        ASSERT_NEAR(found[step][result][i], expected[step][result][i],
                    1e-5 * (1 + std::abs(expected[step][result][i])))
            << step << " " << result << " " << i;
}

constexpr const char *training = PROA_FUSE_TESTS "/attention-dropout-training.mlir";

// The mask that the kernels compute equals the mask of the random op on the CPU, in each step, and so are the
// numbers of the dropout that follows.
TEST(AttentionDropout, TrainsAsTheCpu) {
  expectNear(train<float>(training, "cuda-emulated"), train<float>(training, "cpu"));
}

// With 128 queries instead of 12 the CPU has kernels of attention in float32, but not in float64.
TEST(AttentionDropout, TrainsAsSeparateOps) {
  auto text = readFile(training);
  ASSERT_TRUE(text) << text.diagnostics().text();
  // $01 is group 1, whatever digit follows.
  std::string more = std::regex_replace(*text, std::regex("([x ])12(?=[x,])"), "$01128");
  more = std::regex_replace(more, std::regex("([< ])24(?=[x,])"), "$01256");
  more = std::regex_replace(more, std::regex("<0.02>"), "<0.002>"); // of the step
  std::string path = (std::filesystem::path(testing::TempDir()) / "proa-dropout-").string();
  ASSERT_TRUE(writeFile(path + "f32.mlir", more));
  ASSERT_TRUE(writeFile(path + "f64.mlir", std::regex_replace(more, std::regex("f32"), "f64")));
  expectNear(train<float>(path + "f32.mlir", "cpu"), train<double>(path + "f64.mlir", "cpu"));
}

constexpr const char *plain = "q_permutation = array<i64: 0, 2, 1, 3>, scale = 0.4";
const Program programs[] = {
    {"plain", plain},
    {"mask", plain, /*hasMask=*/true},
    {"condition", "mask_fill = 0.25, q_permutation = array<i64: 0, 2, 1, 3>, scale = 0.4",
     /*hasMask=*/true, /*hasLengths=*/false, /*hasDropout=*/false,
     /*isShard=*/false, /*isCondition=*/true},
    {"lengths", plain, /*hasMask=*/false, /*hasLengths=*/true},
    {"dropout", "dropout_p = 0.3, q_permutation = array<i64: 0, 2, 1, 3>, scale = 0.4",
     /*hasMask=*/false, /*hasLengths=*/false, /*hasDropout=*/true},
    {"shard",
     "dropout_p = 0.3, q_permutation = array<i64: 0, 2, 1, 3>, scale = 0.4, "
     "whole_shape = array<i64: 3, 8, 11, 9>",
     /*hasMask=*/false, /*hasLengths=*/false, /*hasDropout=*/true, /*isShard=*/true},
    {"key_mask", plain, /*hasMask=*/true, /*hasLengths=*/false, /*hasDropout=*/false, /*isShard=*/false,
     /*isCondition=*/false, /*hasKeyMask=*/true},
    {"key_condition", "mask_fill = 0.25, q_permutation = array<i64: 0, 2, 1, 3>, scale = 0.4",
     /*hasMask=*/true, /*hasLengths=*/false, /*hasDropout=*/false, /*isShard=*/false,
     /*isCondition=*/false, /*hasKeyMask=*/true, /*isKeyCondition=*/true},
    {"conditions", "mask_fill = 0.25, q_permutation = array<i64: 0, 2, 1, 3>, scale = 0.4",
     /*hasMask=*/true, /*hasLengths=*/false, /*hasDropout=*/false, /*isShard=*/false,
     /*isCondition=*/true, /*hasKeyMask=*/true, /*isKeyCondition=*/true},
    {"causal", "causal = true, q_permutation = array<i64: 0, 2, 1, 3>, scale = 0.4"},
    {"soft_cap", "soft_cap = 0.5, q_permutation = array<i64: 0, 2, 1, 3>, scale = 0.4", /*hasMask=*/true},
    {"window", "left_window = 3, q_permutation = array<i64: 0, 2, 1, 3>, right_window = 1, scale = 0.4, "
               "soft_cap = 0.5"}};
INSTANTIATE_TEST_SUITE_P(All, AttentionGradient, testing::ValuesIn(programs),
                         [](const auto &info) { return info.param.name; });

} // namespace
