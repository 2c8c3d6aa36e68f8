/// Plans of programs on the command line: MODEL and its options.
#pragma once

#include "lib/compiler/plan/ProgramWorkload.h"
#include "tools/common/CommandLine.h"
#include "tools/common/Warnings.h"

namespace proa::tools {

struct PlanOptions {
  static constexpr const char *automatic = "auto";
  std::string path, cluster, memory, strategy, output;
  std::vector<std::string> dims;
  FeedDims feedDims;
  int64_t batch = 0;
  int layers = 0;          ///< 0: as in the program
  std::string calibration; ///< file of --calibrate; automatic: defaultCalibrationFile()
  int64_t ranks = 0;       ///< of the calibration; 0: cores, or processes of mpirun
  size_t best = 10;
  double lowerSeconds = 2; ///< of JudgeOptions
  WorkloadOptions workload;
  bool explains = false, json = false, executable = false, noOverlap = false;
  WarningChoice warnings;
};

/// Adds MODEL and its options, after the options of schedules.
void declarePlans(CommandLine &line, PlanOptions &options);

/// Adds the errors of options that are missing or malformed.
void checkPlan(PlanOptions &options, Diagnostics &diagnostics);

/// Prints the best plans, or explains --strategy, and writes the plan.
Result<void> choosePlan(PlanOptions options);

/// Measures this machine and writes the file of --calibrate.
Result<void> calibrate(const PlanOptions &options);

} // namespace proa::tools
