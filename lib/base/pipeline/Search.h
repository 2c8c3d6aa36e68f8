/// The search for the best order of jobs under a memory limit, and a lower bound of its time.
#pragma once

#include "lib/base/pipeline/Simulate.h"

#include "proa/Result.h"

namespace proa::pipeline {

struct SearchOptions {
  Costs costs = {};
  /// The most activations that a rank may hold, in the unit of `costs.activations`; none: no limit.
  std::optional<double> memoryLimit;
  /// Memory of each rank besides activations; empty: none.
  std::vector<double> reserved = {};
  /// The most changes that the search tries after list scheduling.
  int64_t attempts = 20000;
  /// The most memory limits that list scheduling tries besides the least one.
  int64_t limits = 24;
  /// The number of jobs that the search simulates bounds its time: half for list scheduling, half for
  /// changes. Of many jobs it tries fewer limits and changes.
  int64_t work = int64_t(1) << 24;

  /// The most activations of a rank; infinite: no limit.
  double limitOf(int64_t rank) const;
};

struct SearchResult {
  Schedule schedule;
  Timeline timeline;
  /// No schedule of this shape within the memory limit has a shorter period.
  double lowerBound = 0;

  /// How far the period is above the bound, as a fraction of it.
  double gap() const { return lowerBound > 0 ? timeline.period / lowerBound - 1 : 0; }
};

/// The schedule of the shortest period that the search finds; of equal ones the one that holds the least
/// memory. Candidates are the published schedules that fit the shape and the limit, and the results of list
/// scheduling with several policies; simulated annealing changes the best until it reaches the bound. The
/// result depends on the arguments alone. Error: a limit that leaves a rank less than the activations of one
/// micro-batch, with which no schedule exists.
Result<SearchResult> searchSchedule(const Shape &shape, const SearchOptions &options);

/// A period that no schedule is below. On each rank, the time of its optimizer and the largest of
/// - the work, and the time in which it must wait between its first F and its first B: the micro-batch passes
///   the stages after, and the rank can only run the F that fit into the memory limit;
/// - the time of one micro-batch, from F of a stage through all stages after it to W;
/// - the way of the first micro-batch from a stage to a later one, F and B of all micro-batches on the rank
///   of the later one,
///   the way back, and W;
/// - the time for which it holds all activations, divided by the memory limit.
double lowerBoundOfPeriod(const Shape &shape, const SearchOptions &options);

} // namespace proa::pipeline
