/// Plans of programs on the command line: MODEL and its options.
#pragma once

#include "lib/compiler/plan/ProgramWorkload.h"
#include "tools/common/CommandLine.h"
#include "tools/common/Warnings.h"

namespace proa::tools {

struct PlanOptions {
  std::string path, cluster, memory, strategy, output;
  std::vector<std::string> dims;
  FeedDims feedDims;
  int64_t batch = 0;
  int layers = 0; ///< 0: those of the program
  size_t best = 10;
  WorkloadOptions workload;
  bool explains = false, lowers = false, json = false, executable = false, noOverlap = false;
  WarningChoice warnings;
};

/// Adds MODEL and its options, after those of schedules.
void declarePlans(CommandLine &line, PlanOptions &options);

/// Adds the errors of options that are missing or malformed.
void checkPlan(PlanOptions &options, Diagnostics &diagnostics);

/// Prints the best plans, or explains --strategy, and writes the plan.
Result<void> choosePlan(PlanOptions options);

} // namespace proa::tools
