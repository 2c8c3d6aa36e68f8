// Plans whose schedule is searched, and their files.
#include "lib/base/plan/StageSchedule.h"

#include "lib/base/pipeline/Check.h"
#include "lib/base/pipeline/Text.h"
#include "lib/base/plan/Report.h"
#include "test/unit/plan/Workloads.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace proa::plan {
namespace {

Plan planWithChunks(const CostModel &model, int64_t chunks, double activations) {
  Frame frame{.pipeline = 4, .microBatches = 8, .schedule = ScheduleKind::Automatic, .chunks = chunks};
  frame.activations = activations;
  return {frame, FrameSolver(model, frame).leanest().cuts,
          std::vector<Recompute>(model.workload.layers.size())};
}

TEST(StageScheduleTest, KeepsTheMemoryOfTheDevices) {
  Workload workload = transformer({.layers = 30});
  Cluster cluster = hopperCluster(4, 1e15);
  CostModel large(workload, cluster, 8);
  for (int64_t chunks : {1, 2}) {
    Plan plan = planWithChunks(large, chunks, 4);
    cluster.memory = large.estimate(plan).memory.total();
    CostModel model(workload, cluster, 8);
    auto searched = searchSchedule(model, plan);
    ASSERT_TRUE(searched) << searched.diagnostics().text();
    EXPECT_TRUE(pipeline::check(searched->schedule).empty());
    std::vector<StageCost> stages = model.stageCosts(plan);
    for (size_t rank = 0; rank < stages.size(); ++rank)
      EXPECT_LE(searched->timeline.peak[rank] + model.fixedBytes(plan.frame, stages[rank]),
                cluster.memory * (1 + 1e-9));
    cluster.memory = 1e9;
    EXPECT_FALSE(searchSchedule(CostModel(workload, cluster, 8), plan));
    cluster.memory = 1e15;
  }
}

// Qi et al. 2024: with the memory of 1F1B, one chunk has a third of its idle time, and two in V shape have
// none.
TEST(StageScheduleTest, IdleTimeIsNotAboveTheOneOfPublishedSchedules) {
  Workload workload = transformer({});
  Cluster cluster = hopperCluster(4);
  CostModel model(workload, cluster, 12);
  auto idle = [&](ScheduleKind kind, int64_t chunks, double activations, double forward) {
    Frame frame{.pipeline = 4, .microBatches = 12, .schedule = kind, .chunks = chunks};
    frame.activations = activations;
    return model.idleFactor(frame, forward, 2, 0);
  };
  for (double forward : {1.0, 1.4, 2.0}) { // recomputation makes forward passes longer
    EXPECT_LE(idle(ScheduleKind::Automatic, 1, 4, forward),
              idle(ScheduleKind::ZeroBubbleH1, 1, 0, forward) + 1e-9);
    EXPECT_LE(idle(ScheduleKind::Automatic, 2, 4, forward),
              idle(ScheduleKind::ZeroBubbleV, 2, 0, forward) + 1e-9);
    EXPECT_LE(idle(ScheduleKind::Automatic, 1, 6, forward),
              idle(ScheduleKind::ZeroBubbleH1, 1, 0, forward) + 1e-9);
  }
}

// One micro-batch at a time on two stages: each rank waits for the other one half of the time.
TEST(StageScheduleTest, IdleTimeWithLittleMemoryGrowsWithTheMicroBatches) {
  Workload workload = transformer({});
  Cluster cluster = hopperCluster(2);
  CostModel model(workload, cluster, 64);
  for (int64_t microBatches : {2, 6, 8, 64}) {
    Frame frame{.pipeline = 2, .microBatches = microBatches, .schedule = ScheduleKind::Automatic};
    frame.activations = 1;
    // W may run beside F and B of the other stage. The idle time of 1F1B with two stages has the factor 1.
    EXPECT_GE(model.idleFactor(frame, 1, 2, 0), static_cast<double>(microBatches) / 2) << microBatches;
  }
}

TEST(StageScheduleTest, FilesOfPlansHaveTheOrderOfJobs) {
  Workload workload = transformer({.layers = 30});
  for (int i = 0; i < 32; ++i)
    workload.firstOps.push_back(10 * i);
  Cluster cluster = hopperCluster(4, 1e15);
  CostModel model(workload, cluster, 8);
  Plan plan = planWithChunks(model, 2, 4);
  nlohmann::ordered_json json = planJson(model, {plan, model.estimate(plan)});
  auto stored = plan::planOf(nlohmann::json::parse(json.dump()), "plan.json");
  ASSERT_TRUE(stored) << stored.diagnostics().text();
  auto schedule = pipeline::parseSchedule(stored->schedule, "plan.json");
  ASSERT_TRUE(schedule) << schedule.diagnostics().text();
  EXPECT_EQ(schedule->shape, (pipeline::Shape{4, 2, 8, pipeline::ChunkPlacement::V}));
  EXPECT_TRUE(stored->strategy.starts_with("pp4,auto2,acc8,cut")) << stored->strategy;
  json["schedule"].erase(1); // the jobs of rank 0
  EXPECT_NE(plan::planOf(nlohmann::json::parse(json.dump()), "plan.json")
                .diagnostics()
                .text()
                .find("plan.json: /schedule"),
            std::string::npos);
  json["schedule"] = 3;
  EXPECT_NE(plan::planOf(nlohmann::json::parse(json.dump()), "plan.json")
                .diagnostics()
                .text()
                .find("plan.json: /schedule: found 3, expected the lines of a schedule"),
            std::string::npos);
}

TEST(StageScheduleTest, StrategiesWithAMemoryHoldAsManyMicroBatchesAsFit) {
  Workload workload = transformer({});
  Cluster cluster = hopperCluster(4, 1e15);
  CostModel model(workload, cluster, 16);
  auto free = planOfStrategy(model, "pp4,auto,acc16");
  ASSERT_TRUE(free) << free.diagnostics().text();
  EXPECT_EQ(free->frame.activations, 7); // 2 p - 1
  double bytes = model.estimate(*free).memory.total();
  auto tight =
      planOfStrategy(model, "pp4,auto,acc16,mem" + std::to_string(static_cast<int64_t>(0.8 * bytes)));
  ASSERT_TRUE(tight) << tight.diagnostics().text();
  EXPECT_LT(tight->frame.activations, 7);
  EXPECT_LE(model.estimate(*tight).memory.total(), 0.8 * bytes);
}

} // namespace
} // namespace proa::plan
