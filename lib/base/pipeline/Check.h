/// Static checks of schedules.
#pragma once

#include "lib/base/pipeline/Emission.h"
#include "lib/base/pipeline/Simulate.h"

#include "proa/Diagnostic.h"

#include <string_view>

namespace proa::pipeline {

struct CheckOptions {
  /// The most activations that a rank may hold, in the unit of `costs.activations`; none: no limit.
  std::optional<double> memoryLimit;
  Costs costs = {};
  /// The start of each location, as the name of a file; may be empty.
  std::string_view name = {};
};

/// All errors of a schedule. It is valid if
/// - it has one list of jobs for each rank, and all chunks and micro-batches of jobs exist,
/// - it is complete: each micro-batch has F and either BW or both B and W on each stage, once,
/// - each rank has its own jobs in the order of their dependencies,
/// - ranks do not wait for each other in a cycle,
/// - its actions (Emission.h) end with sends that wait for their receivers,
/// - no rank holds more activations than the limit.
/// Locations name the rank, the position and the job: "rank 1, position 4 (F2)". Codes of errors, in the
/// order of this list: "job", "complete", "order", "deadlock" (both) and "memory".
Diagnostics check(const Schedule &schedule, const CheckOptions &options = {});

/// Errors of programs of ranks: receives and sends without a partner, and ranks that wait for each other if
/// each send waits until its receiver has reached the receive.
Diagnostics checkBlocking(const Shape &shape, const std::vector<std::vector<Action>> &actions);

} // namespace proa::pipeline
