/// State variables that may stay on a device between runs.
#pragma once

#include "lib/runtime/plan/Plan.h"

namespace proa::planner {

/// Completes the entries of Plan::states, whose `feed` and `fetch` are given, and removes those that cannot
/// stay on the device. Call it between placeOnDevice and placeValues.
///
/// A state can if the host only copies it: the feed to the device, and the new value back. Its dims are
/// static, and its new value is not the value of a state before the run.
void completeStates(runtime::Plan &plan);

} // namespace proa::planner
