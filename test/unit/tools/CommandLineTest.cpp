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
  Diagnostics diagnostics;
  FeedDims dims = parseFeedDims({"image=1x3x224x224,a=b=7", "scalar="}, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << diagnostics.text();
  EXPECT_THAT(dims, ElementsAre(Pair("a=b", ElementsAre(7)), Pair("image", ElementsAre(1, 3, 224, 224)),
                                Pair("scalar", IsEmpty())));
}

TEST(CommandLine, EveryWrongDimIsReported) {
  for (const char *wrong : {"1x3", "x=x", "x=1x", "x=1,2", "x=-1", "x=1x?", "x=9223372036854775807x2",
                            "x=99999999999999999999"}) {
    Diagnostics diagnostics;
    parseFeedDims({wrong}, diagnostics);
    EXPECT_EQ(diagnostics.size(), 1u) << wrong;
  }
  Diagnostics diagnostics;
  EXPECT_THAT(parseFeedDims({"x=1", "y=z", "x=2", "w=3"}, diagnostics),
              ElementsAre(Pair("w", ElementsAre(3)), Pair("x", ElementsAre(1))));
  EXPECT_THAT(diagnostics.text(),
              AllOf(HasSubstr("found 'y=z', expected NAME=1x3x224x224"), HasSubstr("'x' occurs twice")));
}

/// A tool with a positional argument, a flag with an optional value, an option of several values.
class Arguments : public testing::Test {
protected:
  Arguments() {
    line.add_option("model", model)->required();
    line.add_flag("--recompute{cheap}", recompute);
    line.add_option("--dims", dims)->allow_extra_args(false);
    line.takeNextValue("--recompute", [](const std::string &text) { return text == "100"; });
    line.takeMoreValues("--dims", isFeedDims);
  }
  std::optional<int> read(std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), "tool");
    return line.read(static_cast<int>(arguments.size()), const_cast<char **>(arguments.data()));
  }
  CommandLine line{"tool", "", ""};
  std::string model, recompute;
  std::vector<std::string> dims;
};

TEST_F(Arguments, FlagTakesNextArgument) {
  EXPECT_FALSE(read({"--recompute", "100", "m"}));
  EXPECT_EQ(recompute, "100");
  EXPECT_EQ(model, "m");
}

TEST_F(Arguments, FlagDoesNotTakeModel) {
  EXPECT_FALSE(read({"--recompute", "m"}));
  EXPECT_EQ(recompute, "cheap");
  EXPECT_EQ(model, "m");
}

TEST_F(Arguments, ValuesAfterEqualsSignOrDashesAreKept) {
  EXPECT_FALSE(read({"--recompute=7", "--", "100"}));
  EXPECT_EQ(recompute, "7");
  EXPECT_EQ(model, "100");
}

TEST_F(Arguments, OptionTakesSeveralValues) {
  EXPECT_FALSE(read({"--dims", "a=1", "b=2,c=3x4", "m", "--dims=d=5", "e=6"}));
  EXPECT_THAT(dims, ElementsAre("a=1", "b=2,c=3x4", "d=5", "e=6"));
  EXPECT_EQ(model, "m");
}

} // namespace
