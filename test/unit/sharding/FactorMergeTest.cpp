//! The rules of FactorMerge, by the examples in its header, and the choice between orders of tensors.
#include "passes/spmd/propagation/FactorMerge.h"

#include <gtest/gtest.h>

namespace proa::sharding {
namespace {

using pd::FactorKind;
using pd::ShardingRule;
using spmd::AxisRef;
using spmd::Placement;

/// x = 4 and y = 2; `xMajor` and `xMinor` are the halves of x.
constexpr AxisRef x{0, 1, 4}, y{1, 1, 2}, xMajor{0, 1, 2}, xMinor{0, 2, 2};

/// A placement whose dims are split by these axes.
Placement split(std::vector<std::vector<AxisRef>> dims) {
  Placement placement;
  for (std::vector<AxisRef> &axes : dims)
    placement.dims.push_back({std::move(axes)});
  return placement;
}

FactorMerge merged(const ShardingRule &rule, const std::vector<Placement> &placements) {
  FactorMerge merge(rule);
  for (unsigned i = 0; i < placements.size(); ++i)
    merge.add(i, tensorOf(rule, i), placements[i]);
  return merge;
}

CachedRule cached(const ShardingRule &rule) { return {rule, rule}; }

FactorChoice choose(const CachedRule &rule, const std::vector<Placement> &placements,
                    llvm::function_ref<double(const FactorAxes &)> cost) {
  std::vector<const Placement *> requested;
  for (const Placement &placement : placements)
    requested.push_back(&placement);
  return chooseAxes(rule, requested, /*isAnnotated=*/false, cost);
}

/// An elementwise op of two operands: ([i, j], [i, j])->([i, j]).
ShardingRule elementwise(int64_t rows = 8, int64_t columns = 8) {
  return {{{rows}, {columns}}, {{{0}, {1}}, {{0}, {1}}}, {{{0}, {1}}}};
}

/// ([i, k], [k, j])->([i, j]) reduction={k:sum}.
ShardingRule matmul() {
  return {{{8}, {8}, {8, FactorKind::Reduction}}, {{{0}, {2}}, {{2}, {1}}}, {{{0}, {1}}}};
}

TEST(FactorMergeTest, EqualSplitsAgree) {
  FactorMerge merge = merged(elementwise(), {split({{x}, {y}}), split({{x}, {}}), split({{}, {y}})});
  EXPECT_EQ(merge.axes, (FactorAxes{{x}, {y}}));
  EXPECT_FALSE(merge.hasConflict);
  EXPECT_EQ(merge.source, (llvm::SmallVector<unsigned>{0, 0}));
}

TEST(FactorMergeTest, TensorsAddAxesToDifferentFactors) {
  FactorMerge merge = merged(matmul(), {split({{x}, {}}), split({{}, {y}}), split({{}, {}})});
  EXPECT_EQ(merge.axes, (FactorAxes{{x}, {y}, {}}));
  EXPECT_FALSE(merge.hasConflict);
  EXPECT_EQ(merge.source, (llvm::SmallVector<unsigned>{0, 1, 0}));
}

TEST(FactorMergeTest, ALongerListExtendsItsPrefix) {
  FactorMerge merge = merged(elementwise(), {split({{x}, {}}), split({{x, y}, {}}), split({{}, {}})});
  EXPECT_EQ(merge.axes, (FactorAxes{{x, y}, {}}));
  EXPECT_FALSE(merge.hasConflict);
  EXPECT_EQ(merge.source[0], 1u);
}

TEST(FactorMergeTest, APrefixOfWhatIsThereChangesNothing) {
  FactorMerge merge = merged(elementwise(), {split({{x, y}, {}}), split({{xMajor}, {}}), split({{x}, {}})});
  EXPECT_EQ(merge.axes, (FactorAxes{{x, y}, {}}));
  EXPECT_FALSE(merge.hasConflict);
  EXPECT_EQ(merge.source[0], 0u);
}

TEST(FactorMergeTest, AnAxisExtendsItsMajorSubAxis) {
  FactorMerge merge = merged(elementwise(), {split({{xMajor}, {}}), split({{x}, {}}), split({{}, {}})});
  EXPECT_EQ(merge.axes, (FactorAxes{{x}, {}}));
  EXPECT_FALSE(merge.hasConflict);
}

TEST(FactorMergeTest, OtherAxesForAFactorConflict) {
  for (const AxisRef &other : {y, xMinor}) {
    FactorMerge merge = merged(elementwise(), {split({{xMajor}, {}}), split({{other}, {}}), split({{}, {}})});
    EXPECT_EQ(merge.axes, (FactorAxes{{xMajor}, {}}));
    EXPECT_TRUE(merge.hasConflict);
  }
}

TEST(FactorMergeTest, AnAxisOfAnotherFactorConflicts) {
  // i is split by x already, so j does not get it.
  FactorMerge merge = merged(matmul(), {split({{x}, {}}), split({{}, {x}}), split({{}, {}})});
  EXPECT_EQ(merge.axes, (FactorAxes{{x}, {}, {}}));
  EXPECT_TRUE(merge.hasConflict);
}

TEST(FactorMergeTest, AxesBeforeAUsedOneAreTaken) {
  FactorMerge merge = merged(matmul(), {split({{x}, {}}), split({{}, {y, x}}), split({{}, {}})});
  EXPECT_EQ(merge.axes, (FactorAxes{{x}, {y}, {}}));
  EXPECT_TRUE(merge.hasConflict);
}

TEST(FactorMergeTest, ASubAxisOfAUsedAxisConflicts) {
  FactorMerge merge = merged(matmul(), {split({{x}, {}}), split({{}, {xMinor}}), split({{}, {}})});
  EXPECT_EQ(merge.axes, (FactorAxes{{x}, {}, {}}));
  EXPECT_TRUE(merge.hasConflict);
}

TEST(FactorMergeTest, AFactorGetsAtMostAsManyShardsAsElements) {
  // x and y are 8 shards of 4 rows; another order of the tensors does not change that, so they do not
  // conflict.
  FactorMerge merge = merged(elementwise(4), {split({{x, y}, {}}), split({{}, {}}), split({{}, {}})});
  EXPECT_EQ(merge.axes, (FactorAxes{{x}, {}}));
  EXPECT_FALSE(merge.hasConflict);
}

TEST(FactorMergeTest, AReplicatedFactorIsNotSplit) {
  ShardingRule rule = elementwise();
  rule.factors[0].kind = FactorKind::Replicated;
  FactorMerge merge = merged(rule, {split({{x}, {y}}), split({{}, {}}), split({{}, {}})});
  EXPECT_EQ(merge.axes, (FactorAxes{{}, {y}}));
  EXPECT_FALSE(merge.hasConflict);
}

TEST(FactorMergeTest, OtherBlocksConflict) {
  Placement blocks = split({{y}, {}}), whole = split({{y}, {}});
  blocks.dims[0].blocks = {4, 4};
  FactorMerge merge = merged(elementwise(), {blocks, whole, split({{}, {}})});
  ASSERT_EQ(merge.axes[0].size(), 1u);
  EXPECT_EQ(merge.axes[0].blocks, (llvm::SmallVector<int64_t, 0>{4, 4}));
  EXPECT_TRUE(merge.hasConflict);
}

/// A reshape of [rows, 4] to [4 * rows], both dims of the operand split.
FactorAxes splitOfReshape(int64_t rows) {
  ShardingRule rule{{{rows}, {4}}, {{{0}, {1}}}, {{{0, 1}}}};
  FactorMerge merge = merged(rule, {split({{y}, {xMajor}}), split({{}})});
  EXPECT_EQ(dimMismatch(rule, rule.results[0][0], merge.axes), "");
  EXPECT_FALSE(merge.hasConflict);
  return merge.axes;
}

TEST(FactorMergeTest, ADimOfSeveralFactorsKeepsALegalSplit) {
  // Two rows are whole shards, so that their columns may be split too.
  EXPECT_EQ(splitOfReshape(2), (FactorAxes{{y}, {xMajor}}));
  // Two shards of four rows must not be split further by columns.
  EXPECT_EQ(splitOfReshape(4), (FactorAxes{{y}, {}}));
  // Two shards of three rows are uneven, which only the innermost factor of a dimension may be.
  EXPECT_EQ(splitOfReshape(3), (FactorAxes{{}, {xMajor}}));
}

TEST(FactorMergeTest, CostDecidesAConflict) {
  CachedRule rule = cached(elementwise());
  std::vector<Placement> placements{split({{x}, {}}), split({{y}, {}}), split({{}, {}})};
  for (const AxisRef &cheap : {x, y}) {
    FactorChoice choice = choose(
        rule, placements, [&](const FactorAxes &axes) { return axes[0] == FactorSplit{cheap} ? 1.0 : 2.0; });
    EXPECT_EQ(choice.axes, (FactorAxes{{cheap}, {}}));
    EXPECT_EQ(choice.source[0], cheap == x ? 0u : 1u);
  }
}

TEST(FactorMergeTest, TheFirstOfEqualCostsWins) {
  FactorChoice choice = choose(cached(elementwise()), {split({{x}, {}}), split({{y}, {}}), split({{}, {}})},
                               [](const FactorAxes &) { return 1.0; });
  EXPECT_EQ(choice.axes, (FactorAxes{{x}, {}}));
}

TEST(FactorMergeTest, WithoutAConflictNothingIsCosted) {
  FactorChoice choice =
      choose(cached(matmul()), {split({{x}, {}}), split({{}, {y}}), split({{}, {}})}, [](const FactorAxes &) {
        ADD_FAILURE() << "cost of the only candidate";
        return 0.0;
      });
  EXPECT_EQ(choice.axes, (FactorAxes{{x}, {y}, {}}));
}

} // namespace
} // namespace proa::sharding
