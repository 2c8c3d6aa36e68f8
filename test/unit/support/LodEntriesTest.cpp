#include "lib/base/support/LodEntries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace proa;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

Tensor rows(int64_t count, Lod lod) {
  Tensor tensor(DType::Float32, {count, 1});
  tensor.setLod(std::move(lod));
  return tensor;
}

TEST(LodEntries, NamesRoundTrip) {
  EXPECT_EQ(lodName("x", 1), "x@LOD1");
  EXPECT_EQ(lodEntryOf("x@GRAD@LOD10")->variable, "x@GRAD");
  EXPECT_EQ(lodEntryOf("x@GRAD@LOD10")->level, 10u);
  for (const char *other : {"x", "@LOD0", "x@LOD", "x@LOD01", "x@LOD-1", "x@LOD0y"})
    EXPECT_FALSE(lodEntryOf(other)) << other;
}

TEST(LodEntries, LevelsRoundTripThroughFile) {
  std::map<std::string, Tensor> tensors =
      withLods({{"x", rows(5, {{0, 1, 2}, {0, 2, 5}})}, {"y", rows(2, {})}});
  EXPECT_EQ(tensors.size(), 4u);
  Diagnostics diagnostics;
  EXPECT_THAT(takeLods(tensors, "f", diagnostics),
              ElementsAre(Pair("x", ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 2, 5)))));
  EXPECT_TRUE(diagnostics.empty()) << diagnostics.text();
  EXPECT_EQ(tensors.size(), 2u);
}

TEST(LodEntries, InvalidLevelsAreErrors) {
  std::map<std::string, Tensor> tensors = withLods({{"x", rows(5, {{0, 1, 2}, {0, 2, 5}})}});
  tensors.erase("x@LOD0");
  tensors.emplace("y", Tensor(DType::Float32, {1}));
  tensors.emplace("y@LOD0", Tensor(DType::Float32, {1}));
  Diagnostics diagnostics;
  takeLods(tensors, "f", diagnostics);
  EXPECT_EQ(diagnostics.size(), 2u);
  EXPECT_THAT(diagnostics.text(), HasSubstr("'x@LOD1' exists, but an outer level is missing"));
  EXPECT_THAT(diagnostics.text(), HasSubstr("'y@LOD0' is float32[1], expected the offsets of a LoD level"));
}

} // namespace
