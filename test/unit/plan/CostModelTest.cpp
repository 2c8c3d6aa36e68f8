#include "lib/base/plan/CostModel.h"

#include "test/unit/plan/Workloads.h"

#include <gtest/gtest.h>

#include <numeric>

namespace proa::plan {
namespace {

Plan planOf(const Workload &workload, const Frame &frame, Recompute mode = Recompute::None) {
  Plan plan{frame, {}, std::vector<Recompute>(workload.layers.size(), mode)};
  auto layers = static_cast<int64_t>(workload.layers.size());
  for (int64_t chunk = 0; chunk < frame.pipeline * frame.chunks; ++chunk)
    plan.cuts.push_back(static_cast<int>(chunk * layers / (frame.pipeline * frame.chunks)));
  return plan;
}

/// Only blocks, so that formulas of one layer hold for all.
Workload blocks(int count, const Transformer &shape = {}) {
  Workload workload = transformer(shape);
  workload.layers.assign(static_cast<size_t>(count), 1);
  return workload;
}

// Rajbhandari et al. 2020, "ZeRO": 16, 4 + 12/d, 2 + 14/d and 16/d bytes for each parameter.
TEST(CostModelTest, StatesFollowTheFormulasOfZero) {
  Workload workload = blocks(4);
  Cluster cluster = hopperCluster(8);
  CostModel model(workload, cluster, 64);
  double elements = 4 * (12.0 * 4096 * 4096 + 4 * 4096);
  double expected[] = {16, 4 + 12.0 / 8, 2 + 14.0 / 8, 16.0 / 8};
  for (int stage = 0; stage < 4; ++stage) {
    MemoryUse use =
        model.estimate(planOf(workload, {.data = 8, .zero = static_cast<spmd::ZeroStage>(stage)})).memory;
    EXPECT_NEAR((use.weights + use.gradients + use.optimizer) / elements, expected[stage], 1e-9);
  }
}

// Korthikanti et al. 2022, table 2, in units of s b h with a s / h = 16.
TEST(CostModelTest, ActivationsFollowTheFormulasOfTensorParallelism) {
  Transformer shape;
  Workload workload = blocks(1);
  Cluster cluster = hopperCluster(8);
  CostModel model(workload, cluster, 1);
  double unit = shape.sequence * shape.hidden, attention = 5 * shape.heads * shape.sequence / shape.hidden;
  auto kept = [&](const Frame &frame, Recompute mode) {
    return model.estimate(planOf(workload, frame, mode)).memory.activations / unit;
  };
  EXPECT_DOUBLE_EQ(kept({}, Recompute::None), 34 + attention);
  EXPECT_DOUBLE_EQ(kept({.model = 8}, Recompute::None), 10 + 24.0 / 8 + attention / 8);
  EXPECT_DOUBLE_EQ(kept({.model = 8, .sequence = true}, Recompute::None), (34 + attention) / 8);
  EXPECT_DOUBLE_EQ(kept({.model = 8}, Recompute::Selective), 10 + 24.0 / 8);
  EXPECT_DOUBLE_EQ(kept({.model = 8, .sequence = true}, Recompute::Selective), 34.0 / 8);
  EXPECT_DOUBLE_EQ(kept({}, Recompute::Full), 2);
}

// Idle times of a pipeline of equal stages: (p - 1) t for 1F1B, a v-th with v chunks.
TEST(CostModelTest, IdleTimeFollowsTheFormulasOfSchedules) {
  Workload workload = blocks(16);
  Cluster cluster = hopperCluster(4);
  cluster.levels[0].bandwidth = 1e30, cluster.levels[0].latency = 0;
  CostModel model(workload, cluster, 16);
  auto estimate = [&](ScheduleKind schedule, int64_t chunks) {
    return model.estimate(
        planOf(workload, {.pipeline = 4, .microBatches = 16, .schedule = schedule, .chunks = chunks}));
  };
  Estimate plain = estimate(ScheduleKind::OneFOneB, 1);
  double step = (plain.secondsOf("forward") + plain.secondsOf("backward")) / 16;
  EXPECT_NEAR(plain.secondsOf("idle"), 3 * step, 1e-9);
  EXPECT_NEAR(estimate(ScheduleKind::Interleaved, 2).secondsOf("idle"), 3 * step / 2, 1e-9);
  EXPECT_NEAR(estimate(ScheduleKind::ZeroBubbleH1, 1).secondsOf("idle"), plain.secondsOf("forward") / 16 * 3,
              0.03 * step); // the part of forward passes is rounded
}

// 1F1B keeps p micro-batches on the first stage; p (1 + (p - 1) / (p v)) with v chunks (Narayanan et al.
// 2021).
TEST(CostModelTest, MicroBatchesInFlightFollowTheFormulasOfSchedules) {
  Workload workload = blocks(16);
  Cluster cluster = hopperCluster(4);
  CostModel model(workload, cluster, 16);
  Frame frame{.pipeline = 4, .microBatches = 16};
  EXPECT_EQ(model.inFlight(frame, 0), 4);
  EXPECT_EQ(model.inFlight(frame, 3), 1);
  frame.microBatches = 2;
  EXPECT_EQ(model.inFlight(frame, 0), 2);
  frame = {.pipeline = 4, .microBatches = 16, .schedule = ScheduleKind::Interleaved, .chunks = 2};
  EXPECT_DOUBLE_EQ(model.inFlight(frame, 0), (4 + 2 * 3 + 1) / 2.0);
}

TEST(CostModelTest, TermsSumUpToTheTime) {
  std::mt19937 random(3);
  Workload workload = randomWorkload(random, 8);
  Cluster cluster = hopperCluster(8);
  CostModel model(workload, cluster, 32);
  Estimate estimate = model.estimate(
      planOf(workload,
             {.data = 2, .model = 2, .pipeline = 2, .zero = spmd::ZeroStage::Parameters, .microBatches = 4},
             Recompute::Full));
  double sum = std::accumulate(estimate.terms.begin(), estimate.terms.end(), 0.0,
                               [](double total, const Estimate::Term &term) { return total + term.seconds; });
  EXPECT_NEAR(sum, estimate.seconds, 1e-12 * sum);
}

TEST(CostModelTest, OverlapHidesCollectivesOfData) {
  Workload workload = blocks(8);
  Cluster cluster = hopperCluster(8);
  Plan plan = planOf(workload, {.data = 8, .microBatches = 2});
  double hidden = CostModel(workload, cluster, 64).estimate(plan).secondsOf("dp collectives");
  double exposed = CostModel(workload, cluster, 64, false).estimate(plan).secondsOf("dp collectives");
  EXPECT_NEAR(hidden, exposed / 8 + 0.1 * exposed * 7 / 8, 1e-9); // the last layer's, and a slowdown
}

// With links of unlimited bandwidth only latencies count: of an all_reduce over 8 devices 2 log2(8), of a
// reduce_scatter and an all_gather 7 each. Matrices of 403 MB have messages of their own; vectors of 32 KB
// share buckets of 25 MiB.
TEST(CostModelTest, EachBucketOfGradientsHasALatency) {
  Workload workload = blocks(4);
  Cluster cluster = hopperCluster(8);
  cluster.levels[0].bandwidth = 1e30;
  auto latencies = [&](spmd::ZeroStage zero) {
    Estimate estimate =
        CostModel(workload, cluster, 64, false).estimate(planOf(workload, {.data = 8, .zero = zero}));
    return estimate.secondsOf("dp collectives") / cluster.levels[0].latency;
  };
  double messages = 4 * (1 + 4 * 4096 * 2 / (25.0 * (1 << 20)));
  EXPECT_NEAR(latencies(spmd::ZeroStage::None), 6 * messages, 1e-9);
  EXPECT_NEAR(latencies(spmd::ZeroStage::Gradients), 14 * messages, 1e-9);
  for (Layer &layer : workload.kinds)
    layer.parameters = {{0, 4 * 4096, 4}};
  EXPECT_NEAR(latencies(spmd::ZeroStage::None), 6, 1e-9); // one bucket
}

// A bucket of collectives that overlap has 80 times the bytes of a latency.
TEST(CostModelTest, BucketsOfOverlappingCollectivesAreSmaller) {
  Cluster cluster = hopperCluster(16);
  cluster.levels[0].latency = 1e-6, cluster.levels[0].bandwidth = 1e9;
  EXPECT_DOUBLE_EQ(cluster.bucketBytes({1, 8}, true), 80e3);
  EXPECT_DOUBLE_EQ(cluster.bucketBytes({1, 8}, false), 25 << 20);
}

TEST(CostModelTest, InvalidFramesHaveReasons) {
  Workload workload = transformer({});
  Cluster cluster = hopperCluster(8);
  CostModel model(workload, cluster, 12);
  EXPECT_EQ(model.whyInvalid({.data = 4, .model = 2}), "");
  EXPECT_EQ(model.whyInvalid({.expert = 2}), "the program has no experts");
  EXPECT_EQ(model.whyInvalid({.model = 64}), "a size that mp splits is not divisible by 64");
  EXPECT_EQ(model.whyInvalid({.data = 8}), "the batch 12 is not divisible by 8 shards");
  EXPECT_EQ(model.whyInvalid({.pipeline = 64}), "34 layers are fewer than the stages of the pipeline");
  EXPECT_EQ(model.whyInvalid({.zero = spmd::ZeroStage::Optimizer}), "ZeRO needs dp");
}

} // namespace
} // namespace proa::plan
