/// Simulated time and memory of a schedule.
#pragma once

#include "lib/base/pipeline/Schedule.h"

namespace proa::pipeline {

/// Durations of the jobs of one micro-batch on one stage, in any unit. BW takes the sum of B and W.
struct JobTimes {
  double forward = 1;
  double inputGradient = 1;
  double weightGradient = 1;

  double of(JobKind kind) const;
};

struct Costs {
  /// Of each stage, or one entry that is valid for all stages.
  std::vector<JobTimes> times = {{}};
  /// Between the end of a job and the start of a job on another rank that needs its result.
  double latency = 0;
  /// Memory of the activations of one micro-batch on each stage, or one entry for all stages. A stage holds
  /// it from the start of F to the end of W.
  std::vector<double> activations = {1};
  /// The time of each job of a schedule, in its order, instead of `times`; empty: `times` are valid.
  std::vector<std::vector<double>> jobTimes = {};
  /// Time of the optimizer on each rank after its last job, or one entry for all ranks; empty: none.
  std::vector<double> updates = {};

  const JobTimes &timesOf(int64_t stage) const { return times[times.size() == 1 ? 0 : stage]; }
  double activationOf(int64_t stage) const { return activations[activations.size() == 1 ? 0 : stage]; }
  double updateOf(int64_t rank) const {
    return updates.empty() ? 0 : updates[updates.size() == 1 ? 0 : static_cast<size_t>(rank)];
  }

  /// The costs of chunks from the costs of a rank: each of `chunks` chunks takes an equal share of the times
  /// and of the activation 1.
  static Costs ofRank(const JobTimes &times, int64_t chunks, double latency = 0);
};

struct JobSpan {
  double begin = 0, end = 0;
};

struct MemoryPoint {
  double time = 0;
  double amount = 0; ///< from this time on
};

struct Timeline {
  /// The time of each job, in the order of the schedule.
  std::vector<std::vector<JobSpan>> spans;
  /// The time of the optimizer of each rank.
  std::vector<JobSpan> updates;
  /// The sum of the times of jobs and optimizer of each rank.
  std::vector<double> busy;
  /// Activations of each rank over time, and the largest amount.
  std::vector<std::vector<MemoryPoint>> memory;
  std::vector<double> peak;
  /// The end of the last job or optimizer.
  double makespan = 0;
  /// The longest time from the first job of a rank to the end of its optimizer. A step that need not wait for
  /// all ranks can begin again on each rank after this time.
  double period = 0;
  /// The first position of each rank that never runs; empty if all jobs run.
  std::vector<int64_t> blocked;

  bool isComplete() const { return blocked.empty(); }
  /// Idle time of a rank in one period.
  double idle(int64_t rank) const { return period - busy[rank]; }
  /// The largest idle time of a rank that has the most work, and its ratio to the work.
  double bubble() const;
  double bubbleRatio() const;
};

/// Each rank runs its jobs in order, each as soon as the results that it needs are there; sends do not wait
/// for their receivers.
Timeline simulate(const Schedule &schedule, const Costs &costs);

} // namespace proa::pipeline
