// Idle time and memory of schedules in the planner, with published formulas.
#include "lib/base/plan/CostModel.h"

#include "test/unit/plan/Workloads.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace proa::plan {
namespace {

struct Case {
  ScheduleKind schedule;
  int64_t stages, microBatches, chunks;
  double idle;     ///< in times of a forward pass, which equal the gradients' times
  double inFlight; ///< micro-batches on the fullest stage, at most
};

class SchedulesTest : public testing::TestWithParam<Case> {};

// Narayanan et al. 2021; Qi et al. 2024, table 1: (p - 1)(F + B + W), a v-th of it, (p - 1)(F + B - W), none.
TEST_P(SchedulesTest, IdleTimeAndMemoryFollowPublishedFormulas) {
  auto [schedule, stages, microBatches, chunks, idle, inFlight] = GetParam();
  Workload workload = transformer({});
  Cluster cluster = hopperCluster(stages);
  CostModel model(workload, cluster, microBatches);
  Frame frame{.pipeline = stages, .microBatches = microBatches, .schedule = schedule, .chunks = chunks};
  double others = 3.0 * static_cast<double>(stages - 1); // the times of the other stages
  EXPECT_NEAR(model.idleFactor(frame, 1, 2, 0) * others, idle, 1e-9);
  double most = 0;
  for (int64_t stage = 0; stage < stages; ++stage)
    most = std::max(most, model.inFlight(frame, stage));
  EXPECT_LE(most, inFlight + 1e-9);
}

INSTANTIATE_TEST_SUITE_P(All, SchedulesTest,
                         testing::Values(Case{ScheduleKind::OneFOneB, 4, 8, 1, 9, 4},
                                         Case{ScheduleKind::OneFOneB, 8, 16, 1, 21, 8},
                                         Case{ScheduleKind::OneFOneB, 8, 1000, 1, 21, 8},
                                         Case{ScheduleKind::Interleaved, 4, 8, 2, 4.5, 5.5},
                                         Case{ScheduleKind::Interleaved, 2, 8, 4, 0.75, 2.25},
                                         Case{ScheduleKind::ZeroBubbleH1, 4, 12, 1, 3, 4},
                                         Case{ScheduleKind::ZeroBubbleH2, 4, 12, 1, 0, 7},
                                         Case{ScheduleKind::ZeroBubbleV, 4, 12, 2, 0, 4}));

// Recomputation makes forward passes longer than gradients of weights, which then fill less idle time.
TEST(SchedulesTest, IdleTimeDependsOnTheTimesOfPasses) {
  Workload workload = transformer({});
  Cluster cluster = hopperCluster(4);
  CostModel model(workload, cluster, 16);
  Frame frame{.pipeline = 4, .microBatches = 16, .schedule = ScheduleKind::ZeroBubbleH1};
  EXPECT_GT(model.idleFactor(frame, 1, 2, 1), model.idleFactor(frame, 1, 2, 0));
  frame.schedule = ScheduleKind::OneFOneB;
  EXPECT_DOUBLE_EQ(model.idleFactor(frame, 1, 2, 1), 1);
}

} // namespace
} // namespace proa::plan
