//! Axes of factors, by exhaustion: the shards of a dimension are the products of the shards of its factors.
#include "passes/spmd/FactorAxes.h"

#include <gtest/gtest.h>

namespace proa {
namespace {

using pd::FactorKind;
using pd::ShardingRule;

const spmd::Mesh meshes[] = {{{{"x", 2}, {"y", 2}}}, {{{"x", 4}, {"y", 2}}}, {{{"x", 2}, {"y", 3}}}};

/// The axes of a mesh and their proper sub-axes.
std::vector<spmd::AxisRef> allAxes(const spmd::Mesh &mesh) {
  std::vector<spmd::AxisRef> axes;
  for (unsigned i = 0; i < mesh.axes.size(); ++i)
    for (int64_t pre = 1; pre <= mesh.axes[i].size; ++pre)
      for (int64_t size = 2; pre * size <= mesh.axes[i].size; ++size)
        if (mesh.axes[i].size % (pre * size) == 0)
          axes.push_back({i, pre, size});
  return axes;
}

/// Calls `visit` for all lists of at most two axes for each factor; overlapping ones too.
template <class Visit> void forAllAxes(const spmd::Mesh &mesh, size_t factors, Visit visit) {
  std::vector<FactorSplit> lists(1);
  for (const spmd::AxisRef &axis : allAxes(mesh)) {
    lists.push_back({axis});
    for (const spmd::AxisRef &second : allAxes(mesh)) {
      FactorSplit list{axis};
      appendAxis(list, second);
      if (list.size() == 2)
        lists.push_back(list);
    }
  }
  FactorAxes axes(factors);
  std::function<void(size_t)> choose = [&](size_t factor) {
    if (factor == factors)
      return visit(axes);
    for (const auto &list : lists) {
      axes[factor] = list;
      choose(factor + 1);
    }
  };
  choose(0);
}

/// The indices of a dimension that a position holds if each factor is split on its own.
std::vector<int64_t> heldByFactors(const spmd::Mesh &mesh, const ShardingRule &rule,
                                   const pd::DimFactors &factors, const FactorAxes &axes, int64_t position) {
  std::vector<int64_t> indices{0};
  for (unsigned factor : factors) {
    spmd::DimPlacement dim{{axes[factor].begin(), axes[factor].end()},
                           {axes[factor].blocks.begin(), axes[factor].blocks.end()}};
    std::vector<int64_t> next;
    for (int64_t outer : indices)
      for (const spmd::Range &range : spmd::localRanges(mesh, dim, rule.factors[factor].size, position))
        for (int64_t i = range.begin; i < range.end; ++i)
          next.push_back(outer * rule.factors[factor].size + i);
    indices = next;
  }
  return indices;
}

std::vector<int64_t> heldByDim(const spmd::Mesh &mesh, const spmd::DimPlacement &dim, int64_t size,
                               int64_t position) {
  std::vector<int64_t> indices;
  for (const spmd::Range &range : spmd::localRanges(mesh, dim, size, position))
    for (int64_t i = range.begin; i < range.end; ++i)
      indices.push_back(i);
  return indices;
}

int64_t sizeOf(const ShardingRule &rule, const pd::DimFactors &factors) {
  int64_t size = 1;
  for (unsigned factor : factors)
    size *= rule.factors[factor].size;
  return size;
}

bool allShardsAgree(const spmd::Mesh &mesh, const ShardingRule &rule, const pd::TensorFactors &tensor,
                    const spmd::Placement &placement, const FactorAxes &axes) {
  for (auto [factors, dim] : llvm::zip_equal(tensor, placement.dims))
    for (int64_t position = 0; position < mesh.size(); ++position)
      if (heldByFactors(mesh, rule, factors, axes, position) !=
          heldByDim(mesh, dim, sizeOf(rule, factors), position))
        return false;
  return true;
}

/// A reshape of [a, b] to [a * b].
ShardingRule merge(int64_t a, int64_t b) { return {{{a}, {b}}, {{{0}, {1}}}, {{{0, 1}}}}; }

ShardingRule matmul() {
  return {{{8}, {4}, {6, FactorKind::Reduction}}, {{{0}, {2}}, {{2}, {1}}}, {{{0}, {1}}}};
}

TEST(FactorAxesTest, AcceptedAxesGiveTheSameShardsAsTheFactors) {
  size_t accepted = 0;
  for (const spmd::Mesh &mesh : meshes)
    for (const ShardingRule &rule : {merge(2, 4), merge(4, 2), merge(2, 3), merge(3, 5), merge(4, 6)})
      forAllAxes(mesh, 2, [&](const FactorAxes &axes) {
        if (!factorMismatch(rule, axes).empty())
          return;
        ++accepted;
        OpPlacements placements = placementsOf(rule, axes);
        EXPECT_TRUE(allShardsAgree(mesh, rule, rule.results[0], placements.results[0], axes));
        EXPECT_EQ(factorAxesOf(rule, placements), axes);
      });
  EXPECT_GT(accepted, 150u);
}

std::vector<std::vector<int64_t>> allBlocks(int64_t size) {
  std::vector<std::vector<int64_t>> lists{{}};
  for (int64_t first = 1; first < size; ++first)
    for (int64_t second = 1; first + second <= size; ++second)
      if (first + second == size)
        lists.push_back({first, second});
      else
        lists.push_back({first, second, size - first - second});
  return lists;
}

/// No axis, and each one.
std::vector<FactorSplit> singleSplits(const spmd::Mesh &mesh) {
  std::vector<FactorSplit> splits(1);
  for (const spmd::AxisRef &axis : allAxes(mesh))
    splits.push_back({axis});
  return splits;
}

/// Blocks of one factor, alone or with another one in a dimension, which is split too or not.
TEST(FactorAxesTest, BlocksGiveTheSameShardsAsTheFactors) {
  size_t accepted = 0;
  ShardingRule copy{{{6}}, {{{0}}}, {{{0}}}};
  for (const spmd::Mesh &mesh : meshes)
    for (const ShardingRule &rule : {copy, merge(2, 4), merge(4, 6), merge(3, 4)})
      for (unsigned factor = 0; factor < rule.factors.size(); ++factor)
        for (const spmd::AxisRef &axis : allAxes(mesh))
          for (const FactorSplit &other : singleSplits(mesh))
            for (const std::vector<int64_t> &blocks : allBlocks(rule.factors[factor].size)) {
              if (rule.factors.size() == 1 && !other.empty())
                continue;
              FactorAxes axes(rule.factors.size(), other);
              axes[factor] = {axis};
              axes[factor].blocks.assign(blocks.begin(), blocks.end());
              if (!factorMismatch(rule, axes).empty())
                continue;
              ++accepted;
              OpPlacements placements = placementsOf(rule, axes);
              EXPECT_TRUE(allShardsAgree(mesh, rule, rule.results[0], placements.results[0], axes))
                  << rule.text() << spmd::toText(mesh, placements.results[0]);
              EXPECT_EQ(factorAxesOf(rule, placements), axes)
                  << rule.text() << spmd::toText(mesh, placements.results[0]);
            }
  EXPECT_GT(accepted, 300u);
}

/// A fused projection: 24 columns are (3, 4, 2). Splitting the second factor gives three blocks.
TEST(FactorAxesTest, OuterFactorsAreBlocks) {
  const spmd::Mesh &mesh = meshes[0];
  ShardingRule rule{{{3}, {4}, {2}}, {{{0, 1, 2}}}, {{{0}, {1}, {2}}}};
  FactorAxes axes{{}, {mesh.full(0)}, {}};
  OpPlacements placements = placementsOf(rule, axes);
  EXPECT_EQ(spmd::toText(mesh, placements.operands[0]), "[{x} blocks(3 * 8)]");
  EXPECT_EQ(spmd::toText(mesh, placements.results[0]), "[{}, {x}, {}]");
  EXPECT_EQ(factorAxesOf(rule, placements), axes);
  // Eight query heads, two key heads and two value heads of size 2.
  rule = {{{12}, {2}}, {{{0, 1}}}, {{{0}, {1}}}};
  axes = {{mesh.full(0)}, {}};
  axes[0].blocks = {8, 2, 2};
  placements = placementsOf(rule, axes);
  EXPECT_EQ(spmd::toText(mesh, placements.operands[0]), "[{x} blocks(16, 4, 4)]");
  EXPECT_EQ(spmd::toText(mesh, placements.results[0]), "[{x} blocks(8, 2, 2), {}]");
  EXPECT_EQ(factorAxesOf(rule, placements), axes);
  // A head cannot be split by blocks of heads.
  placements.operands[0].dims[0].blocks = {15, 5, 4};
  EXPECT_EQ(factorAxesOf(rule, placements), std::nullopt);
}

/// The rule of a split into pieces of 4, 2 and 2.
ShardingRule pieces() {
  ShardingRule rule{{{8, FactorKind::PassThrough}}, {{{0}}}, {{{0}}, {{0}}, {{0}}}};
  rule.factors[0].pieces = {4, 2, 2};
  rule.results[0][0].range = pd::FactorRange{0, 4};
  rule.results[1][0].range = pd::FactorRange{4, 6};
  rule.results[2][0].range = pd::FactorRange{6, 8};
  return rule;
}

TEST(FactorAxesTest, PiecesAreSplitByThemselves) {
  const spmd::Mesh &mesh = meshes[0];
  FactorAxes axes{{mesh.full(0)}};
  EXPECT_EQ(factorMismatch(pieces(), axes), "factor 0 has blocks that do not add up to its size, 8");
  axes[0].blocks = {6, 2};
  EXPECT_EQ(factorMismatch(pieces(), axes), "factor 0 has a block that is partly in a piece");
  axes[0].blocks = {2, 2, 2, 2};
  OpPlacements placements = placementsOf(pieces(), axes);
  EXPECT_EQ(spmd::toText(mesh, placements.results[0]), "[{x} blocks(2, 2)]");
  EXPECT_EQ(spmd::toText(mesh, placements.results[1]), "[{x}]");
  EXPECT_EQ(factorAxesOf(pieces(), placements), axes);
  // The pieces state the blocks also without the whole.
  ShardingRule joined = pieces();
  std::swap(joined.operands, joined.results);
  std::swap(placements.operands, placements.results);
  EXPECT_EQ(factorAxesOf(joined, placements), axes);
  placements.results[0].dims[0].blocks = {4, 2, 2};
  EXPECT_EQ(factorAxesOf(joined, placements), std::nullopt);
  EXPECT_EQ(pieces().text(), "([i])->([i[0:4]], [i[4:6]], [i[6:8]]) {i=8} pieces={i:4+2+2}");
}

TEST(FactorAxesTest, RejectedMergesHaveOtherShards) {
  // Each rejected pair of lists without a repeated axis either gives other shards on some device, or happens
  // to agree because of small sizes: the rule of docs is sufficient, and near misses exist.
  ShardingRule rule = merge(3, 5);
  spmd::Mesh mesh = meshes[0];
  FactorAxes axes{{mesh.full(0)}, {}};
  EXPECT_NE(factorMismatch(rule, axes), "");
  EXPECT_FALSE(allShardsAgree(mesh, rule, rule.results[0], placementsOf(rule, axes).results[0], axes));
  rule = merge(4, 4);
  axes = {{mesh.full(0)}, {mesh.full(1)}};
  EXPECT_NE(factorMismatch(rule, axes), "");
  EXPECT_FALSE(allShardsAgree(mesh, rule, rule.results[0], placementsOf(rule, axes).results[0], axes));
}

TEST(FactorAxesTest, ContractedFactorGivesAPartialResult) {
  const spmd::Mesh &mesh = meshes[0];
  FactorAxes axes{{mesh.full(0)}, {}, {mesh.full(1)}};
  OpPlacements placements = placementsOf(matmul(), axes);
  EXPECT_EQ(spmd::toText(mesh, placements.operands[0]), "[{x}, {y}]");
  EXPECT_EQ(spmd::toText(mesh, placements.operands[1]), "[{y}, {}]");
  EXPECT_EQ(spmd::toText(mesh, placements.results[0]), "[{x}, {}] partial=sum{y}");
  EXPECT_EQ(factorAxesOf(matmul(), placements), axes);
  placements.results[0].partial.clear();
  EXPECT_EQ(factorAxesOf(matmul(), placements), std::nullopt);
}

TEST(FactorAxesTest, OperandsMustAgree) {
  const spmd::Mesh &mesh = meshes[0];
  OpPlacements placements = placementsOf(matmul(), {{mesh.full(0)}, {}, {}});
  placements.operands[0].dims[0].axes = {mesh.full(1)};
  EXPECT_EQ(factorAxesOf(matmul(), placements), std::nullopt);
}

TEST(FactorAxesTest, AnAxisIsCutAtTheEndOfAFactor) {
  const spmd::Mesh &mesh = meshes[1];
  OpPlacements placements{{{{{{{0, 1, 2}}}, {{{0, 2, 2}}}}}}, {{{{{mesh.full(0)}}}}}};
  FactorAxes expected{{{0, 1, 2}}, {{0, 2, 2}}};
  EXPECT_EQ(factorAxesOf(merge(2, 4), placements), expected);
}

FactorSplit blocksOf(const spmd::AxisRef &axis, llvm::ArrayRef<int64_t> blocks) {
  FactorSplit split{axis};
  split.blocks.assign(blocks.begin(), blocks.end());
  return split;
}

TEST(FactorAxesTest, SubAxesOfPartialAxesAreRemoved) {
  using Axes = std::vector<spmd::PartialAxis>;
  Axes axes{{{0, 1, 12}}};
  EXPECT_FALSE(removePartial(axes, {{1, 1, 2}}));
  EXPECT_FALSE(removePartial(axes, {{0, 1, 2}, spmd::Reduction::Max}));
  EXPECT_TRUE(removePartial(axes, {{0, 2, 3}}));
  EXPECT_EQ(axes, (Axes{{{0, 1, 2}}, {{0, 6, 2}}}));
  EXPECT_FALSE(removePartial(axes, {{0, 1, 4}}));
  EXPECT_TRUE(removePartial(axes, {{0, 1, 2}}));
  EXPECT_TRUE(removePartial(axes, {{0, 6, 2}}));
  EXPECT_TRUE(axes.empty());
}

TEST(FactorAxesTest, ReasonsOfMismatches) {
  const spmd::Mesh &mesh = meshes[1];
  EXPECT_EQ(factorMismatch(matmul(), {{mesh.full(0)}, {{0, 2, 2}}, {}}),
            "factor 1 is split by an axis that is already used");
  EXPECT_EQ(factorMismatch(merge(4, 4), {{mesh.full(0)}, blocksOf(mesh.full(1), {2, 2})}),
            "factor 0 is outside of a factor with blocks: expected 1 shard, found 4");
  EXPECT_EQ(factorMismatch(matmul(), {{{1, 1, 2}}, {}, {{1, 1, 2}}}),
            "factor 2 is split by an axis that is already used");
  ShardingRule replicated{{{8, FactorKind::Replicated}}, {{{0}}}, {{{0}}}};
  EXPECT_EQ(factorMismatch(replicated, {{mesh.full(0)}}), "factor 0 is replicated and must not be split");
  EXPECT_EQ(factorMismatch(merge(8, 4), {{mesh.full(0)}, {mesh.full(1)}}),
            "factor 0 is outside of a split factor of its dimension: expected 8 shards, found 4");
  EXPECT_EQ(factorMismatch(merge(6, 4), {{mesh.full(0)}, {}}),
            "factor 0 is not the innermost of its dimension: expected a static size that 4 divides, found 6");
  ShardingRule reductions{
      {{8, FactorKind::Reduction}, {8, FactorKind::Reduction, pd::ReductionKind::Maximum}},
      {{{0}, {1}}},
      {{}}};
  EXPECT_EQ(factorMismatch(reductions, {{mesh.full(0)}, {mesh.full(1)}}),
            "a result is partial by sum and max, which do not commute");
}

} // namespace
} // namespace proa
