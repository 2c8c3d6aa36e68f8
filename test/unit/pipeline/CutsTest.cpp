//! Cuts into stages: compared with all cuts.
#include "lib/base/pipeline/Cuts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

namespace proa::pipeline {
namespace {

struct Cost {
  double longest = 0, transfers = 0;
};

Cost costOf(const CutCosts &costs, const std::vector<size_t> &begins) {
  Cost cost;
  for (size_t stage = 0; stage < begins.size(); ++stage) {
    size_t end = stage + 1 < begins.size() ? begins[stage + 1] : costs.work.size();
    double transfer = stage == 0 ? 0 : costs.transfer[begins[stage]];
    double work = std::accumulate(costs.work.begin() + begins[stage], costs.work.begin() + end, 0.0);
    cost.longest = std::max(cost.longest, work + transfer);
    cost.transfers += transfer;
  }
  return cost;
}

bool hasGivenStages(const CutCosts &costs, const std::vector<size_t> &begins) {
  for (size_t i = 0; i < costs.stages.size(); ++i)
    if (costs.stages[i] >= 0 && std::ranges::upper_bound(begins, i) - begins.begin() - 1 != costs.stages[i])
      return false;
  return true;
}

/// All lists of first units.
std::vector<std::vector<size_t>> allCuts(size_t units, size_t stages) {
  std::vector<std::vector<size_t>> cuts{{0}};
  for (size_t stage = 1; stage < stages; ++stage) {
    std::vector<std::vector<size_t>> longer;
    for (const std::vector<size_t> &begins : cuts)
      for (size_t next = begins.back() + 1; next + stages - stage <= units; ++next) {
        longer.push_back(begins);
        longer.back().push_back(next);
      }
    cuts = std::move(longer);
  }
  return cuts;
}

TEST(Cuts, AreTheBestOfAllCuts) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    size_t units = 1 + random() % 9, stages = 1 + random() % units;
    std::vector<double> work(units), transfer(units + 1);
    std::vector<int64_t> given(round % 3 == 0 ? units : 0, -1);
    for (double &time : work)
      time = static_cast<double>(random() % 10);
    for (double &time : transfer)
      time = static_cast<double>(random() % 4);
    for (int64_t &stage : given)
      stage = random() % 4 == 0 ? static_cast<int64_t>(random() % stages) : -1;
    CutCosts costs{work, transfer, given};
    std::optional<double> shortest;
    std::vector<std::vector<size_t>> cuts = allCuts(units, stages);
    std::erase_if(cuts, [&](const auto &begins) { return !hasGivenStages(costs, begins); });
    for (const auto &begins : cuts)
      shortest = std::min(shortest.value_or(costOf(costs, begins).longest), costOf(costs, begins).longest);
    std::vector<size_t> found = balancedCuts(costs, static_cast<int64_t>(stages));
    ASSERT_EQ(found.empty(), !shortest.has_value());
    if (found.empty())
      continue;
    ASSERT_EQ(found.size(), stages);
    ASSERT_TRUE(hasGivenStages(costs, found));
    EXPECT_LE(costOf(costs, found).longest, *shortest * 1.05);
    for (const auto &begins : cuts)
      if (costOf(costs, begins).longest <= *shortest * 1.05)
        EXPECT_LE(costOf(costs, found).transfers, costOf(costs, begins).transfers);
  }
}

TEST(Cuts, PreferFewTransfersAmongBalancedOnes) {
  std::vector<double> work(8, 100), transfer{0, 9, 9, 9, 2, 9, 9, 9, 0};
  EXPECT_EQ(balancedCuts({work, transfer}, 2), (std::vector<size_t>{0, 4}));
  work[3] = 103; // a small difference does not change the cut
  EXPECT_EQ(balancedCuts({work, transfer}, 2), (std::vector<size_t>{0, 4}));
}

TEST(Cuts, OfManyUnitsAreBalanced) {
  std::vector<double> work(5000, 1), transfer(5001, 0);
  std::vector<size_t> begins = balancedCuts({work, transfer}, 4);
  ASSERT_EQ(begins.size(), 4U);
  EXPECT_LE(costOf({work, transfer}, begins).longest, 1250 * 1.06);
}

TEST(Cuts, AreEmptyIfThereAreFewerUnitsThanStages) {
  std::vector<double> work(2, 1), transfer(3, 0);
  EXPECT_TRUE(balancedCuts({work, transfer}, 3).empty());
  EXPECT_TRUE(balancedCuts({{}, {}}, 1).empty());
}

// Only some of many units may begin a stage, but given stages are met at each unit.
TEST(Cuts, MeetGivenStagesOfManyUnits) {
  constexpr size_t count = 5000;
  std::vector<double> work(count, 1), transfer(count + 1, 1);
  for (size_t first : {1, 777, 2503, 4999}) {
    std::vector<int64_t> given(count, 0);
    std::fill(given.begin() + static_cast<std::ptrdiff_t>(first), given.end(), 1);
    EXPECT_EQ(balancedCuts({work, transfer, given}, 2), (std::vector<size_t>{0, first}));
  }
}

} // namespace
} // namespace proa::pipeline
