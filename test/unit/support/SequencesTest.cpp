#include "lib/base/support/Sequences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace proa;
using testing::ElementsAre;
using testing::Pair;

namespace {

Tensor integers(std::vector<int64_t> dims, std::initializer_list<int64_t> elements) {
  Tensor tensor(DType::Int64, std::move(dims));
  std::copy(elements.begin(), elements.end(), tensor.as<int64_t>());
  return tensor;
}

std::vector<int64_t> elementsOf(const Tensor &tensor) {
  return {tensor.as<int64_t>(), tensor.as<int64_t>() + tensor.size()};
}

TEST(Sequences, NamesRoundTrip) {
  EXPECT_EQ(elementName("x", 10), "x[10]");
  EXPECT_EQ(elementEntryOf("a[1][10]")->sequence, "a[1]");
  EXPECT_EQ(elementEntryOf("a[1][10]")->index, 10U);
  for (const char *other : {"x", "[0]", "x[]", "x[01]", "x[-1]", "x[0]y", "x0]"})
    EXPECT_FALSE(elementEntryOf(other)) << other;
}

TEST(Sequences, EndsBeforeMissingElement) {
  Tensor vector(DType::Float32, {3}), matrix(DType::Float32, {2, 1});
  EXPECT_THAT(
      elementDims({{"x", vector}, {"x[0]", vector}, {"x[1]", matrix}, {"x[3]", vector}, {"y[1]", vector}}),
      ElementsAre(Pair("x", ElementsAre(ElementsAre(3), ElementsAre(2, 1)))));
}

TEST(Sequences, UnpacksElements) {
  auto unpacked = unpackSequence("y", integers({3, 2}, {2, 2, 0, 0, 1, 1}), integers({3}, {7, 8, 9}));
  ASSERT_TRUE(unpacked) << unpacked.diagnostics().text();
  std::vector<NamedTensor> &elements = *unpacked;
  ASSERT_EQ(elements.size(), 4U);
  EXPECT_EQ(elements[0].name, "y");
  EXPECT_THAT(elementsOf(elements[0].tensor), ElementsAre(3));
  EXPECT_EQ(elements[1].name, "y[0]");
  EXPECT_THAT(elementsOf(elements[1].tensor), ElementsAre(7, 8));
  EXPECT_EQ(elements[2].tensor.size(), 0);
  EXPECT_THAT(elementsOf(elements[3].tensor), ElementsAre(9));
}

TEST(Sequences, UnpacksScalars) {
  auto unpacked = unpackSequence("y", integers({2, 1}, {1, 1}), integers({2}, {7, 8}));
  ASSERT_TRUE(unpacked) << unpacked.diagnostics().text();
  std::vector<NamedTensor> &elements = *unpacked;
  ASSERT_EQ(elements.size(), 3U);
  EXPECT_TRUE(elements[2].tensor.dims().empty());
  EXPECT_THAT(elementsOf(elements[2].tensor), ElementsAre(8));
}

TEST(Sequences, RowsThatDoNotFitAreErrors) {
  Tensor scalars = integers({2}, {7, 8});
  EXPECT_FALSE(unpackSequence("y", integers({2}, {1, 1}), scalars));
  EXPECT_FALSE(unpackSequence("y", integers({1, 2}, {3, 3}), scalars));
  EXPECT_FALSE(unpackSequence("y", integers({1, 2}, {2, 1}), scalars));
  EXPECT_FALSE(unpackSequence("y", integers({1, 2}, {1, 1}), scalars));
  EXPECT_FALSE(unpackSequence("y", integers({1, 2}, {-2, -2}), scalars));
}

} // namespace
