#include "tools/proa-check/KnownFailures.h"

#include "lib/support/Files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

using namespace proa;
using namespace proa::tools;
using check::Status;
using testing::HasSubstr;

namespace {

Result<KnownFailures> readText(const std::string &text) {
  std::string path = (std::filesystem::path(testing::TempDir()) / "proa-known-failures.txt").string();
  EXPECT_TRUE(writeFile(path, text));
  return KnownFailures::read(path);
}

TEST(KnownFailures, NamesAreEndsOfPaths) {
  Result<KnownFailures> known = readText("# a comment\n\nops/relu/basic  # because\nwhole\n");
  ASSERT_TRUE(known) << known.problems().text();
  EXPECT_TRUE(known->contains("ops/relu/basic"));
  EXPECT_TRUE(known->contains("/somewhere/test/corpus/ops/relu/basic"));
  EXPECT_TRUE(known->contains("a/whole"));
  EXPECT_FALSE(known->contains("myops/relu/basic"));
  EXPECT_FALSE(known->contains("ops/relu/basic/more"));
  EXPECT_FALSE(known->contains("relu/basic"));
}

TEST(KnownFailures, WrongLinesAreTold) {
  Problems problems = readText("a b\nc\nc\n").problems();
  EXPECT_EQ(problems.size(), 2u);
  EXPECT_THAT(problems.text(), HasSubstr(".txt:1: found 'a b', expected one case"));
  EXPECT_THAT(problems.text(), HasSubstr(".txt:3: 'c' stands here a second time"));
}

TEST(KnownFailures, UpdateTakesOutWhatPassesAndInWhatFails) {
  Result<KnownFailures> known = readText("ops/a  # old\nops/b\nops/unchecked  # stays\n");
  ASSERT_TRUE(known);
  Outcome passed, failed;
  passed.status = Status::Passed;
  failed.stage = "import";
  failed.problems.add("ops[3]", "op 'x' is not known");
  known->update({{{"c/ops/a", "ops"}, {"c/ops/b", "ops"}, {"c/ops/new", "ops"}}, {passed, failed, failed}});
  EXPECT_THAT(known->text(), testing::EndsWith("ops/b  # import: op 'x' is not known\n"
                                               "ops/new  # import: op 'x' is not known\n"
                                               "ops/unchecked  # stays\n"));
  EXPECT_FALSE(known->contains("ops/a"));
}

} // namespace
