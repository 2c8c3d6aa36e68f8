#include "lib/base/tensors/Compare.h"

#include "proa/Half.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>

using namespace proa;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T> Tensor tensor(DType dtype, std::vector<int64_t> dims, const std::vector<T> &values) {
  Tensor result(dtype, std::move(dims));
  std::copy(values.begin(), values.end(), result.as<T>());
  return result;
}

Tensor doubles(const std::vector<double> &values) {
  return tensor<double>(DType::Float64, {static_cast<int64_t>(values.size())}, values);
}

CompareRule rule(CompareKind kind, double rtol = 0, double atol = 0) {
  return {kind, rtol, atol, std::nullopt};
}

TEST(Compare, ToleranceIsAbsolutePlusRelativeToExpected) {
  CompareRule loose = rule(CompareKind::AllClose, 0.1, 1);
  EXPECT_TRUE(compare(doubles({12}), doubles({10}), loose).passed()); // 2 <= 1 + 0.1 * 10
  EXPECT_FALSE(compare(doubles({12.1}), doubles({10}), loose).passed());
  EXPECT_TRUE(compare(doubles({10}), doubles({12.1}), loose).passed()); // 2.1 <= 1 + 0.1 * 12.1
}

TEST(Compare, ReportsFirstMismatchAndLargestErrors) {
  Tensor expected = tensor<float>(DType::Float32, {2, 3}, {1, 2, 3, 4, 5, 0});
  Tensor got = tensor<float>(DType::Float32, {2, 3}, {1, 2, 3, 5, 5.5, 0.25});
  Comparison result = compare(got, expected, rule(CompareKind::AllClose, 0, 0.1));
  EXPECT_EQ(result.mismatches, 3);
  EXPECT_EQ(result.elements, 6);
  ASSERT_TRUE(result.first);
  EXPECT_THAT(result.first->index, ElementsAre(1, 0));
  EXPECT_EQ(result.first->got, "5");
  EXPECT_EQ(result.first->expected, "4");
  EXPECT_DOUBLE_EQ(result.maxAbsolute, 1);
  EXPECT_DOUBLE_EQ(result.maxRelative, 0.25);
  EXPECT_THAT(result.reason, HasSubstr("3 of 6 elements differ; at [1, 0] got 5, expected 4"));
}

TEST(Compare, NanEqualsNanAndInfinitiesEqualBySign) {
  EXPECT_TRUE(compare(doubles({nan, infinity, -infinity}), doubles({nan, infinity, -infinity})).passed());
  EXPECT_FALSE(compare(doubles({infinity}), doubles({-infinity})).passed());
  EXPECT_FALSE(compare(doubles({1e308}), doubles({infinity})).passed());
  EXPECT_FALSE(compare(doubles({infinity}), doubles({1})).passed());
  EXPECT_FALSE(compare(doubles({nan}), doubles({1})).passed());
  EXPECT_FALSE(compare(doubles({1}), doubles({nan})).passed());
}

TEST(Compare, DtypeAndDimsMustBeEqual) {
  Tensor vector = tensor<float>(DType::Float32, {1}, {1});
  Tensor scalar = tensor<float>(DType::Float32, {}, {1});
  EXPECT_EQ(compare(vector, scalar).reason, "got float32[1], expected float32[]");
  EXPECT_EQ(compare(doubles({1}), vector, rule(CompareKind::Shape)).reason,
            "got float64[1], expected float32[1]");
}

TEST(Compare, IntegersAndBoolsAreExact) {
  int64_t large = (int64_t(1) << 53) + 1; // no double holds it
  Tensor expected = tensor<int64_t>(DType::Int64, {1}, {large});
  CompareRule loose = rule(CompareKind::AllClose, 1, 1);
  EXPECT_TRUE(compare(expected, expected, loose).passed());
  EXPECT_FALSE(compare(tensor<int64_t>(DType::Int64, {1}, {large - 1}), expected, loose).passed());
  Tensor yes = tensor<uint8_t>(DType::Bool, {1}, {1});
  EXPECT_FALSE(compare(tensor<uint8_t>(DType::Bool, {1}, {0}), yes, loose).passed());
  EXPECT_THAT(compare(tensor<uint8_t>(DType::Bool, {1}, {7}), yes).reason,
              HasSubstr("got 7 (no bool), expected true"));
}

TEST(Compare, EveryNumberTypeIsRead) {
  auto differs = [](DType dtype, auto a, auto b) {
    using T = decltype(a);
    Tensor one = tensor<T>(dtype, {1}, {a});
    return compare(one, one).passed() && !compare(tensor<T>(dtype, {1}, {b}), one).passed();
  };
  EXPECT_TRUE(differs(DType::UInt8, uint8_t(200), uint8_t(201)));
  EXPECT_TRUE(differs(DType::Int8, int8_t(-3), int8_t(3)));
  EXPECT_TRUE(differs(DType::UInt16, uint16_t(1), uint16_t(2)));
  EXPECT_TRUE(differs(DType::Int16, int16_t(1), int16_t(2)));
  EXPECT_TRUE(differs(DType::UInt32, 1u, 2u));
  EXPECT_TRUE(differs(DType::Int32, 1, 2));
  EXPECT_TRUE(differs(DType::UInt64, ~uint64_t(0), ~uint64_t(0) - 1));
  EXPECT_TRUE(differs(DType::Float16, Float16(1), Float16(2)));
  EXPECT_TRUE(differs(DType::BFloat16, BFloat16(1), BFloat16(2)));
  EXPECT_TRUE(differs(DType::Float8E4M3FN, uint8_t(0x38), uint8_t(0x39)));
  EXPECT_TRUE(differs(DType::Float8E5M2, uint8_t(0x3c), uint8_t(0x3d)));
  EXPECT_TRUE(differs(DType::Complex128, std::complex<double>(1, 2), std::complex<double>(1, 3)));
}

TEST(Compare, ElementsAsText) {
  EXPECT_EQ(elementText(tensor<uint8_t>(DType::Float8E4M3FN, {3}, {0x38, 0x7e, 0x01}), 0), "1");
  EXPECT_EQ(elementText(tensor<uint8_t>(DType::Float8E4M3FN, {3}, {0x38, 0x7e, 0x01}), 1), "448");
  EXPECT_EQ(elementText(tensor<uint8_t>(DType::Float8E4M3FN, {3}, {0x38, 0x7e, 0x01}), 2), "0.001953125");
  EXPECT_EQ(elementText(tensor<uint8_t>(DType::Float8E5M2, {1}, {0x7b}), 0), "57344");
  EXPECT_EQ(elementText(tensor<float>(DType::Float32, {1}, {0.1f}), 0), "0.1");
  EXPECT_EQ(elementText(tensor<std::complex<float>>(DType::Complex64, {1}, {{1, -2}}), 0), "(1-2j)");
  EXPECT_EQ(elementText(tensor<int8_t>(DType::Int8, {1}, {65}), 0), "65");
}

TEST(Compare, ComplexByAbsoluteDifference) {
  auto complex = [](double re, double im) {
    return tensor<std::complex<double>>(DType::Complex128, {1}, {{re, im}});
  };
  CompareRule r = rule(CompareKind::AllClose, 0.1, 0);
  EXPECT_TRUE(compare(complex(10, 0.5), complex(10, 0), r).passed()); // 0.5 <= 0.1 * |10|
  EXPECT_FALSE(compare(complex(10, 1.5), complex(10, 0), r).passed());
  EXPECT_TRUE(compare(complex(nan, 1), complex(nan, 1), r).passed());
  EXPECT_FALSE(compare(complex(infinity, 1), complex(infinity, 2), r).passed());
}

TEST(Compare, OrderDoesNotMatterForPermutationAndSorted) {
  for (CompareKind kind : {CompareKind::Permutation, CompareKind::Sorted}) {
    EXPECT_TRUE(compare(doubles({3, nan, 1, 2}), doubles({1, 2, 3, nan}), rule(kind)).passed());
    EXPECT_FALSE(compare(doubles({3, 1, 1}), doubles({1, 2, 3}), rule(kind)).passed());
  }
  // Conjugate pairs whose real components differ by rounding have no stable order.
  using C = std::complex<double>;
  Tensor expected = tensor<C>(DType::Complex128, {3}, {{1, 2}, {1, -2}, {5, 0}});
  Tensor got = tensor<C>(DType::Complex128, {3}, {{5, 0}, {1 + 1e-9, 2}, {1, -2}});
  EXPECT_TRUE(compare(got, expected, rule(CompareKind::Sorted, 1e-6)).passed());
  got.as<C>()[0] = {4, 0};
  EXPECT_FALSE(compare(got, expected, rule(CompareKind::Sorted, 1e-6)).passed());
}

TEST(Compare, StatisticsAcceptSamplesOfTheSameDistribution) {
  auto sample = [](unsigned seed, double mean, double deviation) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> distribution(mean, deviation);
    Tensor result(DType::Float64, {2000});
    for (int64_t i = 0; i < result.size(); ++i)
      result.as<double>()[i] = distribution(engine);
    return result;
  };
  Tensor expected = sample(1, 1, 2);
  CompareRule r = rule(CompareKind::Stats);
  EXPECT_TRUE(compare(sample(2, 1, 2), expected, r).passed());
  EXPECT_THAT(compare(sample(3, 2, 2), expected, r).reason, HasSubstr("mean"));
  EXPECT_THAT(compare(sample(4, 1, 3), expected, r).reason, HasSubstr("standard deviation"));
  r.statistics = Statistics{5, 2, 0, 0};
  EXPECT_FALSE(compare(sample(2, 1, 2), expected, r).passed());
}

TEST(Compare, ShapeIgnoresValues) {
  EXPECT_TRUE(compare(doubles({1}), doubles({2}), rule(CompareKind::Shape)).passed());
}

TEST(Compare, EmptyTensorsAreEqual) {
  for (CompareKind kind : {CompareKind::AllClose, CompareKind::Stats, CompareKind::Sorted})
    EXPECT_TRUE(compare(doubles({}), doubles({}), rule(kind)).passed());
}

TEST(CompareLowPrecision, ComparesNormOfError) {
  // 64 units of bfloat16 are 1/4: for a norm of 5, less than 1.25.
  auto passes = [](std::vector<double> got, DType format = DType::BFloat16) {
    return compareLowPrecision(doubles(got), doubles({3, 4, 0}), format).passed();
  };
  EXPECT_TRUE(passes({3, 4, 1.2}));
  EXPECT_FALSE(passes({3, 4, 1.3}));
  EXPECT_FALSE(passes({4, 5, 0}));
  EXPECT_TRUE(passes({3.1, 4.1, 0}, DType::Float16));
  EXPECT_FALSE(passes({3.2, 4, 0}, DType::Float16));
  EXPECT_FALSE(passes({3, 4, nan}));
  EXPECT_FALSE(passes({3, 4, infinity}));
}

TEST(CompareLowPrecision, BelowNormalNumbersTheErrorIsAbsolute) {
  EXPECT_TRUE(compareLowPrecision(doubles({0, 0}), doubles({1e-6, 0}), DType::Float16).passed());
  EXPECT_FALSE(compareLowPrecision(doubles({1e-5, 0}), doubles({0, 0}), DType::Float16).passed());
  EXPECT_FALSE(compareLowPrecision(doubles({0, 0}), doubles({1e-6, 0}), DType::BFloat16).passed());
}

TEST(CompareLowPrecision, IntegersAndDynamicDimsAreNotCompared) {
  Tensor one = tensor<int64_t>(DType::Int64, {1}, {1}), two = tensor<int64_t>(DType::Int64, {1}, {2});
  EXPECT_TRUE(compareLowPrecision(one, two, DType::Float16).passed());
  EXPECT_TRUE(compareLowPrecision(doubles({1, 2}), doubles({1}), DType::Float16).passed());
  EXPECT_THAT(compareLowPrecision(one, doubles({1}), DType::Float16).reason,
              HasSubstr("got int64[1], expected float64[1]"));
}

TEST(Compare, KindNamesOfMeta) {
  EXPECT_EQ(compareKindFromName("sorted"), CompareKind::Sorted);
  EXPECT_EQ(nameOf(CompareKind::Permutation), "permutation");
  EXPECT_FALSE(compareKindFromName("close"));
}

} // namespace
