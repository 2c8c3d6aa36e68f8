/// The text form of schedules:
///
///   ranks=2 microbatches=3          # chunks=2 and placement=v where they differ from 1 and roundrobin
///   0: F0 F1 BW0 F2 BW1 BW2
///   1: F0 BW0 F1 BW1 F2 BW2
///
/// A job is its kind (F, B, W or BW), its micro-batch and, with several chunks, its chunk: "F2.1". A comment
/// begins with '#' and ends with the line. All jobs may have their times, such as measured ones, in any
/// unit, and each rank the time of its optimizer after its jobs:
///
///   ranks=1 microbatches=1
///   0: F0=1.5 B0=1.4 W0=2.8 update=0.5
#pragma once

#include "lib/base/pipeline/Simulate.h"

#include "proa/Result.h"

#include <string_view>

namespace proa::pipeline {

/// With the times of the jobs and optimizers, where `costs` has `jobTimes`.
std::string textOf(const Schedule &schedule, const Costs &costs = {});

/// A schedule with the times of its text.
struct TimedSchedule {
  Schedule schedule;
  /// Of each job, and of the optimizer of each rank (`Costs::jobTimes`, `Costs::updates`); empty: the text
  /// has no times.
  std::vector<std::vector<double>> jobTimes;
  std::vector<double> updates;
};

/// Reads the text form. Locations of errors are "NAME:LINE:COLUMN". The order of the jobs is not checked
/// (Check.h). Error: some jobs have a time and others have none.
Result<TimedSchedule> parseTimedSchedule(std::string_view text, std::string_view name);

/// The schedule without the times.
Result<Schedule> parseSchedule(std::string_view text, std::string_view name);

/// A job of the text form; none if the text is not a job. Without a chunk it is 0.
std::optional<Job> parseJob(std::string_view text);

/// "roundrobin" or "v".
std::optional<ChunkPlacement> parsePlacement(std::string_view text);
std::string_view textOf(ChunkPlacement placement);

} // namespace proa::pipeline
