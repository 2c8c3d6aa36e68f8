// Random numbers: published test vectors of the generator, distributions by moments and by the
// Kolmogorov-Smirnov bound (fixed seeds, so that results are stable), and independence of the number of
// threads.
#include "KernelHarness.h"

#include "lib/runtime/host/Random.h"
#include "lib/runtime/host/ThreadPool.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace proa::runtime {
namespace {

// kat_vectors of the Random123 library.
TEST(Philox, MatchesPublishedVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

constexpr int64_t many = 100000;

Tensor draw(const std::string &kernel, nlohmann::json attributes, DType dtype = DType::Float64,
            std::vector<Tensor> inputs = {}, std::vector<int64_t> dims = {many}) {
  if (inputs.empty()) {
    attributes["shape"] = dims;
    attributes["dtype"] = nameOf(dtype);
  }
  if (!attributes.contains("seed"))
    attributes["seed"] = 7;
  auto results = runCase({kernel, attributes, std::move(inputs), {{dtype, dims}}});
  EXPECT_TRUE(results) << results.diagnostics().text();
  return results ? (*results)[0] : Tensor(dtype, {0});
}

std::vector<double> numbersOf(const Tensor &tensor) {
  if (tensor.dtype() == DType::Int64)
    return {tensor.as<int64_t>(), tensor.as<int64_t>() + tensor.size()};
  if (tensor.dtype() == DType::Float32)
    return {tensor.as<float>(), tensor.as<float>() + tensor.size()};
  return {tensor.as<double>(), tensor.as<double>() + tensor.size()};
}

/// The largest distance of the empirical distribution from `below`.
double distance(std::vector<double> values, const std::function<double(double)> &below) {
  std::sort(values.begin(), values.end());
  double greatest = 0, n = static_cast<double>(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    double p = below(values[i]);
    greatest = std::max({greatest, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return greatest;
}
/// Exceeded by chance for one in a thousand seeds.
const double bound = 1.95 / std::sqrt(static_cast<double>(many));

double meanOf(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
double varianceOf(const std::vector<double> &values) {
  double mean = meanOf(values), sum = 0;
  for (double value : values)
    sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

double normalBelow(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(Random, Uniform) {
  for (DType dtype : {DType::Float32, DType::Float64}) {
    std::vector<double> values = numbersOf(draw("uniform", {{"min", -2.0}, {"max", 3.0}}, dtype));
    EXPECT_LT(distance(values, [](double x) { return (x + 2) / 5; }), bound);
    EXPECT_GE(*std::min_element(values.begin(), values.end()), -2);
    EXPECT_LT(*std::max_element(values.begin(), values.end()), 3);
  }
}

TEST(Random, UniformHasADiagonal) {
  Tensor out =
      draw("uniform", {{"min", 0.0}, {"max", 0.5}, {"diag_num", 3}, {"diag_step", 4}, {"diag_val", 9.0}},
           DType::Float32, {}, {4, 4});
  for (int64_t i = 0; i < 16; ++i)
    EXPECT_EQ(out.as<float>()[i] == 9, i == 0 || i == 5 || i == 10) << i;
}

TEST(Random, Gaussian) {
  for (DType dtype : {DType::Float32, DType::Float64}) {
    std::vector<double> values = numbersOf(draw("gaussian", {{"mean", 1.0}, {"std", 2.0}}, dtype));
    EXPECT_LT(distance(values, [](double x) { return normalBelow((x - 1) / 2); }), bound);
    EXPECT_NEAR(meanOf(values), 1, 0.02);
    EXPECT_NEAR(varianceOf(values), 4, 0.06);
  }
}

TEST(Random, TruncatedGaussian) {
  for (auto [a, b] :
       {std::pair(-2.0, 2.0), std::pair(0.5, 0.75), std::pair(6.0, 9.0), std::pair(-9.0, -7.0)}) {
    std::vector<double> values = numbersOf(draw("truncated_gaussian_random", {{"a", a}, {"b", b}}));
    // On the right side the probabilities above x keep their precision.
    double sign = a > 0 ? -1 : 1, low = normalBelow(sign * (a > 0 ? b : a)),
           high = normalBelow(sign * (a > 0 ? a : b));
    auto below = [&](double x) {
      double p = (normalBelow(sign * x) - low) / (high - low);
      return a > 0 ? 1 - p : p;
    };
    EXPECT_LT(distance(values, below), bound) << a;
    EXPECT_GE(*std::min_element(values.begin(), values.end()), a);
    EXPECT_LE(*std::max_element(values.begin(), values.end()), b);
  }
}

TEST(Random, Integers) {
  std::vector<double> values = numbersOf(draw("randint", {{"low", -3}, {"high", 5}}, DType::Int64));
  std::map<double, int> counts;
  for (double value : values)
    ++counts[value];
  ASSERT_EQ(counts.size(), 8u);
  double chiSquare = 0, expected = many / 8.0;
  for (auto [value, count] : counts) {
    EXPECT_TRUE(value >= -3 && value < 5);
    chiSquare += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LT(chiSquare, 24.3); // 7 degrees of freedom: above once in a thousand
}

Tensor filled(double value) {
  Tensor tensor(DType::Float64, {many});
  std::fill_n(tensor.as<double>(), many, value);
  return tensor;
}

TEST(Random, Poisson) {
  for (double mean : {0.0, 0.3, 4.0, 200.0}) {
    std::vector<double> values = numbersOf(draw("poisson", {}, DType::Float64, {filled(mean)}));
    EXPECT_NEAR(meanOf(values), mean, 4 * std::sqrt(mean / many) + 1e-12);
    EXPECT_NEAR(varianceOf(values), mean, 0.03 * mean + 1e-12);
  }
}

TEST(Random, Binomial) {
  for (double count : {0.0, 1.0, 7.0, 400.0})
    for (double chance : {0.0, 0.2, 0.5, 1.0}) {
      std::vector<double> values =
          numbersOf(draw("binomial", {}, DType::Int64, {filled(count), filled(chance)}));
      double variance = count * chance * (1 - chance);
      EXPECT_NEAR(meanOf(values), count * chance, 4 * std::sqrt(variance / many) + 1e-12);
      EXPECT_NEAR(varianceOf(values), variance, 0.05 * variance + 1e-12);
    }
}

TEST(Random, Gamma) {
  for (double shape : {0.4, 1.0, 9.0}) {
    std::vector<double> values = numbersOf(draw("standard_gamma", {}, DType::Float64, {filled(shape)}));
    EXPECT_NEAR(meanOf(values), shape, 4 * std::sqrt(shape / many));
    EXPECT_NEAR(varianceOf(values), shape, 0.05 * shape);
  }
  std::vector<double> exponential = numbersOf(draw("standard_gamma", {}, DType::Float64, {filled(1)}));
  EXPECT_LT(distance(exponential, [](double x) { return 1 - std::exp(-x); }), bound);
}

TEST(Random, Multinomial) {
  Tensor weights = floats({2, 4}, {1, 0, 3, 6, 0, 5, 5, 0});
  auto with = runCase({"multinomial",
                       {{"num_samples", 20000}, {"replacement", true}, {"seed", 3}},
                       {weights},
                       {{DType::Int64, {2, 20000}}}});
  ASSERT_TRUE(with) << with.diagnostics().text();
  std::array<std::array<double, 4>, 2> counts{};
  for (size_t i = 0; i < 40000; ++i)
    counts[i / 20000][static_cast<size_t>((*with)[0].as<int64_t>()[i])] += 1.0 / 20000;
  for (auto [row, index, expected] :
       {std::tuple(0, 0, 0.1), {0, 1, 0.0}, {0, 2, 0.3}, {0, 3, 0.6}, {1, 0, 0.0}, {1, 1, 0.5}})
    EXPECT_NEAR(counts[static_cast<size_t>(row)][static_cast<size_t>(index)], expected, 0.015);
  auto without =
      runCase({"multinomial", {{"num_samples", 2}, {"seed", 3}}, {weights}, {{DType::Int64, {2, 2}}}});
  ASSERT_TRUE(without) << without.diagnostics().text();
  std::vector<int64_t> second = valuesOf<int64_t>((*without)[0]);
  EXPECT_NE(second[0], second[1]);
  EXPECT_EQ(second[2] + second[3], 3); // the second row has only classes 1 and 2
  EXPECT_FALSE(runCase({"multinomial", {{"num_samples", 3}}, {weights}, {{DType::Int64, {2, 3}}}}));
}

TEST(Random, Permutation) {
  auto results =
      runCase({"randperm", {{"n", 1000}, {"seed", 5}, {"dtype", "int64"}}, {}, {{DType::Int64, {1000}}}});
  ASSERT_TRUE(results);
  std::vector<int64_t> order = valuesOf<int64_t>((*results)[0]), sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t i = 0; i < 1000; ++i)
    EXPECT_EQ(sorted[static_cast<size_t>(i)], i);
  EXPECT_NE(order, sorted);
}

TEST(Random, ShuffledRows) {
  Tensor x = floats({3, 2, 2}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
  auto results = runCase({"shuffle_batch",
                          {{"startup_seed", 4}},
                          {x, longs({1}, {0})},
                          {{DType::Float32, {3, 2, 2}}, {DType::Int64, {6}}, {DType::Int64, {1}}}});
  ASSERT_TRUE(results) << results.diagnostics().text();
  for (int64_t i = 0; i < 12; ++i)
    EXPECT_EQ((*results)[0].as<float>()[i], static_cast<float>((*results)[1].as<int64_t>()[i / 2]));
}

TEST(Random, ClassCenters) {
  auto results = runCase({"class_center_sample",
                          {{"num_classes", 20}, {"num_samples", 6}, {"seed", 4}, {"fix_seed", true}},
                          {longs({4}, {11, 5, 1, 5})},
                          {{DType::Int64, {4}}, {DType::Int64, {dynamicDim}}}});
  ASSERT_TRUE(results) << results.diagnostics().text();
  std::vector<int64_t> classes = valuesOf<int64_t>((*results)[1]), labels = valuesOf<int64_t>((*results)[0]);
  EXPECT_EQ(classes.size(), 6u);
  EXPECT_TRUE(std::is_sorted(classes.begin(), classes.end()));
  for (auto [i, label] : {std::pair(0, 11), {1, 5}, {2, 1}, {3, 5}})
    EXPECT_EQ(classes[static_cast<size_t>(labels[static_cast<size_t>(i)])], label);
}

// runCase returns the second of two runs of one session.
TEST(Random, EqualSeedsGiveEqualValues) {
  std::vector<double> seeded = numbersOf(draw("uniform", {{"seed", 11}}));
  EXPECT_EQ(seeded, numbersOf(draw("uniform", {{"seed", 11}})));
  EXPECT_NE(seeded, numbersOf(draw("uniform", {{"seed", 12}})));
  // Without a seed a run continues the stream of the previous run; a new session restarts it.
  std::vector<double> unseeded = numbersOf(draw("uniform", {{"seed", 0}}));
  EXPECT_EQ(unseeded, numbersOf(draw("uniform", {{"seed", 0}})));
  RandomGenerator generator(0);
  RandomCall first = generator.next(), second = generator.next();
  EXPECT_NE(first.block(0), second.block(0));
}

TEST(Random, ResultsDoNotDependOnThreads) {
  std::vector<std::vector<double>> results;
  for (int threads : {1, 4}) {
    setThreads(threads);
    for (const char *kernel : {"uniform", "gaussian", "truncated_gaussian_random"})
      results.push_back(numbersOf(draw(kernel, {})));
    results.push_back(numbersOf(draw("poisson", {}, DType::Float64, {filled(3)})));
  }
  setThreads(1);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(results[i], results[i + 4]) << i;
}

} // namespace
} // namespace proa::runtime
