//! Placements by exhaustion: which position holds which element.
#include "lib/base/spmd/Refine.h"
#include "test/unit/spmd/SimulatedMesh.h"

#include <gtest/gtest.h>

#include <numeric>

namespace proa::spmd {
namespace {

TEST(ShardRangeTest, ShardsCoverTheDimensionInOrder) {
  for (int64_t size = 0; size <= 20; ++size)
    for (int64_t shards = 1; shards <= 12; ++shards) {
      int64_t end = 0;
      for (int64_t shard = 0; shard < shards; ++shard) {
        Range range = shardRange(size, shards, shard);
        EXPECT_EQ(range.begin, end);
        EXPECT_GE(range.size(), size / shards);
        EXPECT_LE(range.size(), (size + shards - 1) / shards);
        EXPECT_LE(range.size(), shardRange(size, shards, 0).size());
        end = range.end;
      }
      EXPECT_EQ(end, size);
    }
}

TEST(ShardRangeTest, ShardsOfShardsAreAFinerSplit) {
  for (int64_t size = 0; size <= 20; ++size)
    for (int64_t k = 1; k <= 4; ++k)
      for (int64_t m = 1; m <= 4; ++m)
        for (int64_t i = 0; i < k; ++i) {
          EXPECT_EQ(shardRange(size, k, i).begin, shardRange(size, k * m, i * m).begin);
          EXPECT_EQ(shardRange(size, k, i).end, shardRange(size, k * m, i * m + m - 1).end);
        }
}

TEST(ShardRangeTest, LargeSizesDoNotOverflow) {
  int64_t size = int64_t(1) << 62;
  EXPECT_EQ(shardRange(size, 1024, 1023).end, size);
  EXPECT_EQ(shardRange(size, 1024, 0).size(), size / 1024);
}

/// Each element is at the positions whose shard is floor(e * n / S) in each dimension.
TEST(PlacementTest, EachElementIsHeldByItsShardOnly) {
  const std::vector<int64_t> shapes[] = {{6, 4}, {5, 7}, {1, 3}, {0, 2}};
  size_t checked = 0;
  for (const Mesh &mesh : smallMeshes)
    for (const Placement &placement : allPlacements(mesh, 2, {}))
      for (const std::vector<int64_t> &dims : shapes)
        for (int64_t row = 0; row < dims[0]; ++row)
          for (int64_t column = 0; column < dims[1]; ++column) {
            const int64_t index[] = {row, column};
            std::vector<int64_t> expected;
            for (int64_t position = 0; position < mesh.size(); ++position) {
              bool isHolder = true;
              for (size_t d = 0; d < 2; ++d) {
                int64_t shards = 1, shard = 0;
                for (const AxisRef &axis : placement.dims[d].axes) {
                  shards *= axis.size;
                  shard = shard * axis.size + mesh.coordinate(axis, position);
                }
                isHolder &= index[d] * shards / dims[d] == shard;
              }
              if (isHolder)
                expected.push_back(position);
            }
            EXPECT_EQ(holdersOf(mesh, placement, dims, index), expected) << toText(mesh, placement);
            ++checked;
          }
  std::cout << checked << " elements of placements checked\n";
}

TEST(PlacementTest, LocalDimsCountTheHeldElements) {
  for (const Mesh &mesh : smallMeshes)
    for (const Placement &placement : allPlacements(mesh, 2, {})) {
      const int64_t dims[] = {5, 7};
      for (int64_t position = 0; position < mesh.size(); ++position) {
        std::vector<int64_t> local = localDims(mesh, placement, dims, position);
        int64_t count = 0;
        for (int64_t row = 0; row < 5; ++row)
          for (int64_t column = 0; column < 7; ++column)
            count += holds(mesh, placement, dims, position, std::array{row, column});
        EXPECT_EQ(local[0] * local[1], count);
        EXPECT_LE(local[0] * local[1], largestLocalCount(placement, dims));
      }
    }
}

TEST(PlacementTest, BlocksAreSplitEach) {
  Mesh mesh = {{{"x", 2}}};
  // Query of 8 columns, key and value of 4 each: grouped-query attention.
  DimPlacement dim = {{mesh.full(0)}, {8, 4, 4}};
  EXPECT_EQ(localRanges(mesh, dim, 16, 0), (std::vector<Range>{{0, 4}, {8, 10}, {12, 14}}));
  EXPECT_EQ(localRanges(mesh, dim, 16, 1), (std::vector<Range>{{4, 8}, {10, 12}, {14, 16}}));
  EXPECT_EQ(evenLocalSize(dim, 16), 8);
  dim.blocks = {9, 4, 3};
  EXPECT_EQ(evenLocalSize(dim, 16), std::nullopt);
}

TEST(MeshTest, SubAxesAreDigitsOfTheCoordinate) {
  Mesh mesh = {{{"x", 12}, {"y", 2}}};
  for (int64_t position = 0; position < mesh.size(); ++position) {
    int64_t major = mesh.coordinate({0, 1, 2}, position), middle = mesh.coordinate({0, 2, 3}, position),
            minor = mesh.coordinate({0, 6, 2}, position);
    EXPECT_EQ((major * 3 + middle) * 2 + minor, position / 2);
  }
}

TEST(MeshTest, SubAxesOverlapIfTheyIntersectOrDoNotNest) {
  AxisRef full{0, 1, 12};
  EXPECT_TRUE(overlap(full, {0, 2, 3}));
  EXPECT_TRUE(overlap({0, 1, 4}, {0, 2, 3}));
  EXPECT_TRUE(overlap({0, 1, 2}, {0, 3, 2})) << "[1, 2) and [3, 6) do not nest in 12";
  EXPECT_FALSE(overlap({0, 1, 2}, {0, 2, 3}));
  EXPECT_FALSE(overlap({0, 1, 2}, {0, 6, 2})) << "a sub-axis between them is not used";
  EXPECT_FALSE(overlap({0, 1, 12}, {1, 1, 12}));
}

TEST(RefineTest, AxesAreCutAtTheEndsOfSubAxes) {
  Mesh mesh = {{{"x", 12}, {"y", 2}}};
  Placement a = {{{{{0, 2, 3}}}, {{{1, 1, 2}}}}}, b = {{{{{0, 1, 2}}}, {}}};
  auto refined = refine(mesh, std::array{a, b});
  ASSERT_TRUE(refined);
  ASSERT_EQ(refined->mesh.axes.size(), 4u);
  EXPECT_EQ(refined->mesh.axes[1].size, 3);
  EXPECT_EQ(refined->placements[0].dims[0].axes, std::vector{refined->mesh.full(1)});
  EXPECT_EQ(refined->toOriginal(mesh, refined->placements[0]), a);
  Placement c = {{{{{0, 1, 3}}}, {}}};
  EXPECT_FALSE(refine(mesh, std::array{b, c})) << "2 and 3 of 12 do not nest";
}

TEST(RefineTest, CanonicalFormJoinsSubAxes) {
  Mesh mesh = {{{"x", 4}, {"y", 1}}};
  Placement split = {{{{{0, 1, 2}, {0, 2, 2}, {1, 1, 1}}}}};
  Placement joined = {{{{mesh.full(0)}}}};
  EXPECT_EQ(canonical(mesh, split), joined);
  // The joined and the split form hold the same elements, also where 4 does not divide the size.
  const int64_t dims[] = {7};
  for (int64_t position = 0; position < 4; ++position)
    EXPECT_EQ(localRanges(mesh, split.dims[0], 7, position), localRanges(mesh, joined.dims[0], 7, position));
  EXPECT_EQ(holdersOf(mesh, joined, dims, std::array<int64_t, 1>{6}), std::vector<int64_t>{3});
}

} // namespace
} // namespace proa::spmd
