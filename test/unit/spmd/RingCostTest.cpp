//! The choice between rings and gathers: by time, and by memory at little cost.
#include "lib/base/spmd/RingCost.h"

#include <gtest/gtest.h>

namespace proa::spmd {
namespace {

const RingModel model = {
    .link = {1e-6, 1e9}, .operationsPerSecond = 1e9, .stepSeconds = 0, .copyBandwidth = 1e9};

TEST(RingCost, TimesFollowTheFormula) {
  // 4 shards: 3 messages of 2 us and 1 ms, and 8 ms of computation.
  RingCost cost = costOfRing({.shards = 4, .messageBytes = 1000000, .messages = 2, .operations = 8e6}, model);
  EXPECT_DOUBLE_EQ(cost.gatherSeconds, 3 * (2e-6 + 1e-3) + 8e-3);
  EXPECT_DOUBLE_EQ(cost.ringSeconds, 4 * 2e-3); // the computation of a step takes longer than its messages
  EXPECT_TRUE(cost.isRing);
  cost = costOfRing({.shards = 4, .messageBytes = 1000000, .messages = 2, .operations = 4e5}, model);
  EXPECT_DOUBLE_EQ(cost.ringSeconds, 3 * (2e-6 + 1e-3) + 1e-4);
}

TEST(RingCost, StepsAndCopiesCostTime) {
  RingModel slow = model;
  slow.stepSeconds = 1;
  EXPECT_FALSE(costOfRing({.shards = 4, .messageBytes = 1000000, .operations = 8e6}, slow).isRing);
  RingWork work{.shards = 4, .messageBytes = 1000000, .operations = 8e6};
  EXPECT_TRUE(costOfRing(work, model).isRing);
  work.copiedBytes = 10000000;
  EXPECT_FALSE(costOfRing(work, model).isRing);
}

TEST(RingCost, WithoutOverlapOnlyMemoryIsSaved) {
  RingModel without = model;
  without.overlaps = false;
  RingWork work{.shards = 2, .messageBytes = 1000, .operations = 1e6};
  EXPECT_FALSE(costOfRing(work, without).isRing);
  work.gatherBytes = 3 << 20;
  work.ringBytes = 1 << 20;
  EXPECT_TRUE(costOfRing(work, without).isRing);
  work.gatherBytes = 3 << 19;
  EXPECT_FALSE(costOfRing(work, without).isRing);
}

} // namespace
} // namespace proa::spmd
