#include "tools/common/CommandLine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace proa::tools;
using testing::ElementsAre;

namespace {

TEST(CommandLine, DimsAreNumbersBetweenX) {
  EXPECT_THAT(*parseDims("1x3x224x224"), ElementsAre(1, 3, 224, 224));
  EXPECT_THAT(*parseDims("7"), ElementsAre(7));
  EXPECT_TRUE(parseDims("")->empty());
  for (const char *wrong : {"x", "1x", "1,2", "-1", "1x?", "9223372036854775807x2", "99999999999999999999"})
    EXPECT_FALSE(parseDims(wrong)) << wrong;
}

} // namespace
