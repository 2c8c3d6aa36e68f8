/// The text form of schedules:
///
///   ranks=2 microbatches=3          # chunks=2 and placement=v where they differ from 1 and roundrobin
///   0: F0 F1 BW0 F2 BW1 BW2
///   1: F0 BW0 F1 BW1 F2 BW2
///
/// A job is its kind (F, B, W or BW), its micro-batch and, with several chunks, its chunk: "F2.1". A comment
/// begins with '#' and ends with the line.
#pragma once

#include "lib/base/pipeline/Schedule.h"

#include "proa/Result.h"

#include <string_view>

namespace proa::pipeline {

std::string textOf(const Schedule &schedule);

/// Reads the text form. Locations of errors are "NAME:LINE:COLUMN". The order of the jobs is not checked
/// (Check.h).
Result<Schedule> parseSchedule(std::string_view text, std::string_view name);

/// A job of the text form; none if the text is not a job. Without a chunk it is 0.
std::optional<Job> parseJob(std::string_view text);

/// "roundrobin" or "v".
std::optional<ChunkPlacement> parsePlacement(std::string_view text);
std::string_view textOf(ChunkPlacement placement);

} // namespace proa::pipeline
