// Code that is optimized while sessions run.
#include "test/unit/session/Programs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <thread>

using namespace proa;

namespace {

/// y = the sum of x over its rows after 20 times exp(tanh(x)): a program of kernels only.
std::string kernelsProgram() {
  std::string body, last = "%x";
  for (int i = 0; i < 20; ++i) {
    body +=
        fmt::format("  %t{0} = pd.tanh {1} : (tensor<8x16xf32>) -> tensor<8x16xf32>\n"
                    "  %e{0} = pd.exp %t{0} : (tensor<8x16xf32>) -> tensor<8x16xf32>\n"
                    "  %c{0} = pd.cumsum %e{0} {{axis = 1 : i64}} : (tensor<8x16xf32>) -> tensor<8x16xf32>\n",
                    i, last);
    last = fmt::format("%c{}", i);
  }
  return fmt::format("func.func @main(%x: tensor<8x16xf32> {{pd.feed = \"x\"}}) -> (tensor<8x16xf32> "
                     "{{pd.fetch = \"y\"}}) {{\n{}  return {} : tensor<8x16xf32>\n}}\n",
                     body, last);
}

/// The same by its definition.
std::vector<double> expectedOf(const Tensor &x) {
  std::vector<double> values(x.as<float>(), x.as<float>() + x.size());
  for (int i = 0; i < 20; ++i)
    for (size_t row = 0; row < 8; ++row) {
      double sum = 0;
      for (size_t column = 0; column < 16; ++column) {
        double &value = values[row * 16 + column];
        value = sum += std::exp(std::tanh(value));
      }
    }
  return values;
}

Result<Model> open(CodeOptimization optimization, const std::string &cache = "off") {
  std::string path = temporaryFile("kernels.mlir");
  EXPECT_TRUE(writeFile(path, kernelsProgram()));
  ModelOptions options;
  options.cacheDirectory = cache;
  options.threads = 1;
  options.codeOptimization = optimization;
  return Model::open(path, options);
}

/// The largest relative error of a run.
double errorOf(Session &session, const Tensor &x, const std::vector<double> &expected) {
  auto ran = session.run({{"x", x}});
  if (!ran)
    return INFINITY;
  double error = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    error = std::max(error, std::fabs(ran->front().tensor.as<float>()[i] / expected[i] - 1));
  return error;
}

TEST(CodeOptimization, SessionsRunWhileTheirCodeIsReplaced) {
  auto model = open(CodeOptimization::Background);
  ASSERT_TRUE(model) << model.diagnostics().text();
  Tensor x = numbers({8, 16}, 3);
  std::vector<double> expected = expectedOf(x);
  auto first = model->session();
  ASSERT_TRUE(first);
  EXPECT_LT(errorOf(*first, x, expected), 1e-5);
  std::atomic<bool> isOptimized = false;
  std::atomic<int> wrong = 0, after = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      auto session = model->session();
      for (int run = 0; session && run < 100;) {
        run += isOptimized;
        after += isOptimized;
        wrong += errorOf(*session, x, expected) > 1e-5;
      }
    });
  first->finishCompilation();
  isOptimized = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(after, 300);
}

TEST(CodeOptimization, TheCacheGetsTheOptimizedCode) {
  std::string cache = temporaryFile("cache");
  Tensor x = numbers({8, 16}, 3);
  std::vector<double> expected = expectedOf(x);
  auto bytes = [&] {
    uintmax_t sum = 0;
    for (const auto &entry : std::filesystem::directory_iterator(cache))
      sum += entry.file_size();
    return sum;
  };
  uintmax_t optimized = 0;
  for (bool isFirst : {true, false}) {
    auto model = open(CodeOptimization::Background, cache);
    ASSERT_TRUE(model) << model.diagnostics().text();
    auto session = model->session();
    EXPECT_LT(errorOf(*session, x, expected), 1e-5);
    EXPECT_EQ(session->times().fromCache, !isFirst);
    session->finishCompilation();
    if (isFirst)
      optimized = bytes();
  }
  EXPECT_EQ(bytes(), optimized);
  auto model = open(CodeOptimization::Always, cache);
  auto session = model->session();
  EXPECT_LT(errorOf(*session, x, expected), 1e-5);
  EXPECT_TRUE(session->times().fromCache);
  std::filesystem::remove_all(cache);
}

TEST(CodeOptimization, AModelMayEndBeforeItsCodeIsOptimized) {
  std::string cache = temporaryFile("early");
  Tensor x = numbers({8, 16}, 3);
  std::vector<double> expected = expectedOf(x);
  for (auto optimization :
       {CodeOptimization::Background, CodeOptimization::Background, CodeOptimization::Always}) {
    auto model = open(optimization, cache);
    ASSERT_TRUE(model) << model.diagnostics().text();
    EXPECT_LT(errorOf(*model->session(), x, expected), 1e-5);
  }
  std::filesystem::remove_all(cache);
}

/// A training program has the code that it keeps from the first step on.
TEST(CodeOptimization, ProgramsWithStatesAreOptimizedAtOnce) {
  std::vector<std::string> caches = {temporaryFile("background"), temporaryFile("always")};
  std::vector<uintmax_t> sizes;
  for (size_t i = 0; i < 2; ++i) {
    ModelOptions options;
    options.codeOptimization = i == 0 ? CodeOptimization::Background : CodeOptimization::Always;
    auto model = openCounter(std::move(options), caches[i]);
    ASSERT_TRUE(model) << model.diagnostics().text();
    ASSERT_TRUE(model->session()->run({{"x", numbers({1}, 1)}}));
    for (const auto &entry : std::filesystem::directory_iterator(caches[i]))
      sizes.push_back(entry.file_size());
    std::filesystem::remove_all(caches[i]);
  }
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_EQ(sizes[0], sizes[1]);
}

} // namespace
