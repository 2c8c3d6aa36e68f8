/// Pictures of schedules.
#pragma once

#include "lib/base/pipeline/Simulate.h"

namespace proa::pipeline {

/// An SVG document: one row for each rank with its jobs over time, and below it the activations that the rank
/// holds. F is blue, B orange, W green and BW red; later chunks are lighter. Idle time is hatched.
/// `title` is text, not markup.
std::string drawSchedule(const Schedule &schedule, const Timeline &timeline, const std::string &title);

} // namespace proa::pipeline
