#include "tools/proa-run/Show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

using namespace proa;
using namespace proa::tools;
using testing::HasSubstr;

namespace {

TEST(Show, PercentilesAreNearestRanks) {
  RunTimes times = summarize({5, 1, 4, 2, 3, 10, 9, 8, 7, 6});
  EXPECT_EQ(times.runs, 10);
  EXPECT_EQ(times.p10, 1);
  EXPECT_EQ(times.median, 5);
  EXPECT_EQ(times.p90, 9);
  EXPECT_EQ(summarize({7}).median, 7);
  EXPECT_EQ(summarize({}).runs, 0);
}

TEST(Show, ComparisonShowsBothTensorsAndResult) {
  Tensor got(DType::Int32, {2}), expected(DType::Int32, {2});
  got.as<int32_t>()[0] = expected.as<int32_t>()[0] = 7;
  got.as<int32_t>()[1] = 8;
  expected.as<int32_t>()[1] = 9;
  std::string text = comparisonText({"out", got}, expected, compare(got, expected));
  EXPECT_THAT(text, HasSubstr("out  int32[2]  min 7, mean 7.5, max 8\n"));
  EXPECT_THAT(text, HasSubstr("  got                  7             8\n"));
  EXPECT_THAT(text, HasSubstr("  expected             7             9\n"));
  EXPECT_THAT(text, HasSubstr("FAIL\n  1 of 2 elements differ; at [1] got 8, expected 9"));
}

TEST(Show, StatisticsAreOfFiniteElements) {
  float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  Tensor tensor(DType::Float32, {6});
  std::ranges::copy(std::vector<float>{nan, 1, -inf, 4, inf, nan}, tensor.as<float>());
  tensor.setLod({{0, 2, 6}});
  std::string text = outputText({"out", tensor});
  EXPECT_THAT(text, HasSubstr("out  float32[6]  min 1, mean 2.5, max 4  2 NaN, 2 Inf\n"));
  EXPECT_THAT(text, HasSubstr("  LoD      [[0, 2, 6]]\n"));
  tensor.as<float>()[1] = tensor.as<float>()[3] = nan;
  EXPECT_THAT(outputText({"out", tensor}), HasSubstr("out  float32[6]  4 NaN, 2 Inf\n"));
}

TEST(Show, ExceededBudgetIsAWarning) {
  EXPECT_EQ(budgetText(std::nullopt, 10), "");
  EXPECT_EQ(budgetText(-1, 10), "");
  EXPECT_EQ(budgetText(10, 10), "");
  EXPECT_THAT(budgetText(9, 10), HasSubstr("warning: --recompute=9: the budget cannot be met"));
}

} // namespace
