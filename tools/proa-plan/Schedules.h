/// Schedules of pipelines on the command line: --schedule and its options.
#pragma once

#include "lib/base/pipeline/Builders.h"
#include "tools/common/CommandLine.h"

namespace proa::tools {

struct ScheduleOptions {
  /// A kind of schedule, or a file with the text form.
  std::string schedule;
  int64_t stages = 0, microBatches = 0, chunks = 0;
  /// Of a rank, for one micro-batch: F, B and W, and of a step U; or of each rank, or of each stage.
  std::vector<std::string> times;
  double latency = 0;
  std::optional<double> memory;
  std::string svgFile, textFile;
  /// Prints JSON.
  bool json = false;
};

/// The group of the options of --schedule.
constexpr const char *scheduleGroup = "Pipeline schedules";

/// Adds the group.
void declareSchedules(CLI::App &line, ScheduleOptions &options);

/// Builds or reads the schedule, checks it, prints its idle time and memory, and writes the files.
Result<void> showSchedule(const ScheduleOptions &options);

} // namespace proa::tools
