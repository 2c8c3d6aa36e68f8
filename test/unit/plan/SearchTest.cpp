#include "lib/base/plan/Search.h"

#include "test/unit/plan/Workloads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

namespace proa::plan {
namespace {

/// Calls `visit` with all ways to cut layers into stages.
template <class Visit>
void forEachCuts(int layers, size_t stages, std::vector<int> cuts, const Visit &visit) {
  if (cuts.size() == stages)
    return visit(cuts);
  for (int next = cuts.back() + 1; next < layers; ++next) {
    cuts.push_back(next);
    forEachCuts(layers, stages, cuts, visit);
    cuts.pop_back();
  }
}

/// The fastest plan of all cuts and modes of recomputation of all frames whose bound is below it.
double bruteForce(const CostModel &model) {
  std::vector<std::pair<double, Frame>> frames;
  for (const Frame &frame : framesOf(model))
    frames.emplace_back(model.lowerBound(frame, model.layerCosts(frame)), frame);
  std::ranges::sort(frames, {}, [](const auto &pair) { return pair.first; });
  double best = INFINITY;
  auto layers = static_cast<int>(model.workload.layers.size());
  auto choices = static_cast<int>(std::pow(3, layers));
  for (const auto &[bound, frame] : frames) {
    if (bound >= best)
      break;
    std::vector<LayerCost> costs = model.layerCosts(frame);
    forEachCuts(layers, static_cast<size_t>(frame.pipeline * frame.chunks), {0},
                [&](const std::vector<int> &cuts) {
                  Plan plan{frame, cuts, std::vector<Recompute>(static_cast<size_t>(layers))};
                  for (int choice = 0; choice < choices; ++choice) {
                    int left = choice;
                    for (Recompute &mode : plan.recompute)
                      mode = static_cast<Recompute>(left % 3), left /= 3;
                    Estimate estimate = model.estimate(plan, costs);
                    if (!estimate.fits())
                      continue;
                    best = std::min(best, estimate.seconds);
                    if (choice == 0) // nothing is faster than without recomputation
                      break;
                  }
                });
  }
  return best;
}

TEST(SearchTest, PlansOfSmallGraphsAreNearTheBestOfAll) {
  std::mt19937 random(11);
  double sum = 0, worst = 0;
  int count = 0, tight = 0;
  for (int graph = 0; graph < 60; ++graph) {
    int layers = std::uniform_int_distribution<int>(2, graph % 10 == 0 ? 8 : 6)(random);
    Workload workload = randomWorkload(random, layers);
    Cluster cluster = hopperCluster(8, std::exp(std::uniform_real_distribution<double>(20.5, 24)(random)));
    cluster.levels[0].bandwidth = std::exp(std::uniform_real_distribution<double>(22, 27)(random));
    CostModel model(workload, cluster, 8);
    SearchResult result = search(model, {.explainsFamilies = false});
    double expected = bruteForce(model);
    ASSERT_EQ(result.best.empty(), std::isinf(expected)) << "graph " << graph;
    if (result.best.empty())
      continue;
    const Candidate &best = result.best.front();
    double gap = best.estimate.seconds / expected - 1;
    EXPECT_GE(gap, -1e-9);
    EXPECT_LE(gap, 0.05) << "graph " << graph << ": " << planText(best.plan);
    EXPECT_LE(result.lowerBound, expected * (1 + 1e-9)) << "graph " << graph;
    sum += gap, worst = std::max(worst, gap), ++count;
    tight += std::ranges::any_of(best.plan.recompute, [](Recompute mode) { return mode != Recompute::None; });
  }
  EXPECT_LE(sum / count, 0.01);
  EXPECT_GE(count, 40);
  EXPECT_GE(tight, 5); // memory matters
  RecordProperty("mean_gap_percent", std::to_string(100 * sum / count));
  std::printf("%d graphs, %d recompute: mean gap %.4f %%, worst %.4f %%\n", count, tight, 100 * sum / count,
              100 * worst);
}

TEST(SearchTest, NoPlanIsBelowTheBoundOfItsFrame) {
  std::mt19937 random(5);
  for (int graph = 0; graph < 20; ++graph) {
    Workload workload = randomWorkload(random, 6);
    Cluster cluster = hopperCluster(8);
    CostModel model(workload, cluster, 8);
    for (const Frame &frame : framesOf(model)) {
      std::vector<LayerCost> costs = model.layerCosts(frame);
      double bound = model.lowerBound(frame, costs), memory = model.leastMemory(frame, costs);
      std::vector<std::vector<int>> all;
      forEachCuts(6, static_cast<size_t>(frame.pipeline * frame.chunks), {0},
                  [&](const std::vector<int> &cuts) { all.push_back(cuts); });
      Plan plan{frame, all[random() % all.size()], std::vector<Recompute>(6)};
      for (Recompute &mode : plan.recompute)
        mode = static_cast<Recompute>(random() % 3);
      Estimate estimate = model.estimate(plan, costs);
      ASSERT_GE(estimate.seconds, bound * (1 - 1e-12)) << planText(plan);
      ASSERT_GE(estimate.memory.total(), memory * (1 - 1e-12)) << planText(plan);
    }
  }
}

double secondsOfSearch(int64_t devices, int layers, int64_t batch) {
  Workload workload = transformer({.layers = layers});
  Cluster cluster = hopperCluster(devices);
  CostModel model(workload, cluster, batch);
  std::clock_t begin = std::clock(); // other tests run at the same time
  SearchResult result = search(model);
  double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_FALSE(result.best.empty());
  std::printf("%ld devices, %d layers: %.2f s, %zu of %zu frames solved, best %s, %.1f ms, bound %.1f ms\n",
              static_cast<long>(devices), layers, seconds, result.solved, result.frames,
              planText(result.best.front().plan).c_str(), result.best.front().estimate.seconds * 1e3,
              result.lowerBound * 1e3);
  return seconds;
}

/// PROA_TIMES=1 checks the times of docs/planning.md; otherwise a machine may be four times slower.
TEST(SearchTest, TakesOneSecondFor64DevicesAndTenFor1024) {
  double slower = std::getenv("PROA_TIMES") ? 1 : 4;
  EXPECT_LE(secondsOfSearch(64, 32, 512), 1 * slower);
  EXPECT_LE(secondsOfSearch(1024, 96, 2048), 10 * slower);
}

TEST(SearchTest, LittleMemoryNeedsOtherPlans) {
  Workload workload = transformer({});
  Cluster large = hopperCluster(8, 1e15), small = hopperCluster(8, 30e9);
  SearchResult fast = search(CostModel(workload, large, 64)),
               fitting = search(CostModel(workload, small, 64));
  ASSERT_FALSE(fast.best.empty() || fitting.best.empty());
  EXPECT_LE(fast.best.front().estimate.seconds, fitting.best.front().estimate.seconds);
  EXPECT_LE(fitting.best.front().estimate.memory.total(), 30e9);
  EXPECT_TRUE(std::ranges::none_of(fast.best.front().plan.recompute,
                                   [](Recompute m) { return m != Recompute::None; }));
}

TEST(SearchTest, AModelThatFitsNowhereHasTheNearestPlan) {
  Workload workload = transformer({.layers = 48, .hidden = 8192, .heads = 64});
  Cluster cluster = hopperCluster(8, 16e9);
  CostModel model(workload, cluster, 64);
  SearchResult result = search(model, {.accepts = [](const Frame &frame) { return !frame.offload; }});
  EXPECT_TRUE(result.best.empty());
  ASSERT_TRUE(result.nearest);
  EXPECT_GT(result.nearest->estimate.missing, 0);
}

TEST(SearchTest, UnusedFamiliesHaveReasons) {
  Workload workload = transformer({});
  Cluster cluster = hopperCluster(8);
  SearchResult result = search(CostModel(workload, cluster, 64));
  auto reason = [&](std::string_view name) {
    auto found = std::ranges::find_if(
        result.rejected, [&](const RejectedFamily &f) { return f.name.find(name) != f.name.npos; });
    return found == result.rejected.end() ? "" : found->reason;
  };
  EXPECT_EQ(reason("(ep)"), "the program has no experts");
  EXPECT_NE(reason("(cp)").find("times the time"), std::string::npos) << reason("(cp)");
}

TEST(WorkloadTest, TheNumberOfEqualLayersCanBeSet) {
  Workload workload = transformer({.layers = 4});
  EXPECT_EQ(equalLayers(workload), std::pair(1, 4));
  setEqualLayers(workload, 2);
  EXPECT_EQ(workload.layers, (std::vector<int>{0, 1, 1, 2}));
}

TEST(SearchTest, SavingsThatFitComeFirst) {
  Workload workload = transformer({});
  Cluster cluster = hopperCluster(8, 80e9);
  CostModel model(workload, cluster, 64);
  Plan plan{{.data = 8}, {0}, std::vector<Recompute>(workload.layers.size())};
  ASSERT_FALSE(model.estimate(plan).fits());
  std::vector<Saving> savings = savingsOf(model, plan);
  ASSERT_FALSE(savings.empty());
  EXPECT_TRUE(
      std::ranges::is_partitioned(savings, [](const Saving &saving) { return saving.estimate.fits(); }));
  for (const Saving &saving : savings)
    EXPECT_GT(saving.saved, 0) << saving.change;
}

TEST(SearchTest, ChangesTogetherMakeAPlanFit) {
  Workload workload = transformer({});
  Cluster cluster = hopperCluster(8, 24e9);
  CostModel model(workload, cluster, 64);
  Plan plan{{.data = 8}, {0}, std::vector<Recompute>(workload.layers.size())};
  ASSERT_FALSE(savingsOf(model, plan).front().estimate.fits());
  std::optional<Saving> together = cheapestSaving(model, plan);
  ASSERT_TRUE(together);
  EXPECT_TRUE(model.estimate(together->plan).fits());
  EXPECT_NE(together->change.find(", "), std::string::npos) << together->change;
}

TEST(PlanTest, StagesBeginWithTheFirstOpsOfTheirLayers) {
  Workload workload = transformer({.layers = 4});
  workload.firstOps = {0, 5, 15, 25, 35, 45};
  Plan plan{{.data = 2, .pipeline = 2, .microBatches = 4, .schedule = ScheduleKind::Interleaved, .chunks = 2},
            {0, 2, 3, 5},
            std::vector<Recompute>(workload.layers.size())};
  EXPECT_EQ(executedText(plan, workload), "pp2,interleaved2,dp2,acc4,cut15,cut25,cut45");
  EXPECT_EQ(whyNotExecutable(plan, workload), "");
  plan.recompute.front() = Recompute::Selective;
  plan.frame.microBatches = 1; // a run must not choose another number
  EXPECT_EQ(executedText(plan, workload), "pp2,interleaved2,dp2,recompute,acc1,cut15,cut25,cut45");
  plan.frame.offload = true;
  EXPECT_NE(whyNotExecutable(plan, workload).find("on the host"), std::string::npos);
  workload.firstOps[3] = 15; // a boundary between layers in an op
  EXPECT_NE(whyNotExecutable(plan, workload).find("several of its stages"), std::string::npos);
  setEqualLayers(workload, 6);
  EXPECT_NE(whyNotExecutable(plan, workload).find("another number of layers"), std::string::npos);
}

} // namespace
} // namespace proa::plan
