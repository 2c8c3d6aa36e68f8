//! Reshards between meshes on all pairs of placements: results are right, and the traffic equals the
//! bound.
#include "lib/base/spmd/MeshReshard.h"
#include "lib/base/spmd/Exchange.h"
#include "lib/base/spmd/View.h"
#include "test/unit/spmd/SimulatedMesh.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <numeric>

namespace proa::spmd {
namespace {

/// Latency and overhead near zero, as in ReshardTest.cpp.
ReshardOptions meshesByBytes() {
  ReshardOptions options;
  options.stepSeconds = 1e-12;
  options.copyBandwidth = 1e18;
  return options;
}
const std::vector<Link> fast(3, {1e-12, 1e9});
const Link between = {1e-12, 1e9};

std::string textOf(const Mesh &source, const Mesh &target, const MeshReshardPlan &plan) {
  std::string text;
  for (const ReshardStep &step : plan.before)
    text += fmt::format("{} {}; ", nameOf(step.kind), toText(source, step.to));
  if (plan.move)
    text +=
        fmt::format("move {} to {}", toText(source, plan.move->sent), toText(target, plan.move->received));
  for (const ReshardStep &step : plan.after)
    text += fmt::format("; {} {}", nameOf(step.kind), toText(target, step.to));
  return text;
}

struct MeshSummary {
  double moved = 0, bound = 0, sum = 0, worst = 1, seconds = 0;
  int pairs = 0, checked = 0;
};

/// The elements of a value by its linear index, moved to the shard of a position.
std::vector<double> elementsOfShard(const Mesh &mesh, const Placement &placement,
                                    const std::vector<int64_t> &dims, const std::vector<double> &whole,
                                    int64_t position) {
  std::vector<int64_t> indices{0};
  for (size_t d = 0; d < dims.size(); ++d) {
    std::vector<int64_t> next;
    for (int64_t outer : indices)
      for (const Range &range : localRanges(mesh, placement.dims[d], dims[d], position))
        for (int64_t i = range.begin; i < range.end; ++i)
          next.push_back(outer * dims[d] + i);
    indices = std::move(next);
  }
  std::vector<double> shard;
  for (int64_t index : indices)
    shard.push_back(whole[static_cast<size_t>(index)]);
  return shard;
}

/// Checks and runs a plan: the steps on simulated devices of each mesh, the move by its shards. Returns the
/// elements that devices receive.
int64_t simulate(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                 const std::vector<int64_t> &dims, const MeshReshardPlan &plan) {
  std::string text = textOf(source, target, plan);
  SimulatedMesh before(source, dims), after(target, dims);
  before.fill(from, 7);
  std::vector<double> expected = before.whole();
  Placement at = from;
  auto run = [&](SimulatedMesh &simulated, const Mesh &mesh, const std::vector<ReshardStep> &steps) {
    for (const ReshardStep &step : steps) {
      EXPECT_EQ(mismatch(step.kind, mesh, at, step.to), "") << text;
      EXPECT_EQ(simulated.apply(step.kind, step.to), "") << text;
      at = step.to;
    }
  };
  run(before, source, plan.before);
  EXPECT_EQ(before.whole(), expected) << text;
  int64_t count = std::accumulate(before.received.begin(), before.received.end(), int64_t(0));
  if (!plan.move) {
    // Each device has its shard under the target placement.
    for (int64_t position = 0; position < target.size(); ++position)
      if (to.partial.empty())
        EXPECT_EQ(before.local(*positionOf(source, target.deviceAt(position))),
                  elementsOfShard(target, to, dims, expected, position))
            << text;
    return count;
  }
  EXPECT_EQ(at, plan.move->sent) << text;
  after.set(plan.move->received, expected);
  at = plan.move->received;
  run(after, target, plan.after);
  EXPECT_EQ(at, to) << text;
  EXPECT_EQ(after.whole(), expected) << text;
  count += std::accumulate(after.received.begin(), after.received.end(), int64_t(0));
  return count + trafficOfMove(source, plan.move->sent, target, plan.move->received, dims).total;
}

MeshSummary checkAllPairs(const Mesh &source, const Mesh &target, const std::vector<int64_t> &dims,
                          std::span<const Reduction> reductions) {
  MeshSummary summary;
  for (const Placement &from : allPlacements(source, dims.size(), reductions))
    for (const Placement &to : allPlacements(target, dims.size(), reductions)) {
      auto start = std::chrono::steady_clock::now();
      auto plan = planMeshReshard({source, from, fast}, {target, to, fast}, dims, between, meshesByBytes());
      summary.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      std::string pair = toText(source, from) + " -> " + toText(target, to);
      if (!plan) {
        ADD_FAILURE() << pair << ": " << plan.diagnostics().text();
        return summary;
      }
      int64_t moved = simulate(source, from, target, to, dims, *plan);
      ++summary.checked;
      if (testing::Test::HasFailure()) {
        ADD_FAILURE() << pair;
        return summary;
      }
      if (!from.partial.empty() || !to.partial.empty())
        continue;
      int64_t least = lowerBoundOfMove(source, from, target, to, dims);
      EXPECT_GE(moved, least) << pair;
      summary.moved += static_cast<double>(moved);
      summary.bound += static_cast<double>(least);
      if (least == 0)
        continue;
      double ratio = static_cast<double>(moved) / static_cast<double>(least);
      summary.sum += ratio;
      summary.worst = std::max(summary.worst, ratio);
      ++summary.pairs;
    }
  return summary;
}

const Mesh square = {{{"x", 2}, {"y", 2}}};

TEST(MeshReshardTest, AllPairsAreRightAndNearTheBound) {
  const std::pair<const char *, Mesh> targets[] = {
      {"next stage of equal axes", {{{"x", 2}, {"y", 2}}, {4, 5, 6, 7}}},
      {"next stage of other axes", {{{"z", 3}}, {4, 5, 6}}},
      {"growing", {{{"x", 2}, {"z", 3}}}},
      {"shrinking", {{{"z", 2}}, {0, 3}}},
      {"one device", {{}, {2}}},
      {"overlapping", {{{"x", 2}, {"y", 2}}, {2, 3, 4, 5}}},
      {"another order", {{{"x", 2}, {"y", 2}}, {1, 0, 2, 3}}},
      {"a view", {{{"z", 4}}}},
      {"transposed", {{{"x", 2}, {"y", 2}}, {0, 2, 1, 3}}}};
  const Reduction sum[] = {Reduction::Sum};
  for (const auto &[name, target] : targets) {
    MeshSummary split = checkAllPairs(square, target, {12, 12}, {});
    MeshSummary uneven = checkAllPairs(square, target, {5, 7}, sum);
    checkAllPairs(target, square, {5, 7}, {});
    fmt::print("{}: {} pairs, {} with sums; {:.0f} us each; mean ratio {:.3f}, worst {:.2f}, total moved / "
               "bound {:.3f}\n",
               name, split.checked, uneven.checked, split.seconds / split.checked * 1e6,
               split.sum / std::max(split.pairs, 1), split.worst, split.moved / std::max(split.bound, 1.0));
    EXPECT_LE(split.sum, 1.05 * split.pairs) << name;
    EXPECT_LE(split.worst, 1.6) << name;
    if (HasFailure())
      return;
  }
}

std::string planText(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                     const Link &link, int64_t memoryLimit = 0) {
  ReshardOptions options = meshesByBytes();
  options.memoryLimit = memoryLimit;
  const int64_t dims[] = {64, 64};
  auto plan = planMeshReshard({source, from, fast}, {target, to, fast}, dims, link, options);
  return plan ? textOf(source, target, *plan) : plan.diagnostics()[0].message;
}

const Placement whole = {{{}, {}}};

/// A link between stages that is slower than those in a stage: each element crosses it once, and is gathered
/// on the target ("scatter-gather" of Narayanan et al. 2021).
// A move without steps before and after, as values of sessions move: no element is received twice.
TEST(MeshReshardTest, DirectMovesReachTheBound) {
  const std::vector<int64_t> dims = {12, 7}; // uneven shards too
  int pairs = 0;
  for (const Mesh &target :
       {square, Mesh{{{"z", 3}}}, Mesh{{{"x", 4}}, {3, 1, 2, 0}}, Mesh{{{"y", 2}}, {4, 1}}})
    for (const Placement &from : allPlacements(square, dims.size(), {}))
      for (const Placement &to : allPlacements(target, dims.size(), {})) {
        int64_t least = lowerBoundOfMove(square, from, target, to, dims);
        EXPECT_EQ(trafficOfMove(square, from, target, to, dims).total, least)
            << toText(square, from) << " -> " << toText(target, to);
        ++pairs;
      }
  EXPECT_GT(pairs, 100);
}

TEST(MeshReshardTest, EachElementCrossesASlowLinkOnce) {
  Mesh next = {{{"x", 2}, {"y", 2}}, {4, 5, 6, 7}};
  Link slow = {1e-12, 1e8};
  EXPECT_EQ(planText(square, whole, next, whole, slow), "move [{}, {}] to [{x, y}, {}]; all_gather [{}, {}]");
  // One device sends a quarter to each, instead of four copies.
  Mesh one = {{}, {9}};
  EXPECT_EQ(planText(one, whole, next, whole, slow), "move [{}, {}] to [{x, y}, {}]; all_gather [{}, {}]");
  // With equal links the direct move is as fast and has the fewest steps.
  EXPECT_EQ(planText(square, whole, next, whole, between), "move [{}, {}] to [{}, {}]");
}

TEST(MeshReshardTest, SumsAreCombinedBeforeTheMove) {
  Mesh next = {{{"z", 2}}, {4, 5}};
  Placement sum = whole;
  sum.partial = {{square.full(0), Reduction::Sum}};
  EXPECT_EQ(planText(square, sum, next, {{{{next.full(0)}}, {}}}, between),
            "reduce_scatter [{x, y}, {}]; move [{x, y}, {}] to [{z}, {}]");
}

TEST(MeshReshardTest, ViewsOfTheSameDevicesNeedNoMove) {
  Mesh flat = {{{"z", 4}}}, transposed = {{{"y", 2}, {"x", 2}}, {0, 2, 1, 3}};
  Placement byXY = {{{{square.full(0), square.full(1)}}, {}}}, byZ = {{{{flat.full(0)}}, {}}},
            byYX = {{{{transposed.full(1), transposed.full(0)}}, {}}};
  EXPECT_EQ(planText(square, byXY, flat, byZ, between), "");
  EXPECT_EQ(planText(square, byXY, transposed, byYX, between), "");
  // Sums stay sums.
  Placement sumXY = whole, sumZ = whole;
  for (unsigned axis : {0u, 1u})
    sumXY.partial.push_back({square.full(axis), Reduction::Sum});
  sumZ.partial.push_back({flat.full(0), Reduction::Sum});
  EXPECT_EQ(planText(square, sumXY, flat, sumZ, between), "");
}

TEST(MeshReshardTest, MemoryLimitChangesThePlanOrIsAnError) {
  Mesh next = {{{"x", 2}, {"y", 2}}, {4, 5, 6, 7}};
  Placement rows = {{{{square.full(0), square.full(1)}}, {}}};
  constexpr int64_t bytes = 64 * 64 * 4;
  EXPECT_EQ(planText(square, rows, next, rows, between, bytes / 2), "move [{x, y}, {}] to [{x, y}, {}]");
  EXPECT_EQ(planText(square, rows, next, rows, between, bytes / 4),
            "no plan from [{x, y}, {}] to [{x, y}, {}] of another mesh fits 4096 bytes per device");
}

TEST(MeshReshardTest, SubAxesAreTranslated) {
  Mesh flat = {{{"z", 8}}}, cube = {{{"x", 2}, {"y", 2}, {"w", 2}}};
  auto view = MeshView::of(flat, cube);
  ASSERT_TRUE(view);
  EXPECT_EQ(toText(cube, *view->translated({{{{{0, 2, 2}}}, {{{0, 1, 2}}}}})), "[{y}, {x}]");
  EXPECT_EQ(toText(cube, *view->translated({{{{flat.full(0)}}}})), "[{x, y, w}]");
  auto back = MeshView::of(cube, flat);
  ASSERT_TRUE(back);
  EXPECT_EQ(toText(flat, *back->translated({{{{cube.full(1), cube.full(2)}}}})), "[{z:(2)4}]");
  EXPECT_FALSE(MeshView::of(flat, {{{"z", 4}}})) << "other devices";
  // 2 x 3 and 3 x 2 devices in row-major order have no common sub-axes.
  EXPECT_FALSE(MeshView::of({{{"x", 2}, {"y", 3}}}, {{{"x", 3}, {"y", 2}}}));
}

/// 2,048 devices: the time of a plan must not grow with the square of the mesh.
TEST(MeshReshardTest, LargeMeshes) {
  Mesh source = {{{"node", 128}, {"gpu", 8}}}, target = source;
  for (int64_t device = 0; device < source.size(); ++device)
    target.devices.push_back(source.size() + device);
  Placement from = {{{{source.full(0)}}, {}}}, to = {{{{source.full(0)}}, {{source.full(1)}}}};
  const int64_t dims[] = {1 << 14, 1 << 12};
  auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(planMeshReshard({source, from}, {target, to}, dims));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

} // namespace
} // namespace proa::spmd
