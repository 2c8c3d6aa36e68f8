//! The reshard planner on all pairs of placements: results are right, and the traffic is near the lower
//! bound.
#include "lib/base/spmd/Reshard.h"
#include "test/unit/spmd/SimulatedMesh.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace proa::spmd {
namespace {

/// Latency and overhead near zero: the planner minimizes bytes, and among equal plans the number of steps.
ReshardOptions byBytes() {
  ReshardOptions options;
  options.links.assign(3, {1e-12, 1e9});
  options.stepSeconds = 1e-12;
  options.copyBandwidth = 1e18;
  return options;
}

std::string textOf(const Mesh &mesh, const ReshardPlan &plan) {
  std::string text;
  for (const ReshardStep &step : plan.steps)
    text += fmt::format(" {} {}", nameOf(step.kind), toText(mesh, step.to));
  return text;
}

/// Ratios of moved elements to the lower bound.
struct Ratios {
  double moved = 0, bound = 0, sum = 0, worst = 1;
  int pairs = 0, optimal = 0;
  std::string worstPair;

  void add(int64_t received, int64_t least, const std::string &pair) {
    moved += static_cast<double>(received);
    bound += static_cast<double>(least);
    if (least == 0)
      return;
    double ratio = static_cast<double>(received) / static_cast<double>(least);
    ++pairs;
    optimal += received == least;
    sum += ratio;
    if (ratio > worst) {
      worst = ratio;
      worstPair = pair;
    }
  }
  std::string text() const {
    return fmt::format("{} pairs, {} optimal, mean ratio {:.3f}, worst {:.2f}, total moved / bound {:.3f} {}",
                       pairs, optimal, sum / std::max(pairs, 1), worst, moved / std::max(bound, 1.0),
                       worstPair);
  }
};

struct Summary {
  Ratios perDevice, total;
  /// Pairs with a partial target, per device. The bound is weak there: it assumes that all but one term are
  /// neutral.
  Ratios toPartial;
  double microseconds = 0;
};

/// Plans and simulates all pairs. Fails if a result is wrong, or the traffic below the bound.
Summary checkAllPairs(const Mesh &mesh, const std::vector<int64_t> &dims,
                      std::span<const Reduction> reductions, const ReshardOptions &options,
                      bool prints = true) {
  Summary summary;
  std::vector<Placement> placements = allPlacements(mesh, dims.size(), reductions);
  for (const Placement &from : placements)
    for (const Placement &to : placements) {
      auto start = std::chrono::steady_clock::now();
      Result<ReshardPlan> plan = planReshard(mesh, from, to, dims, options);
      summary.microseconds +=
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
      std::string pair = toText(mesh, from) + " -> " + toText(mesh, to);
      if (!plan) {
        ADD_FAILURE() << pair << ": " << plan.diagnostics().text();
        continue;
      }
      pair += ":" + textOf(mesh, *plan);
      SimulatedMesh simulated(mesh, dims);
      simulated.fill(from, 7);
      std::vector<double> expected = simulated.whole();
      Placement at = from;
      for (const ReshardStep &step : plan->steps) {
        EXPECT_EQ(mismatch(step.kind, mesh, at, step.to), "") << pair;
        EXPECT_EQ(simulated.apply(step.kind, step.to), "") << pair;
        at = step.to;
      }
      EXPECT_EQ(at, to) << pair;
      EXPECT_EQ(simulated.whole(), expected) << pair;
      TrafficBound least = lowerBound(mesh, from, to, dims);
      int64_t largest = *std::ranges::max_element(simulated.received), all = 0;
      for (int64_t count : simulated.received)
        all += count;
      EXPECT_GE(largest, least.perDevice) << pair;
      EXPECT_GE(all, least.total) << pair;
      if (to.partial.empty()) {
        summary.perDevice.add(largest, least.perDevice, pair);
        summary.total.add(all, least.total, pair);
      } else {
        summary.toPartial.add(largest, least.perDevice, pair);
      }
      if (::testing::Test::HasFailure())
        return summary;
    }
  if (!prints)
    return summary;
  size_t count = placements.size() * placements.size();
  std::cout << fmt::format(
      "mesh of {} devices, tensor {}x{}, {} pairs, {:.0f} us each\n  per device: {}\n  all "
      "devices: {}\n  partial targets: {}\n",
      mesh.size(), dims[0], dims[1], count, summary.microseconds / static_cast<double>(count),
      summary.perDevice.text(), summary.total.text(), summary.toPartial.text());
  return summary;
}

void expectAtMost(const Ratios &ratios, double mean) {
  EXPECT_LE(ratios.sum, mean * ratios.pairs);
  EXPECT_LE(ratios.moved, mean * ratios.bound);
  EXPECT_LE(ratios.worst, 1.6);
}

TEST(ReshardTest, AllPairsOfSplitPlacementsAreNearTheBound) {
  for (const Mesh &mesh : smallMeshes) {
    Summary summary = checkAllPairs(mesh, {24, 24}, {}, byBytes());
    expectAtMost(summary.total, 1.05);
    expectAtMost(summary.perDevice, 1.02);
  }
}

/// The bound per device is loose for sums: it assumes that all devices receive the same amount.
TEST(ReshardTest, AllPairsOfPartialPlacementsAreNearTheBound) {
  const Reduction sum[] = {Reduction::Sum};
  for (const Mesh &mesh : smallMeshes) {
    Summary summary = checkAllPairs(mesh, {12, 12}, sum, byBytes());
    expectAtMost(summary.total, 1.05);
    expectAtMost(summary.perDevice, 1.1);
  }
}

TEST(ReshardTest, UnevenShardsAndEachReductionAreRight) {
  const std::vector<std::vector<Reduction>> lists = {
      {Reduction::Sum, Reduction::Avg}, {Reduction::Max}, {Reduction::Min}, {Reduction::Prod}};
  for (const std::vector<Reduction> &reductions : lists)
    checkAllPairs(smallMeshes[0], {5, 3}, reductions, {}, /*prints=*/false);
  checkAllPairs(smallMeshes[1], {7, 4}, {}, {}, /*prints=*/false);
  checkAllPairs(smallMeshes[2], {5, 6}, {}, {}, /*prints=*/false);
}

/// Small tensors: messages cost more than bytes, and plans move partial values before they combine them.
TEST(ReshardTest, AllPairsOfSmallTensorsAreRight) {
  const Reduction sum[] = {Reduction::Sum};
  for (const Mesh &mesh : smallMeshes)
    checkAllPairs(mesh, {8, 8}, sum, {}, /*prints=*/false);
}

/// Plans and simulates one pair.
ReshardPlan checkPair(const Mesh &mesh, const Placement &from, const Placement &to, std::vector<int64_t> dims,
                      const ReshardOptions &options = byBytes()) {
  Result<ReshardPlan> plan = planReshard(mesh, from, to, dims, options);
  EXPECT_TRUE(plan) << (plan ? "" : plan.diagnostics().text());
  if (!plan)
    return {};
  Placement at = from;
  for (const ReshardStep &step : plan->steps) {
    EXPECT_EQ(mismatch(step.kind, mesh, at, step.to), "") << textOf(mesh, *plan);
    at = step.to;
  }
  EXPECT_EQ(at, to);
  return *plan;
}

TEST(ReshardTest, KnownPlans) {
  Mesh mesh = {{{"x", 2}, {"y", 4}}};
  AxisRef x = mesh.full(0), y = mesh.full(1);
  auto plan = [&](const Placement &from, const Placement &to) {
    return textOf(mesh, checkPair(mesh, from, to, {64, 64}));
  };
  Placement whole = {{{}, {}}}, sumX = {{{}, {}}, {{x, Reduction::Sum}}};
  Placement byX = {{{{x}}, {}}}, columnsX = {{{}, {{x}}}}, byXY = {{{{x, y}}, {}}}, byYX = {{{{y, x}}, {}}};
  EXPECT_EQ(plan(byX, byX), "");
  EXPECT_EQ(plan(byX, whole), " all_gather [{}, {}]");
  EXPECT_EQ(plan(whole, byXY), " slice [{x, y}, {}]");
  EXPECT_EQ(plan(byXY, whole), " all_gather [{}, {}]");
  EXPECT_EQ(plan(byX, columnsX), " all_to_all [{}, {x}]");
  EXPECT_EQ(plan(sumX, byX), " reduce_scatter [{x}, {}]");
  EXPECT_EQ(plan(sumX, whole), " all_reduce [{}, {}]");
  EXPECT_EQ(plan(byX, sumX), " to_partial [{}, {}] partial=sum{x}");
  // XLA 0.10 moves six times the least bytes here.
  Mesh cube = smallMeshes[2];
  Placement source = {{{{cube.full(1)}}, {{cube.full(2)}}}},
            target = {{{}, {{cube.full(0), cube.full(1), cube.full(2)}}}};
  EXPECT_EQ(checkPair(cube, source, target, {64, 64}).steps.size(), 1u);
}

TEST(ReshardTest, SubAxesThatDoNotNestAreGathered) {
  Mesh mesh = {{{"x", 6}}};
  Placement from = {{{{{0, 1, 2}}}, {}}}, to = {{{{{0, 1, 3}}}, {}}};
  EXPECT_EQ(textOf(mesh, checkPair(mesh, from, to, {12, 4})), " all_gather [{}, {}] slice [{x:(1)3}, {}]");
  // A placement whose own sub-axes do not nest is not valid.
  Placement invalid = {{{{{0, 1, 2}}}, {{{0, 3, 2}}}}}, whole = {{{}, {}}};
  auto plan = planReshard(mesh, whole, invalid, std::array<int64_t, 2>{12, 4});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.diagnostics()[0].message,
            "no sequence of collectives from [{}, {}] to [{x:(1)2}, {x:(3)2}]: "
            "sub-axes of a placement do not nest");
  // Nested ones move directly.
  mesh.axes[0].size = 8;
  from = Placement{{DimPlacement{{mesh.full(0)}}, DimPlacement{}}};
  to = {{{{{0, 1, 2}}}, {{{0, 2, 4}}}}};
  EXPECT_EQ(textOf(mesh, checkPair(mesh, from, to, {8, 8})), " all_to_all [{x:(1)2}, {x:(2)4}]");
}

/// 16,384 devices: the time of a plan must not grow with the mesh.
TEST(ReshardTest, LargeMeshes) {
  Mesh mesh = {{{"pod", 32}, {"node", 64}, {"gpu", 8}}};
  AxisRef pod = mesh.full(0), node = mesh.full(1), gpu = mesh.full(2);
  Placement from = {{{{pod, node}}, {{gpu}}}}, to = {{{{pod}}, {{gpu, node}}}};
  auto start = std::chrono::steady_clock::now();
  ReshardPlan plan = checkPair(mesh, from, to, {1 << 20, 1 << 16});
  EXPECT_EQ(textOf(mesh, plan), " all_to_all [{pod}, {gpu, node}]");
  // A sum over all axes of a tensor with many dimensions.
  Placement sum = {std::vector<DimPlacement>(5)}, whole = sum;
  for (const AxisRef &axis : {pod, node, gpu})
    sum.partial.push_back({axis, Reduction::Sum});
  checkPair(mesh, sum, whole, {64, 64, 64, 64, 64});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(ReshardTest, BlocksOfFusedWeights) {
  Mesh mesh = {{{"x", 2}}};
  Placement plain = {{{}, {{mesh.full(0)}}}}, blocks = {{{}, {{mesh.full(0)}, {4, 2, 2}}}},
            whole = {{{}, {}}};
  EXPECT_EQ(textOf(mesh, checkPair(mesh, whole, blocks, {4, 8})), " slice [{}, {x} blocks(4, 2, 2)]");
  EXPECT_EQ(textOf(mesh, checkPair(mesh, plain, blocks, {4, 8})), " all_to_all [{}, {x} blocks(4, 2, 2)]");
  EXPECT_EQ(textOf(mesh, checkPair(mesh, blocks, whole, {4, 8})), " all_gather [{}, {}]");
}

TEST(ReshardTest, MemoryLimitChangesThePlanOrIsAnError) {
  Mesh mesh = {{{"x", 2}, {"y", 2}}};
  Placement from = {{{{mesh.full(0)}}, {}}}, to = {{{{mesh.full(1)}}, {}}};
  ReshardOptions options = byBytes();
  options.elementBytes = 4;
  ReshardPlan free = checkPair(mesh, from, to, {8, 8}, options);
  options.memoryLimit = free.peakBytes;
  EXPECT_LE(checkPair(mesh, from, to, {8, 8}, options).peakBytes, options.memoryLimit);
  options.memoryLimit = 16;
  Result<ReshardPlan> none = planReshard(mesh, from, to, std::array<int64_t, 2>{8, 8}, options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.diagnostics()[0].message,
            "no sequence of collectives from [{x}, {}] to [{y}, {}] fits 16 bytes per device");
}

TEST(ReshardTest, SlowLinksAreAvoided) {
  Mesh mesh = {{{"node", 2}, {"gpu", 4}}};
  ReshardOptions options = byBytes();
  options.links = {{1e-5, 1e9}, {1e-6, 1e11}};
  // A sum over all devices is scattered in each node before it is summed over nodes.
  Placement sum = {{{}, {}}, {{mesh.full(0), Reduction::Sum}, {mesh.full(1), Reduction::Sum}}},
            whole = {{{}, {}}};
  ReshardPlan plan = checkPair(mesh, sum, whole, {1024, 1024}, options);
  ASSERT_EQ(plan.steps.size(), 3u) << textOf(mesh, plan);
  EXPECT_EQ(plan.steps[0].kind, StepKind::ReduceScatter);
  EXPECT_EQ(plan.steps[1].kind, StepKind::AllReduce);
  EXPECT_EQ(plan.steps[2].kind, StepKind::AllGather);
}

TEST(LowerBoundTest, KnownBounds) {
  Mesh mesh = {{{"x", 2}, {"y", 2}}};
  AxisRef x = mesh.full(0);
  const int64_t dims[] = {8, 8};
  Placement whole = {{{}, {}}}, byX = {{{{x}}, {}}}, columnsX = {{{}, {{x}}}},
            sumX = {{{}, {}}, {{x, Reduction::Sum}}};
  EXPECT_EQ(lowerBound(mesh, whole, byX, dims).total, 0);
  EXPECT_EQ(lowerBound(mesh, byX, whole, dims).perDevice, 32);
  EXPECT_EQ(lowerBound(mesh, byX, columnsX, dims).perDevice, 16);
  EXPECT_EQ(lowerBound(mesh, sumX, whole, dims).perDevice, 64) << "an all_reduce of two terms";
  EXPECT_EQ(lowerBound(mesh, sumX, byX, dims).perDevice, 32);
}

} // namespace
} // namespace proa::spmd
