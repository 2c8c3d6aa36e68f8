#include "lib/support/NearestName.h"

#include <gtest/gtest.h>

namespace proa {
namespace {

const std::vector<std::string> names = {"axis", "keepdim", "transpose_x", "transpose_y", "k"};

TEST(NearestName, FindsMisspellings) {
  EXPECT_EQ(nearestName("axes", names), "axis");
  EXPECT_EQ(nearestName("keep_dims", names), "keepdim");
  EXPECT_EQ(nearestName("tranpose_y", names), "transpose_y");
  EXPECT_EQ(nearestName("trans_y", {"transpose_y"}), std::nullopt); // four of seven characters
}

TEST(NearestName, IsEmptyWhereNothingIsNear) {
  EXPECT_EQ(nearestName("reduce_all", names), std::nullopt);
  EXPECT_EQ(nearestName("z", names), std::nullopt); // every character of "k" would change
  EXPECT_EQ(nearestName("axis", {}), std::nullopt);
}

} // namespace
} // namespace proa
