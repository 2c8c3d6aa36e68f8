// proa-plan: plans of distributed training.
#include "tools/proa-plan/Schedules.h"

using namespace proa;
using namespace proa::tools;

int main(int argc, char **argv) {
  ScheduleOptions schedules;
  CommandLine line(
      "proa-plan",
      "Prints the idle time and memory of a pipeline schedule, checks it and draws it. Nothing is\n"
      "launched, and no device is needed.",
      "  proa-plan --schedule zbv --stages 4 --microbatches 8 --schedule-svg zbv.svg\n"
      "  proa-plan --schedule auto --stages 4 --microbatches 8 --times 2,3,1 --activations 5\n"
      "  proa-plan --schedule my-schedule.txt\n");
  declareSchedules(line, schedules);
  line.get_option("--schedule")->required();
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  return runTool(line, [&] {
    Result<void> done = showSchedule(schedules);
    return done ? finishOutput(ExitCode::success) : fail(done.diagnostics());
  });
}
