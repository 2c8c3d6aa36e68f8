#include "lib/check/CaseMeta.h"

#include "lib/base/support/Files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

using namespace proa;
using namespace proa::check;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::string corpus = PROA_CORPUS_DIR;

/// Reads `text` as meta.json.
Result<CaseMeta> readText(const std::string &text) {
  std::string path = (std::filesystem::path(testing::TempDir()) / "proa-meta.json").string();
  EXPECT_TRUE(writeFile(path, text));
  return readCaseMeta(path);
}

TEST(CaseMeta, ReadsRunsAndPrefixes) {
  Result<CaseMeta> meta = readCaseMeta(corpus + "/control/case/meta.json");
  ASSERT_TRUE(meta) << meta.diagnostics().text();
  EXPECT_EQ(meta->name, "control/case");
  EXPECT_EQ(meta->runs, 3);
  EXPECT_THAT(meta->feeds, ElementsAre("x"));
  EXPECT_EQ(meta->runPrefix(0), "");
  EXPECT_EQ(meta->runPrefix(2), "run2/");
  EXPECT_EQ(meta->opHistogram.at("select_input"), 2);
}

TEST(CaseMeta, ReadsStateInputs) {
  Result<CaseMeta> meta = readCaseMeta(corpus + "/training/mlp_noam/meta.json");
  ASSERT_TRUE(meta) << meta.diagnostics().text();
  EXPECT_THAT(meta->stateInputs, ElementsAre("learning_rate_0"));
}

TEST(CaseMeta, ReadsStatistics) {
  Result<CaseMeta> meta = readCaseMeta(corpus + "/ops/poisson/stats/meta.json");
  ASSERT_TRUE(meta) << meta.diagnostics().text();
  CompareRule rule = meta->ruleFor("poisson_0.tmp_0");
  EXPECT_EQ(rule.kind, CompareKind::Stats);
  ASSERT_TRUE(rule.statistics);
  EXPECT_DOUBLE_EQ(rule.statistics->maximum, 10);
  EXPECT_DOUBLE_EQ(rule.statistics->deviation, 1.715773582458496);
}

TEST(CaseMeta, ReadsEveryCaseOfTheCorpus) {
  int cases = 0;
  for (auto &entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (entry.path().filename() != "meta.json")
      continue;
    ++cases;
    Result<CaseMeta> meta = readCaseMeta(entry.path().string());
    EXPECT_TRUE(meta) << meta.diagnostics().text();
    if (meta && meta->training && meta->runnable)
      EXPECT_GE(meta->steps, 3) << meta->name;
  }
  EXPECT_EQ(cases, 903);
}

TEST(CaseMeta, ReportsAllErrorsAtOnce) {
  Result<CaseMeta> meta = readText(R"({"feeds": "x", "rtol": "small", "compare": "close", "runs": 0})");
  ASSERT_FALSE(meta);
  EXPECT_EQ(meta.diagnostics().size(), 4u);
  EXPECT_THAT(meta.diagnostics().text(), HasSubstr("feeds: found \"x\""));
  EXPECT_THAT(meta.diagnostics().text(), HasSubstr("compare: unknown kind 'close'"));
}

TEST(CaseMeta, RefusesOtherJsonThanObject) {
  EXPECT_THAT(readText("[1]").diagnostics().text(), HasSubstr("expected a JSON object"));
  EXPECT_THAT(readText("{\"a\": ").diagnostics().text(), HasSubstr("invalid JSON at byte"));
  EXPECT_THAT(readCaseMeta("missing/meta.json").diagnostics().text(),
              HasSubstr("missing/meta.json: cannot open"));
}

} // namespace
