#include "lib/checkpoint/BoxIndex.h"
#include "lib/checkpoint/Plan.h"
#include "test/unit/checkpoint/CheckpointTesting.h"

#include <set>

using namespace proa;
using namespace proa::checkpoints;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(BoxTest, FlatRangeIsAtMostTwoBoxesForEachDim) {
  // Elements 5 to 21 of 2 x 3 x 4: the end of row [0, 1], row [0, 2], rows [1, 0] to [1, 1], the begin of [1,
  // 2].
  EXPECT_THAT(boxesOfFlatRange(std::vector<int64_t>{2, 3, 4}, 5, 22),
              ElementsAre(Box{{0, 1}, {1, 2}, {1, 4}}, Box{{0, 1}, {2, 3}, {0, 4}},
                          Box{{1, 2}, {0, 2}, {0, 4}}, Box{{1, 2}, {2, 3}, {0, 2}}));
}

TEST(BoxTest, FlatRangesHaveEachElementInOrder) {
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    Tensor whole = numbered(randomDims(random));
    int64_t begin = static_cast<int64_t>(random() % static_cast<uint64_t>(whole.size() + 1));
    int64_t end = begin + static_cast<int64_t>(random() % static_cast<uint64_t>(whole.size() - begin + 1));
    std::vector<Box> boxes = boxesOfFlatRange(whole.dims(), begin, end);
    EXPECT_LE(boxes.size(), std::max<size_t>(1, 2 * whole.dims().size()));
    int64_t next = begin;
    for (const Box &box : boxes) {
      Tensor slice = sliceOf(whole, box);
      for (int64_t i = 0; i < slice.size(); ++i)
        ASSERT_EQ(slice.as<float>()[i], static_cast<float>(next++));
    }
    EXPECT_EQ(next, end);
  }
}

TEST(BoxTest, CopiesSlicesWithStrides) {
  Tensor whole = numbered({3, 4});
  Tensor slice = sliceOf(whole, {{1, 3}, {1, 3}});
  EXPECT_THAT(params::valuesOf<float>(slice), ElementsAre(5, 6, 9, 10));
}

/// A random box inside of the dims; it may have no elements.
static Box randomBox(std::mt19937 &random, const std::vector<int64_t> &dims) {
  Box box;
  for (int64_t dim : dims) {
    int64_t a = static_cast<int64_t>(random() % static_cast<uint64_t>(dim + 1)),
            b = static_cast<int64_t>(random() % static_cast<uint64_t>(dim + 1));
    box.push_back({std::min(a, b), std::max(a, b)});
  }
  return box;
}

TEST(BoxIndexTest, FindsWhatComparingAllBoxesFinds) {
  std::mt19937 random(2);
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<int64_t> dims = randomDims(random);
    std::vector<Box> boxes;
    for (size_t i = random() % 60; i-- > 0;)
      boxes.push_back(randomBox(random, dims));
    BoxIndex index(boxes);
    for (int query = 0; query < 5; ++query) {
      Box box = randomBox(random, dims);
      std::multiset<size_t> expected, actual;
      for (size_t i = 0; i < boxes.size(); ++i)
        if (volumeOf(box) > 0 && volumeOf(boxes[i]) > 0 && intersection(boxes[i], box))
          expected.insert(i);
      if (volumeOf(box) > 0)
        index.forEachOverlap(box, [&](size_t i) { actual.insert(i); });
      ASSERT_EQ(actual, expected);
    }
  }
}

TEST(PlanTest, NamesElementsThatNoShardHas) {
  std::vector<Box> sources = {{{0, 4}}, {{6, 8}}}, targets = {{{0, 2}}, {{2, 8}}};
  EXPECT_THAT(errorOf(planPieces("w", sources, targets)),
              HasSubstr("tensor 'w': the shards have 4 of the 6 elements of [2:8]"));
}

TEST(PlanTest, CoverNamesEachFault) {
  std::vector<int64_t> dims = {4, 4};
  EXPECT_TRUE(checkCover("i", "w", dims, std::vector<Box>{{{0, 2}, {0, 4}}, {{2, 4}, {0, 4}}}));
  EXPECT_THAT(errorOf(checkCover("i", "w", dims, std::vector<Box>{{{0, 3}, {0, 4}}, {{2, 4}, {0, 4}}})),
              HasSubstr("i: tensor 'w': the shards [0:3][0:4] and [2:4][0:4] have common elements"));
  EXPECT_THAT(errorOf(checkCover("i", "w", dims, std::vector<Box>{{{0, 3}, {0, 4}}})),
              HasSubstr("i: tensor 'w': the shards have 12 of 16 elements"));
  EXPECT_THAT(errorOf(checkCover("i", "w", dims, std::vector<Box>{{{0, 5}, {0, 4}}})),
              HasSubstr("the shard [0:5][0:4] is outside of [0:4][0:4]"));
  EXPECT_THAT(errorOf(checkCover("i", "w", dims, std::vector<Box>{{{0, 4}}})), HasSubstr("is outside of"));
}
