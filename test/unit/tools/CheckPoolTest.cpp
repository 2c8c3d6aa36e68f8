#include "tools/proa-check/Pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <iostream>
#include <unistd.h>

using namespace proa;
using namespace proa::tools;
using check::CaseResult;
using check::Stage;
using check::Status;
using testing::HasSubstr;

namespace {

volatile int pretendedWork = 0;

/// Does what the name of the folder says.
CaseResult pretend(const std::string &folder, const std::function<void(Stage)> &onStage) {
  CaseResult result;
  onStage(Stage::Read);
  onStage(Stage::Compile);
  if (folder == "crash")
    ::raise(SIGSEGV);
  if (folder == "exit")
    ::_exit(3);
  if (folder == "hang")
    ::sleep(1000);
  if (folder == "loop")
    while (true)
      pretendedWork = pretendedWork + 1;
  if (folder == "flood")
    for (int i = 0; i < 20000; ++i)
      std::cerr << "a line of noise\n";
  if (folder == "fail") {
    result.status = Status::Failed;
    result.stage = Stage::Import;
    result.diagnostics.add("op 3", "unknown op 'x'");
    result.diagnostics.add("op 4", "unknown op 'y'");
    std::cout << "last words\n" << std::flush;
  }
  return result;
}

std::vector<Outcome> checkFolders(const std::vector<std::string> &folders, int jobs,
                                  const TimeLimits &limits = {}) {
  std::vector<FoundCase> cases;
  for (const std::string &folder : folders)
    cases.push_back({folder, "group"});
  std::vector<Outcome> outcomes(cases.size());
  PoolOptions options{jobs, limits, pretend, {}};
  checkAll(cases, options, [&](size_t i, Outcome outcome) { outcomes[i] = std::move(outcome); });
  return outcomes;
}

TEST(CheckPool, CrashAndTimeOutCostOneCaseOnly) {
  for (int jobs : {1, 4}) {
    std::vector<Outcome> outcomes = checkFolders({"pass", "crash", "pass", "loop", "exit", "pass", "fail"},
                                                 jobs, {.cpu = std::chrono::milliseconds(300)});
    for (size_t i : {0, 2, 5})
      EXPECT_EQ(outcomes[i].status, Status::Passed) << i;
    EXPECT_EQ(outcomes[1].stage, "crash");
    EXPECT_THAT(outcomes[1].diagnostics.text(), HasSubstr("Segmentation fault in stage compile"));
    EXPECT_EQ(outcomes[3].stage, "time-out");
    EXPECT_THAT(outcomes[3].diagnostics.text(),
                HasSubstr("time-out after 0.3 s of CPU time in stage compile"));
    EXPECT_GE(outcomes[3].milliseconds, 300);
    EXPECT_EQ(outcomes[4].stage, "crash");
    EXPECT_THAT(outcomes[4].diagnostics.text(), HasSubstr("ended with code 3"));
    EXPECT_EQ(outcomes[6].stage, "import");
    EXPECT_EQ(outcomes[6].diagnostics.size(), 2u);
    EXPECT_EQ(outcomes[6].output, "last words\n");
  }
}

TEST(CheckPool, SleepingProcessReachesTheLimitOfRealTime) {
  std::vector<Outcome> outcomes = checkFolders({"hang"}, 1, {.real = std::chrono::milliseconds(500)});
  EXPECT_EQ(outcomes[0].stage, "time-out");
  EXPECT_THAT(outcomes[0].diagnostics.text(), HasSubstr("time-out after 0.5 s in stage compile"));
}

TEST(CheckPool, MuchOutputDoesNotBlock) {
  std::vector<Outcome> outcomes = checkFolders({"flood"}, 1);
  EXPECT_EQ(outcomes[0].status, Status::Passed);
  EXPECT_LE(outcomes[0].output.size(), 4000u);
}

TEST(CheckPool, ZeroJobsRunInThisProcess) {
  std::vector<Outcome> outcomes = checkFolders({"pass", "fail"}, 0);
  EXPECT_EQ(outcomes[0].status, Status::Passed);
  EXPECT_EQ(outcomes[1].diagnostics.size(), 2u);
}

TEST(CheckDiscover, FindsAndSelectsCases) {
  std::string corpus = PROA_CORPUS_DIR;
  auto count = [&](const std::vector<std::string> &directories, const Selection &selection) {
    Result<std::vector<FoundCase>> found = findCases(directories, selection);
    return found ? static_cast<int>(found->size()) : -1;
  };
  EXPECT_EQ(count({corpus}, {}), 1180);                              // some are data sets of ONNX models
  EXPECT_EQ(count({corpus + "/pir", corpus + "/pir/lenet"}, {}), 5); // each case once
  EXPECT_EQ(count({corpus + "/control"}, {"while_(simple|nested)$", {}, {}}), 2);
  EXPECT_EQ(count({corpus + "/control"}, {"", {}, {"tanh"}}), 3);
  EXPECT_EQ(
      count({corpus + "/control"}, {"", {"scale", "slice", "tanh", "elementwise_add", "fill_constant"}, {}}),
      1);
  EXPECT_EQ(findCases({corpus + "/control/case/"}, {})->front().group, "control");
}

TEST(CheckDiscover, ReportsAllErrors) {
  Result<std::vector<FoundCase>> found =
      findCases({"no-such-directory", PROA_SOURCE_DIR "/cmake"}, {"(", {}, {}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.diagnostics().size(), 3u);
  EXPECT_THAT(found.diagnostics().text(), HasSubstr("'(' is not a regular expression"));
  EXPECT_THAT(found.diagnostics().text(),
              HasSubstr("no-such-directory: the directory does not exist, expected a directory"));
}

} // namespace
