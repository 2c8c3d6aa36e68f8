// Faults of schedules are found, with rank, position and job.
#include "lib/base/pipeline/Check.h"

#include "lib/base/pipeline/Builders.h"
#include "lib/base/pipeline/Text.h"

#include <gtest/gtest.h>

using namespace proa;
using namespace proa::pipeline;

namespace {

std::string errorsOf(std::string_view text, std::optional<double> memoryLimit = {}) {
  Result<Schedule> schedule = parseSchedule(text, "s.txt");
  EXPECT_TRUE(schedule) << schedule.diagnostics().text();
  return schedule ? check(*schedule, {.memoryLimit = memoryLimit}).text() : "";
}

TEST(ScheduleCheckTest, AValidScheduleHasNoErrors) {
  EXPECT_EQ(errorsOf("ranks=2 microbatches=2\n0: F0 F1 BW0 B1 W1\n1: F0 BW0 F1 BW1\n", 2), "");
}

TEST(ScheduleCheckTest, JobsOutOfRange) {
  EXPECT_EQ(errorsOf("ranks=1\n0: F0 BW0 F1 W0.2\n"),
            "error: rank 0, position 2 (F1): micro-batch 1 does not exist, expected one below 1\n"
            "error: rank 0, position 3 (W0): chunk 2 does not exist, expected one below 1\n");
}

TEST(ScheduleCheckTest, RanksWithoutJobs) {
  EXPECT_EQ(check({{2, 1, 1}, {{}}}).text(), "error: the schedule has jobs of 1 ranks, expected 2\n");
}

TEST(ScheduleCheckTest, MissingJobs) {
  EXPECT_EQ(errorsOf("ranks=1 microbatches=2\n0: F0 B0 W0 F1 B1\n"),
            "error: rank 0, position 5 (end): W or BW of micro-batch 1 is missing, expected it once\n");
  EXPECT_EQ(
      errorsOf("ranks=1 chunks=2 placement=v\n0: F0 F0.1 BW0.1\n"),
      "error: rank 0, position 3 (end): B or BW of micro-batch 0 on chunk 0 is missing, expected it once\n"
      "error: rank 0, position 3 (end): W or BW of micro-batch 0 on chunk 0 is missing, expected it once\n");
}

TEST(ScheduleCheckTest, MissingMicroBatches) {
  std::string expected;
  for (const char *rank : {"0", "1"})
    for (const char *job : {"F", "B or BW", "W or BW"})
      expected += std::string("error: rank ") + rank + ", position 2 (end): " + job +
                  " of micro-batch 1 is missing, expected it once\n";
  EXPECT_EQ(errorsOf("ranks=2 microbatches=2\n0: F0 BW0\n1: F0 BW0\n"), expected);
  // Rank 0 has the micro-batch: the others do not run it.
  EXPECT_EQ(errorsOf("ranks=2 microbatches=2\n0: F0 F1 BW0 BW1\n1: F0 BW0\n"),
            expected.substr(expected.size() / 2));
}

TEST(ScheduleCheckTest, JobsThatAreThereTwice) {
  EXPECT_EQ(
      errorsOf("ranks=1\n0: F0 F0 BW0 W0\n"),
      "error: rank 0, position 1 (F0): F of this micro-batch is at position 0 already, expected it once\n"
      "error: rank 0, position 3 (W0): W of this micro-batch is at position 2 already, expected it once\n");
}

TEST(ScheduleCheckTest, OrderOnARank) {
  EXPECT_EQ(errorsOf("ranks=1\n0: W0 B0 F0\n"),
            "error: rank 0, position 0 (W0): the job needs B0 at position 1, expected it earlier\n"
            "error: rank 0, position 1 (B0): the job needs F0 at position 2, expected it earlier\n");
}

TEST(ScheduleCheckTest, Deadlock) {
  // Rank 0 has the B of micro-batch 1 first, rank 1 the B of micro-batch 0, which waits for F1.
  EXPECT_EQ(
      errorsOf("ranks=2 microbatches=2\n0: F0 BW0 F1 BW1\n1: F0 F1 BW0 BW1\n"),
      "error: rank 0, position 1 (BW0): deadlock: the job waits for BW0 at position 2 of rank 1, which never "
      "runs, expected an order without cycles\n"
      "error: rank 1, position 1 (F1): deadlock: the job waits for F1 at position 2 of rank 0, which never "
      "runs, expected an order without cycles\n");
}

TEST(ScheduleCheckTest, Memory) {
  EXPECT_EQ(errorsOf("ranks=1 microbatches=3\n0: F0 F1 B0 F2 W0 BW1 BW2\n", 2),
            "error: rank 0, position 3 (F2): the rank holds activations of 3, expected at most 2\n");
}

TEST(ScheduleCheckTest, SendsThatWaitForEachOther) {
  // Both ranks send before they receive: this ends only if sends do not wait.
  Job forward{JobKind::Forward, 1}, backward{JobKind::Backward, 0};
  std::vector<std::vector<Action>> actions{
      {{ActionKind::Send, forward, 1}, {ActionKind::Receive, backward, 1}},
      {{ActionKind::Send, backward, 0}, {ActionKind::Receive, forward, 0}}};
  Shape shape{2, 1, 2};
  EXPECT_EQ(
      checkBlocking(shape, actions).text(),
      "error: rank 0, action 0 (send F1 to rank 1): deadlock: rank 1 waits at action 0 (send BW0 to rank 0), "
      "expected the matching action\n"
      "error: rank 1, action 0 (send BW0 to rank 0): deadlock: rank 0 waits at action 0 (send F1 to rank 1), "
      "expected the matching action\n");
  std::swap(actions[1][0], actions[1][1]);
  EXPECT_EQ(checkBlocking(shape, actions).text(), "");
  actions[0].pop_back();
  EXPECT_EQ(checkBlocking(shape, actions).text(),
            "error: rank 1, action 1 (send BW0 to rank 0): deadlock: rank 0 has ended, expected the matching "
            "action\n");
}

TEST(EmissionTest, ReceivesAreInTheOrderOfTheSends) {
  std::vector<std::vector<Action>> actions = emitActions(buildSchedule(ScheduleKind::OneFOneB, {2, 1, 2}));
  std::string text;
  for (const Action &action : actions[0])
    text += textOf(action, 1) + "\n";
  EXPECT_EQ(text, "F0\nsend F0 to rank 1\nF1\nsend F1 to rank 1\nreceive BW0 from rank 1\nBW0\n"
                  "receive BW1 from rank 1\nBW1\n");
}

} // namespace
