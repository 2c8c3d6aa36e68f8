#include "tools/common/CommandLine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace proa;
using namespace proa::tools;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

namespace {

TEST(CommandLine, DimsAreNumbersBetweenX) {
  Problems problems;
  FeedDims dims = parseFeedDims({"image=1x3x224x224", "a=b=7", "scalar="}, problems);
  EXPECT_TRUE(problems.empty()) << problems.text();
  EXPECT_THAT(dims, ElementsAre(Pair("a=b", ElementsAre(7)), Pair("image", ElementsAre(1, 3, 224, 224)),
                                Pair("scalar", IsEmpty())));
}

TEST(CommandLine, EveryWrongDimIsReported) {
  for (const char *wrong : {"1x3", "x=x", "x=1x", "x=1,2", "x=-1", "x=1x?", "x=9223372036854775807x2",
                            "x=99999999999999999999"}) {
    Problems problems;
    parseFeedDims({wrong}, problems);
    EXPECT_EQ(problems.size(), 1u) << wrong;
  }
  Problems problems;
  EXPECT_THAT(parseFeedDims({"x=1", "y=z", "x=2", "w=3"}, problems),
              ElementsAre(Pair("w", ElementsAre(3)), Pair("x", ElementsAre(1))));
  EXPECT_THAT(problems.text(),
              AllOf(HasSubstr("found 'y=z', expected NAME=1x3x224x224"), HasSubstr("'x' is given twice")));
}

} // namespace
