#include "lib/base/support/Suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace proa;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

const std::vector<std::string> names{"pd-decompose", "pd-amp", "cse", "relu", "relu6", "conv2d_0.tmp_0"};

TEST(Suggest, FindsNamesAtASmallDistance) {
  EXPECT_THAT(nearNames("pd-decompse", names), ElementsAre("pd-decompose"));
  EXPECT_THAT(nearNames("pd-dceompose", names), ElementsAre("pd-decompose")); // two neighbors swapped
  EXPECT_THAT(nearNames("CSE", names), ElementsAre("cse"));
  EXPECT_THAT(nearNames("conv2d_0.tmp0", names), ElementsAre("conv2d_0.tmp_0"));
}

TEST(Suggest, ListsNearestFirstUpToLimit) {
  EXPECT_THAT(nearNames("relu7", names), ElementsAre("relu", "relu6"));
  EXPECT_THAT(nearNames("relu7", names, 1), ElementsAre("relu"));
  EXPECT_THAT(nearNames("conv2d", names), ElementsAre("conv2d_0.tmp_0")); // a prefix of the name
}

TEST(Suggest, FindsNamesOfAttributes) {
  const std::vector<std::string> attributes{"axis", "keepdim", "transpose_x", "transpose_y", "k"};
  EXPECT_THAT(nearNames("axes", attributes), ElementsAre("axis"));
  EXPECT_THAT(nearNames("keep_dims", attributes), ElementsAre("keepdim"));
  EXPECT_THAT(nearNames("tranpose_y", attributes), ElementsAre("transpose_y"));
  EXPECT_THAT(nearNames("trans_y", attributes), IsEmpty()); // four of seven characters
  EXPECT_THAT(nearNames("z", attributes), IsEmpty());       // each character of "k" would change
}

TEST(Suggest, IgnoresDistantNames) {
  EXPECT_THAT(nearNames("softmax", names), IsEmpty());
  EXPECT_THAT(nearNames("", names), IsEmpty());
  EXPECT_EQ(didYouMean("softmax", names), "");
  EXPECT_EQ(didYouMean("reluu", names), "; did you mean 'relu', 'relu6'?");
}

} // namespace
