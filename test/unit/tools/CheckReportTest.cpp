#include "tools/proa-check/Report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace proa;
using namespace proa::tools;
using check::Status;
using testing::HasSubstr;

namespace {

Outcome failedAt(const std::string &stage, const std::vector<std::string> &messages) {
  Outcome outcome;
  outcome.stage = stage;
  for (const std::string &message : messages)
    outcome.diagnostics.add("program.json", message);
  return outcome;
}

Report example() {
  Outcome passed;
  passed.status = Status::Passed;
  Outcome skipped = failedAt("read", {"collective"});
  skipped.status = Status::Skipped;
  return {{{"c/ops/a", "ops"},
           {"c/ops/b", "ops"},
           {"c/ops/c", "ops"},
           {"c/models/d", "models"},
           {"c/models/e", "models"}},
          {passed, failedAt("import", {"op 17: unknown op 'conv2d'", "op 18: unknown op 'conv2d'"}),
           failedAt("import", {"op 3: unknown op 'conv2d'"}),
           failedAt("compare", {"4 of 5 elements differ; at [1] got <1>, expected 2"}), skipped}};
}

TEST(CheckReport, LastLineCountsCases) { EXPECT_EQ(lastLine(example()), "1 passed, 3 failed, 1 skipped"); }

TEST(CheckReport, ReasonsAreGroupedOncePerCase) {
  std::string table = reasonTable(example(), 10);
  EXPECT_THAT(table, HasSubstr("     2  import: op N: unknown op 'conv2d'  (c/ops/b)\n"));
  EXPECT_THAT(table, HasSubstr("     1  compare: values differ  (c/models/d)\n"));
  EXPECT_THAT(reasonTable(example(), 1), HasSubstr("and 1 other reasons"));
  EXPECT_EQ(reasonTable({}, 10), "");
}

TEST(CheckReport, GroupsHaveARowEach) {
  std::string table = groupTable(example());
  EXPECT_THAT(table, HasSubstr("models                 0       1       1"));
  EXPECT_THAT(table, HasSubstr("ops                    1       2       0"));
  EXPECT_THAT(table, HasSubstr("all                    1       3       1"));
}

TEST(CheckReport, CaseLineGivesTheFirstReason) {
  Report report = example();
  EXPECT_EQ(caseLine(report.cases[1], report.outcomes[1], false),
            "FAIL c/ops/b: import: program.json: op 17: unknown op 'conv2d' (and 1 more)\n");
  report.outcomes[1].output = "one\ntwo";
  EXPECT_THAT(caseLine(report.cases[1], report.outcomes[1], true),
              HasSubstr("     program.json: op 18: unknown op 'conv2d'\n     | one\n     | two\n"));
}

TEST(CheckReport, FilesForOtherPrograms) {
  nlohmann::json json = nlohmann::json::parse(toJson(example()));
  EXPECT_EQ(json["summary"], "1 passed, 3 failed, 1 skipped");
  EXPECT_EQ(json["cases"][4]["status"], "skipped");
  EXPECT_EQ(json["cases"][1]["problems"][1]["message"], "op 18: unknown op 'conv2d'");
  std::string junit = toJunit(example());
  EXPECT_THAT(junit, HasSubstr("tests=\"5\" failures=\"3\" skipped=\"1\""));
  EXPECT_THAT(junit, HasSubstr("got &lt;1&gt;, expected 2"));
}

} // namespace
