// proa-plan: plans of distributed training.
#include "tools/proa-plan/Modes.h"
#include "tools/proa-plan/Plans.h"
#include "tools/proa-plan/Schedules.h"

using namespace proa;
using namespace proa::tools;

int main(int argc, char **argv) {
  ScheduleOptions schedules;
  PlanOptions plans;
  CommandLine line(
      "proa-plan",
      "Chooses the fastest strategy of distributed training that fits the memory, by models of time and\n"
      "memory: sizes of all axes, ZeRO, micro-batches, stages and schedule of a pipeline, recomputation\n"
      "of each layer, offload. With --schedule: prints the idle time and memory of a pipeline schedule,\n"
      "checks it and draws it. Nothing is launched, and no device is needed.",
      "  proa-plan llama --cluster h100x64.json --global-batch 512\n"
      "  proa-plan llama --cluster h100x64.json --memory 40GB --explain\n"
      "  proa-plan gpt --cluster here.json --strategy dp2,mp2,zero1 --explain\n"
      "  proa-plan gpt --cluster here.json --executable -o plan.json\n"
      "  proa-plan --calibrate --ranks 4\n"
      "  proa-plan --schedule zbv --stages 4 --microbatches 8 --schedule-svg zbv.svg\n"
      "  proa-plan --schedule auto --stages 4 --microbatches 8 --times 2,3,1 --activations 5\n"
      "  proa-plan --schedule my-schedule.txt\n");
  declareSchedules(line, schedules);
  declarePlans(line, plans);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  schedules.json = plans.json;
  Diagnostics diagnostics;
  checkMode(line, diagnostics);
  PlanMode mode = planModeOf(line);
  if (mode == PlanMode::Plan)
    checkPlan(plans, diagnostics);
  if (!diagnostics.empty())
    return failCommandLine(diagnostics);
  return runTool(line, [&] {
    Result<void> done = mode == PlanMode::Schedule    ? showSchedule(schedules)
                        : mode == PlanMode::Calibrate ? calibrate(plans)
                                                      : choosePlan(std::move(plans));
    return done ? finishOutput(ExitCode::success) : fail(done.diagnostics());
  });
}
