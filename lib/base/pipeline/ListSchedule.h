/// List scheduling: orders of jobs from a simulated run in which each idle rank chooses a job.
#pragma once

#include "lib/base/pipeline/Simulate.h"

namespace proa::pipeline {

/// How a rank chooses among the jobs that are ready.
struct ListPolicy {
  /// F before B while memory allows it; otherwise B before F.
  bool prefersForward = false;
  /// A rank that waits runs a W if the next F or B arrives no earlier than after this fraction of its time.
  double fill = 1;
  /// The number of W that may wait before the rank runs one first.
  int64_t waitingWeights = 1 << 20;
};

/// The order of a run under a memory limit for each rank. None if a limit is below one activation for each
/// chunk of the rank, with which no order exists.
std::optional<Schedule> listSchedule(const Shape &shape, const Costs &costs,
                                     const std::vector<double> &limits, const ListPolicy &policy);

/// Moves W that follow the last F of their rank to where the rank waits if all jobs take one unit of time:
/// other ranks wait for B. The memory does not grow, since no F follows.
Schedule delayLastWeightGradients(const Schedule &schedule);

} // namespace proa::pipeline
