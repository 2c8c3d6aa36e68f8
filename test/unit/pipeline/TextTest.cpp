// The text form of schedules.
#include "lib/base/pipeline/Text.h"

#include "lib/base/pipeline/Builders.h"

#include <gtest/gtest.h>

using namespace proa;
using namespace proa::pipeline;

namespace {

std::string parseErrors(std::string_view text) { return parseSchedule(text, "s.txt").diagnostics().text(); }

TEST(ScheduleTextTest, OneChunk) {
  EXPECT_EQ(textOf(buildSchedule(ScheduleKind::OneFOneB, {2, 1, 3})), "ranks=2 microbatches=3\n"
                                                                      "0: F0 F1 BW0 F2 BW1 BW2\n"
                                                                      "1: F0 BW0 F1 BW1 F2 BW2\n");
}

TEST(ScheduleTextTest, AllKindsAreReadBack) {
  for (ScheduleKind kind : allScheduleKinds()) {
    if (kind == ScheduleKind::Automatic)
      continue;
    Schedule schedule = buildSchedule(kind, *shapeFor(kind, 3, 5, defaultChunks(kind)));
    Result<Schedule> read = parseSchedule(textOf(schedule), "s.txt");
    ASSERT_TRUE(read) << read.diagnostics().text();
    EXPECT_EQ(*read, schedule) << nameOf(kind);
  }
}

TEST(ScheduleTextTest, CommentsAndBlankLines) {
  Result<Schedule> read =
      parseSchedule("# one rank\n\nranks=1 microbatches=1 # sizes\n0:\tF0 B0  W0\r\n", "s.txt");
  ASSERT_TRUE(read) << read.diagnostics().text();
  EXPECT_EQ(textOf(*read), "ranks=1 microbatches=1\n0: F0 B0 W0\n");
}

TEST(ScheduleTextTest, TimesOfJobs) {
  std::string_view text = "ranks=2 microbatches=1\n"
                          "0: F0=1.5 BW0=0 update=0.25\n"
                          "1: F0=2 B0=1 W0=4e-1\n";
  Result<TimedSchedule> read = parseTimedSchedule(text, "s.txt");
  ASSERT_TRUE(read) << read.diagnostics().text();
  EXPECT_EQ(read->jobTimes, (std::vector<std::vector<double>>{{1.5, 0}, {2, 1, 0.4}}));
  EXPECT_EQ(read->updates, (std::vector<double>{0.25, 0}));
  // F0 of both ranks, B0, and then BW0 of rank 0 beside W0 of rank 1.
  Costs costs{.jobTimes = read->jobTimes, .updates = read->updates};
  Timeline timeline = simulate(read->schedule, costs);
  EXPECT_DOUBLE_EQ(timeline.makespan, 1.5 + 2 + 1 + 0.4);
  EXPECT_DOUBLE_EQ(timeline.period, 1.5 + 2 + 1 + 0.25);
  EXPECT_EQ(textOf(read->schedule, costs), "ranks=2 microbatches=1\n"
                                           "0: F0=1.5 BW0=0 update=0.25\n"
                                           "1: F0=2 B0=1 W0=0.4\n");
  // The order alone.
  EXPECT_EQ(textOf(*parseSchedule(text, "s.txt")), "ranks=2 microbatches=1\n0: F0 BW0\n1: F0 B0 W0\n");
}

TEST(ScheduleTextTest, FaultsOfTimes) {
  EXPECT_EQ(parseErrors("ranks=1\n0: F0=1 B0 W0\n"),
            "error: s.txt:2:9: the job has no time, but others have: expected times of all or of none\n");
  EXPECT_EQ(parseErrors("ranks=1\n0: F0=x BW0=-1 update\n"),
            "error: s.txt:2:4: 'F0=x' is not a time: expected a number from 0 to 1e12, as F0=1.5\n"
            "error: s.txt:2:9: 'BW0=-1' is not a time: expected a number from 0 to 1e12, as F0=1.5\n"
            "error: s.txt:2:16: 'update' is not a job: expected F, B, W or BW with a micro-batch, as F0, or "
            "with a chunk, as F0.1\n");
}

TEST(ScheduleTextTest, ErrorsNameLineAndColumn) {
  EXPECT_EQ(
      parseErrors(""),
      "error: s.txt:1:1: the schedule has no sizes: expected a first line as 'ranks=2 microbatches=4'\n");
  EXPECT_EQ(parseErrors("ranks=0 stages=2\n"),
            "error: s.txt:1:1: 'ranks=0': expected a number from 1 to 4096\n"
            "error: s.txt:1:9: unknown size 'stages=2': expected ranks=N, microbatches=N, chunks=N or "
            "placement=roundrobin|v\n");
  EXPECT_EQ(parseErrors("ranks=1 placement=w\n0: F0\n"),
            "error: s.txt:1:9: unknown placement 'w': expected roundrobin or v\n");
  EXPECT_EQ(
      parseErrors("ranks=1\n0: F0 X1 B W0.x\n0:\n2: F0\nF1\n"),
      "error: s.txt:2:7: 'X1' is not a job: expected F, B, W or BW with a micro-batch, as F0, or with a "
      "chunk, "
      "as F0.1\n"
      "error: s.txt:2:10: 'B' is not a job: expected F, B, W or BW with a micro-batch, as F0, or with a "
      "chunk, "
      "as F0.1\n"
      "error: s.txt:2:12: 'W0.x' is not a job: expected F, B, W or BW with a micro-batch, as F0, or with a "
      "chunk, as F0.1\n"
      "error: s.txt:3:1: rank 0 has two lines: expected one\n"
      "error: s.txt:4:1: rank 2 does not exist: expected a rank below 1\n"
      "error: s.txt:5:1: 'F1' is not a rank: expected a line as '0: F0 BW0'\n");
  EXPECT_EQ(parseErrors("ranks=2\n0: F0 BW0\n"),
            "error: s.txt:3:1: rank 1 has no line: expected a line '1: ...' for each of 2 ranks\n");
}

} // namespace
