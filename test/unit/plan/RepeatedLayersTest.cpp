#include "lib/compiler/plan/RepeatedLayers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace proa {
namespace {

using testing::ElementsAre;

std::vector<uint64_t> hashesOf(const std::string &ops) { return {ops.begin(), ops.end()}; }

TEST(RepeatedLayersTest, EqualLayersShareAKind) {
  std::vector<double> crossing(20, 1);
  RepeatedLayers layers = findRepeatedLayers(hashesOf("eabcabcabcabch"), crossing);
  EXPECT_THAT(layers.begins, ElementsAre(0, 1, 4, 7, 10, 13));
  EXPECT_THAT(layers.kinds, ElementsAre(0, 1, 1, 1, 1, 2));
}

TEST(RepeatedLayersTest, LayersBeginWhereFewBytesFlow) {
  std::vector<double> crossing(20, 8);
  crossing[2] = 1; // before b
  RepeatedLayers layers = findRepeatedLayers(hashesOf("eabcabcabcabch"), crossing);
  EXPECT_THAT(layers.begins, ElementsAre(0, 2, 5, 8, 11));
  EXPECT_THAT(layers.kinds, ElementsAre(0, 1, 1, 1, 2));
}

TEST(RepeatedLayersTest, TheShortestPeriodIsTaken) {
  RepeatedLayers layers = findRepeatedLayers(hashesOf("abababab"), std::vector<double>(9, 1));
  EXPECT_THAT(layers.begins, ElementsAre(0, 2, 4, 6));
}

TEST(RepeatedLayersTest, DifferentOpsAreCutIntoPieces) {
  std::vector<double> crossing(17, 8);
  crossing[7] = 1;
  RepeatedLayers layers = findRepeatedLayers(hashesOf("abcdefghijklmnop"), crossing, 2);
  EXPECT_THAT(layers.begins, ElementsAre(0, 7));
  EXPECT_THAT(layers.kinds, ElementsAre(0, 1));
}

TEST(RepeatedLayersTest, OneOpIsOneLayer) {
  RepeatedLayers layers = findRepeatedLayers(hashesOf("a"), {0, 0});
  EXPECT_THAT(layers.begins, ElementsAre(0));
}

} // namespace
} // namespace proa
