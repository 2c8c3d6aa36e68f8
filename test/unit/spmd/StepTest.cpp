//! Steps between placements: each kind does what it says, and wrong placements are refused.
#include "lib/base/spmd/Refine.h"
#include "test/unit/spmd/SimulatedMesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace proa::spmd {
namespace {

constexpr StepKind kinds[] = {StepKind::Slice,    StepKind::ToPartial, StepKind::AllGather,
                              StepKind::AllToAll, StepKind::Permute,   StepKind::ReduceScatter,
                              StepKind::AllReduce};

/// Every step that `mismatch` accepts keeps the tensor and moves as many elements as `receivedCounts` says.
void checkAllSteps(const Mesh &mesh, std::vector<int64_t> dims, std::span<const Reduction> reductions) {
  std::vector<Placement> placements = allPlacements(mesh, dims.size(), reductions);
  std::map<StepKind, int> counts;
  bool isEven = std::ranges::all_of(dims, [&](int64_t dim) { return dim % mesh.size() == 0; });
  for (const Placement &from : placements)
    for (const Placement &to : placements)
      for (StepKind kind : kinds) {
        if (!mismatch(kind, mesh, from, to).empty())
          continue;
        ++counts[kind];
        SimulatedMesh simulated(mesh, dims);
        simulated.fill(from, 1,
                       std::ranges::find(reductions, Reduction::Any) != reductions.end() ||
                           std::ranges::find(reductions, Reduction::All) != reductions.end());
        std::vector<double> expected = simulated.whole();
        std::string error = simulated.apply(kind, to);
        ASSERT_EQ(error, "") << nameOf(kind) << " " << toText(mesh, from) << " -> " << toText(mesh, to);
        ASSERT_EQ(simulated.whole(), expected)
            << nameOf(kind) << " " << toText(mesh, from) << " -> " << toText(mesh, to);
        ASSERT_EQ(simulated.received, receivedCounts(kind, mesh, from, to, dims))
            << nameOf(kind) << " " << toText(mesh, from) << " -> " << toText(mesh, to);
        if (isEven)
          ASSERT_EQ(largestReceivedCount(kind, mesh, from, to, dims),
                    *std::ranges::max_element(simulated.received))
              << nameOf(kind) << " " << toText(mesh, from) << " -> " << toText(mesh, to);
      }
  for (StepKind kind : kinds)
    std::cout << counts[kind] << " " << nameOf(kind) << ", ";
  std::cout << "\n";
}

TEST(StepTest, AcceptedStepsKeepTheTensor) {
  const Reduction sum[] = {Reduction::Sum};
  for (const std::vector<int64_t> &dims : {std::vector<int64_t>{12, 12}, {5, 3}})
    for (const Mesh &mesh : {Mesh{{{"x", 2}, {"y", 2}}}, Mesh{{{"x", 2}, {"y", 3}}}})
      checkAllSteps(mesh, dims, sum);
  checkAllSteps({{{"x", 2}, {"y", 2}, {"z", 2}}}, {4, 5}, sum);
}

TEST(StepTest, AcceptedStepsKeepTheTensorForEachReduction) {
  for (Reduction reduction :
       {Reduction::Max, Reduction::Min, Reduction::Prod, Reduction::Any, Reduction::All})
    checkAllSteps({{{"x", 2}, {"y", 3}}}, {3, 4}, std::array{reduction});
  checkAllSteps({{{"x", 2}, {"y", 2}}}, {3, 4}, std::array{Reduction::Sum, Reduction::Avg});
}

TEST(StepTest, WrongPlacementsAreExplained) {
  Mesh mesh = {{{"x", 2}, {"y", 2}}};
  AxisRef x = mesh.full(0), y = mesh.full(1);
  Placement whole = {{{}, {}}}, byX = {{{{x}}, {}}}, byXY = {{{{x, y}}, {}}}, byYX = {{{{y, x}}, {}}};
  Placement partial = {{{}, {}}, {{x, Reduction::Sum}}};
  EXPECT_EQ(mismatch(StepKind::Slice, mesh, byX, whole),
            "axes must be added to dimensions, as the minor ones");
  EXPECT_EQ(mismatch(StepKind::AllGather, mesh, byXY, byYX), "minor axes must be removed from dimensions");
  EXPECT_EQ(mismatch(StepKind::AllGather, mesh, partial, whole), "the partial axes must stay equal");
  EXPECT_EQ(mismatch(StepKind::AllToAll, mesh, byX, byXY), "an axis must move, or blocks change");
  EXPECT_EQ(mismatch(StepKind::Permute, mesh, byXY, byXY), "the placements must differ");
  Placement byXSumY = {{{{x}}, {}}, {{y, Reduction::Sum}}}, byYSumY = {{{{y}}, {}}, {{y, Reduction::Sum}}};
  EXPECT_EQ(mismatch(StepKind::Permute, mesh, byXSumY, byYSumY),
            "the target must use each axis at most once");
  EXPECT_EQ(mismatch(StepKind::AllReduce, mesh, byX, whole), "a partial axis must be reduced");
  EXPECT_EQ(mismatch(StepKind::AllReduce, mesh, whole, partial), "no axis may become partial");
  EXPECT_EQ(mismatch(StepKind::ReduceScatter, mesh, partial, whole),
            "the reduced axes must be added to dimensions, as the minor ones");
  Placement average = {{{}, {}}, {{x, Reduction::Avg}}};
  EXPECT_EQ(mismatch(StepKind::ToPartial, mesh, byX, average),
            "a shard of a dimension cannot become a term of an average");
  EXPECT_EQ(mismatch(StepKind::ToPartial, mesh, whole, average), "");
}

TEST(StepTest, NewBlocksNeedAnAllToAll) {
  Mesh mesh = {{{"x", 2}}};
  Placement plain = {{{{mesh.full(0)}}}}, blocks = {{{{mesh.full(0)}, {4, 2, 2}}}};
  EXPECT_NE(mismatch(StepKind::Permute, mesh, plain, blocks), "");
  EXPECT_EQ(mismatch(StepKind::AllToAll, mesh, plain, blocks), "");
  SimulatedMesh simulated(mesh, {8});
  simulated.fill(plain, 1);
  std::vector<double> expected = simulated.whole();
  EXPECT_EQ(simulated.apply(StepKind::AllToAll, blocks), "");
  EXPECT_EQ(simulated.whole(), expected);
}

} // namespace
} // namespace proa::spmd
