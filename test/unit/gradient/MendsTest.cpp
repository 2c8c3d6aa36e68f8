// Derivatives at points where they were wrong, refused or a run error: the functions of the folder mends,
// with values by mathematics.
#include "proa/Autodiff.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

using namespace proa;

namespace {

Function load(const std::string &name) {
  std::ifstream file(PROA_SOURCE_DIR "/test/unit/gradient/mends/" + name + ".mlir");
  std::stringstream text;
  text << file.rdbuf();
  auto function = Function::parse(text.str());
  if (!function)
    throw std::runtime_error(function.diagnostics().text());
  return *function;
}

/// The transforms of a chain, "vmap vjp": vjp of vmap.
Result<Function> apply(Function function, const std::string &chain, int64_t examples) {
  std::stringstream words(chain);
  for (std::string word; words >> word;) {
    auto next = word == "vjp" ? vjp(function) : word == "jvp" ? jvp(function) : vmap(function, {}, examples);
    if (!next)
      return next;
    function = std::move(*next);
  }
  return function;
}

Tensor reals(std::vector<int64_t> dims, std::vector<double> values) {
  Tensor tensor(DType::Float64, std::move(dims));
  std::copy(values.begin(), values.end(), tensor.as<double>());
  return tensor;
}

Tensor integers(std::vector<int64_t> dims, std::vector<int64_t> values) {
  Tensor tensor(DType::Int64, std::move(dims));
  std::copy(values.begin(), values.end(), tensor.as<int64_t>());
  return tensor;
}

/// With a batch of one example: dims and values are the example's with a leading 1.
Tensor asBatch(const Tensor &tensor) {
  std::vector<int64_t> dims = tensor.dims();
  dims.insert(dims.begin(), 1);
  return tensor.dtype() == DType::Int64
             ? integers(dims, {tensor.as<int64_t>(), tensor.as<int64_t>() + tensor.size()})
             : reals(dims, {tensor.as<double>(), tensor.as<double>() + tensor.size()});
}

/// The last results of `chain` are `expected`.
void expectLast(const std::string &file, const std::string &chain, std::vector<Tensor> arguments,
                const std::vector<std::vector<double>> &expected) {
  SCOPED_TRACE(file + ": " + chain);
  auto transformed = apply(load(file), chain, 1);
  ASSERT_TRUE(transformed) << transformed.diagnostics().text();
  if (chain.find("vmap") != std::string::npos)
    for (Tensor &argument : arguments)
      argument = asBatch(argument);
  auto results = transformed->run(arguments);
  ASSERT_TRUE(results) << results.diagnostics().text();
  for (size_t r = 0; r < expected.size(); ++r) {
    const Tensor &actual = (*results)[results->size() - expected.size() + r];
    ASSERT_EQ(actual.size(), static_cast<int64_t>(expected[r].size()));
    for (int64_t i = 0; i < actual.size(); ++i)
      EXPECT_NEAR(actual.as<double>()[i], expected[r][static_cast<size_t>(i)], 1e-12) << r << ", " << i;
  }
}

/// With and without a batch, in every position of it.
void expectEverywhere(const std::string &file, const std::string &chain, const std::vector<Tensor> &arguments,
                      const std::vector<std::vector<double>> &expected) {
  std::vector<std::string> words;
  std::stringstream stream(chain);
  for (std::string word; stream >> word;)
    words.push_back(word);
  expectLast(file, chain, arguments, expected);
  for (size_t position = 0; position <= words.size(); ++position) {
    std::vector<std::string> with = words;
    with.insert(with.begin() + static_cast<ptrdiff_t>(position), "vmap");
    std::string text;
    for (const std::string &word : with)
      text += word + " ";
    expectLast(file, text, arguments, expected);
  }
}

TEST(MendsTest, ProductWithZero) {
  Tensor x = reals({3}, {2, 0, 3}), one = reals({}, {1}), t = reals({3}, {0, 1, 0}), zero = reals({}, {0});
  expectEverywhere("prod", "vjp", {x, one}, {{0, 6, 0}});
  // Of the gradient [x1 x2, x0 x2, x0 x1] along x1.
  expectEverywhere("prod", "vjp jvp", {x, one, t, zero}, {{3, 0, 2}});
}

TEST(MendsTest, LogitFarBelowTheMaximum) {
  Tensor x = reals({1, 3}, {0, -100, 100}), label = integers({1, 1}, {0});
  expectEverywhere("xent", "vjp", {x, label, reals({1, 1}, {1})}, {{-1, 0, 1}});
  expectEverywhere("xent", "jvp", {x, label, reals({1, 3}, {1, 0, 0})}, {{-1}});
}

TEST(MendsTest, SoftLabelsThatDoNotAddUpToOne) {
  Tensor x = reals({1, 3}, {0, 0, 0}), label = reals({1, 3}, {2, 1, 0}), one = reals({1, 1}, {1});
  double l = std::log(3);
  expectEverywhere("xent_soft", "vjp", {x, label, one}, {{-1, 0, 1}, {l, l, l}});
  // sum(label) * softmax - label along a change of the first label.
  Tensor none = reals({1, 3}, {0, 0, 0}), t = reals({1, 3}, {1, 0, 0}), zero = reals({1, 1}, {0});
  expectEverywhere("xent_soft", "vjp jvp", {x, label, one, none, t, zero},
                   {{-2.0 / 3, 1.0 / 3, 1.0 / 3}, {0, 0, 0}});
}

TEST(MendsTest, BinaryCrossEntropyAtTheEnds) {
  Tensor x = reals({3}, {0, 1, 0.5}), label = reals({3}, {0, 1, 1}), one = reals({3}, {1, 1, 1});
  expectEverywhere("bce", "vjp", {x, label, one}, {{0, 0, -2}, {100, -100, 0}});
}

TEST(MendsTest, OverwrittenUpdates) {
  Tensor x = reals({3, 1}, {1, 2, 3}), rows = integers({3}, {2, 0, 2}), u = reals({3, 1}, {4, 5, 6}),
         cotangent = reals({3, 1}, {7, 8, 9});
  expectEverywhere("scatter", "vjp", {x, rows, u, cotangent}, {{0, 8, 0}, {0, 7, 9}});
  expectEverywhere("scatter", "jvp", {x, rows, u, reals({3, 1}, {1, 1, 1}), reals({3, 1}, {10, 20, 30})},
                   {{20, 1, 30}});
}

TEST(MendsTest, PowerAtZero) {
  Tensor x = reals({3}, {0, 0, 2}), y = reals({3}, {2, 1, 3}), one = reals({3}, {1, 1, 1}),
         none = reals({3}, {0, 0, 0});
  expectEverywhere("pow", "vjp", {x, y, one}, {{0, 1, 12}, {0, 0, 8 * std::log(2)}});
  expectEverywhere("pow", "jvp", {x, y, one, none}, {{0, 1, 12}});
  // The second and third derivatives along x: y (y - 1) x^(y - 2) and so on.
  expectEverywhere("pow", "jvp jvp", {x, y, one, none, one, none, none, none}, {{2, 0, 12}});
  std::vector<Tensor> third{x, y, one, none, one, none, none, none};
  for (int i = 0; i < 8; ++i)
    third.push_back(i == 0 ? one : none);
  expectLast("pow", "jvp jvp jvp", third, {{0, 0, 6}});
}

TEST(MendsTest, ZeroNorm) {
  Tensor x = reals({3}, {0, 0, 0}), one = reals({3}, {1, 2, 3});
  expectEverywhere("clip_by_norm", "vjp", {x, one}, {{1, 2, 3}});
  expectEverywhere("clip_by_norm", "jvp", {x, one}, {{1, 2, 3}});
}

TEST(MendsTest, ZeroLabel) {
  Tensor x = reals({3}, {0.5, 1, 2}), label = reals({3}, {0, 1, 0}), one = reals({3}, {1, 1, 1});
  expectEverywhere("kldiv", "vjp", {x, label, one}, {{0, -1, 0}, {0, 0, 0}});
  expectEverywhere("kldiv", "jvp", {x, label, one, one}, {{0, -1, 0}});
}

TEST(MendsTest, SingularMatrix) {
  Tensor x = reals({2, 2}, {1, 2, 2, 4}), one = reals({}, {1}), zero = reals({}, {0});
  expectEverywhere("det", "vjp", {x, one}, {{4, -2, -2, 1}});
  expectEverywhere("det", "vjp jvp", {x, one, reals({2, 2}, {1, 0, 0, 0}), zero}, {{0, 0, 0, 1}});
}

/// A static and a dynamic number of examples, also of the gradients.
void expectSameWithDynamicExamples(const std::string &file, const std::vector<Tensor> &arguments) {
  for (const char *chain : {"vmap", "vjp vmap", "vmap vjp"}) {
    SCOPED_TRACE(file + ": " + chain);
    auto dynamic = apply(load(file), chain, -1), fixed = apply(load(file), chain, 2);
    ASSERT_TRUE(dynamic) << dynamic.diagnostics().text();
    ASSERT_TRUE(fixed) << fixed.diagnostics().text();
    std::vector<Tensor> given = arguments;
    if (std::string(chain) != "vmap") {
      auto first = apply(load(file), "vmap", 2)->run(arguments);
      ASSERT_TRUE(first) << first.diagnostics().text();
      given.push_back((*first)[0]);
    }
    auto expected = fixed->run(given), actual = dynamic->run(given);
    ASSERT_TRUE(expected) << expected.diagnostics().text();
    ASSERT_TRUE(actual) << actual.diagnostics().text();
    ASSERT_EQ(expected->size(), actual->size());
    for (size_t r = 0; r < expected->size(); ++r) {
      ASSERT_EQ((*expected)[r].dims(), (*actual)[r].dims());
      for (int64_t i = 0; i < (*expected)[r].size(); ++i)
        EXPECT_NEAR((*expected)[r].as<double>()[i], (*actual)[r].as<double>()[i], 1e-12);
    }
  }
}

Tensor waves(const std::vector<int64_t> &dims, double base = 0) {
  Tensor tensor(DType::Float64, dims);
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<double>()[i] = base + std::sin(static_cast<double>(i + 1));
  return tensor;
}

TEST(MendsTest, DynamicDimsAreBatched) {
  expectSameWithDynamicExamples("gammaincc", {waves({2, 3}, 2), waves({2, 3}, 2)});
  expectSameWithDynamicExamples("conv_open", {waves({2, 1, 3, 4, 5}), waves({2, 4, 3, 3, 3})});
  expectSameWithDynamicExamples("lu", {waves({2, 3, 3}, 0.5)});
}

/// Loops with a trip count for each example, whose gradients read initial values of iterations.
TEST(MendsTest, GradientsOfLoopsWithDynamicDims) {
  auto gradient = grad(load("while"));
  ASSERT_TRUE(gradient) << gradient.diagnostics().text();
  for (int64_t examples : {int64_t(2), int64_t(-1)}) {
    auto batched = vmap(*gradient, {}, examples);
    ASSERT_TRUE(batched) << batched.diagnostics().text();
    auto all = batched->run({reals({2, 2}, {0.5, 1, -1, 2}), integers({2, 1}, {1, 3})});
    ASSERT_TRUE(all) << all.diagnostics().text();
    for (int64_t i = 0; i < 4; ++i) {
      double x = std::vector<double>{0.5, 1, -1, 2}[static_cast<size_t>(i)], expected = std::cos(x);
      for (int step = 1; step < (i < 2 ? 1 : 3); ++step)
        expected *= std::cos(x = std::sin(x));
      EXPECT_NEAR((*all)[0].as<double>()[i], expected, 1e-14);
    }
  }
}

TEST(MendsTest, ErrorsDoNotPrintFunctions) {
  auto gradient = grad(load("bce"));
  ASSERT_FALSE(gradient);
  EXPECT_EQ(gradient.diagnostics().text().find("pd.bce_loss"), std::string::npos)
      << gradient.diagnostics().text();
  EXPECT_NE(gradient.diagnostics().text().find("expected one element"), std::string::npos);
}

} // namespace
