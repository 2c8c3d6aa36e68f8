// The planner's formulas of schedules and the simulation of lib/pipeline.
#include "lib/pipeline/Builders.h"
#include "lib/pipeline/Simulate.h"
#include "lib/plan/CostModel.h"

#include "test/unit/plan/Workloads.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace proa::plan {
namespace {

struct Case {
  Schedule schedule;
  pipeline::ScheduleKind kind;
  int64_t stages, microBatches, chunks;
};

class SchedulesTest : public testing::TestWithParam<Case> {};

// Equal stages, with F = B = W.
TEST_P(SchedulesTest, FormulasEqualTheSimulation) {
  auto [schedule, kind, stages, microBatches, chunks] = GetParam();
  auto shape = pipeline::shapeFor(kind, stages, microBatches, chunks);
  ASSERT_TRUE(shape) << shape.diagnostics().text();
  pipeline::Timeline timeline =
      simulate(buildSchedule(kind, *shape), pipeline::Costs::ofRank({1, 1, 1}, chunks));
  Workload workload = transformer({});
  Cluster cluster = hopperCluster(stages);
  CostModel model(workload, cluster, microBatches);
  Frame frame{.pipeline = stages, .microBatches = microBatches, .schedule = schedule, .chunks = chunks};
  double others = 3.0 * static_cast<double>(stages - 1); // the times of the other stages
  EXPECT_NEAR(model.idleFactor(frame, 1, 2, 0) * others, timeline.bubble(), 1e-9);
  EXPECT_NEAR(model.inFlight(frame, 0), *std::ranges::max_element(timeline.peak), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    All, SchedulesTest,
    testing::Values(Case{Schedule::OneForwardOneBackward, pipeline::ScheduleKind::OneFOneB, 4, 8, 1},
                    Case{Schedule::OneForwardOneBackward, pipeline::ScheduleKind::OneFOneB, 8, 16, 1},
                    Case{Schedule::Interleaved, pipeline::ScheduleKind::Interleaved, 4, 8, 2},
                    Case{Schedule::Interleaved, pipeline::ScheduleKind::Interleaved, 2, 8, 4},
                    Case{Schedule::ZeroBubbleH1, pipeline::ScheduleKind::ZeroBubbleH1, 4, 12, 1}));

} // namespace
} // namespace proa::plan
