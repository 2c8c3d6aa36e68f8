//! Simulates schedules.
#include "lib/base/pipeline/Simulate.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace proa::pipeline {
namespace {

class Simulation {
public:
  Simulation(const Schedule &schedule, const Costs &costs)
      : schedule(schedule), shape(schedule.shape), costs(costs), index(schedule),
        ends(index.size(), std::numeric_limits<double>::infinity()), next(schedule.jobs.size()),
        clock(schedule.jobs.size()) {}

  Timeline run() {
    timeline.spans.resize(schedule.jobs.size());
    // Each pass runs every rank as far as results are there.
    for (bool progress = true; progress;) {
      progress = false;
      for (size_t rank = 0; rank < schedule.jobs.size(); ++rank)
        while (runNext(rank))
          progress = true;
    }
    for (size_t rank = 0; rank < schedule.jobs.size(); ++rank)
      if (next[rank] < schedule.jobs[rank].size())
        timeline.blocked.assign(next.begin(), next.end());
    finish();
    return std::move(timeline);
  }

private:
  bool runNext(size_t rank) {
    if (next[rank] == schedule.jobs[rank].size())
      return false;
    const Job &job = schedule.jobs[rank][next[rank]];
    if (!isInRange(shape, job))
      return false;
    StageJob stageJob = stageJobOf(shape, rank, job);
    double begin = clock[rank];
    for (const StageJob &needed : dependencies(shape, stageJob)) {
      double end = ends[index.indexOf(needed)];
      begin = std::max(begin,
                       shape.rankOf(needed.stage) == static_cast<int64_t>(rank) ? end : end + costs.latency);
    }
    if (begin == std::numeric_limits<double>::infinity())
      return false;
    double time = costs.jobTimes.empty() ? costs.timesOf(stageJob.stage).of(job.kind)
                                         : costs.jobTimes[rank][next[rank]];
    double end = begin + time;
    ends[index.indexOf(stageJob)] = end;
    timeline.spans[rank].push_back({begin, end});
    clock[rank] = end;
    ++next[rank];
    return true;
  }

  void finish() {
    for (size_t rank = 0; rank < schedule.jobs.size(); ++rank) {
      const std::vector<JobSpan> &spans = timeline.spans[rank];
      double busy = 0;
      for (const JobSpan &span : spans)
        busy += span.end - span.begin;
      double update = costs.updateOf(static_cast<int64_t>(rank)), end = spans.empty() ? 0 : spans.back().end;
      timeline.updates.push_back({end, end + update});
      timeline.busy.push_back(busy + update);
      if (!spans.empty()) {
        timeline.makespan = std::max(timeline.makespan, end + update);
        timeline.period = std::max(timeline.period, end + update - spans.front().begin);
      }
      recordMemory(rank);
    }
  }

  void recordMemory(size_t rank) {
    std::vector<MemoryPoint> points{{0, 0}};
    double amount = 0, peak = 0;
    for (size_t i = 0; i < timeline.spans[rank].size(); ++i) {
      const Job &job = schedule.jobs[rank][i];
      double activation = costs.activationOf(shape.stageOf(rank, job.chunk));
      const JobSpan &span = timeline.spans[rank][i];
      if (job.kind == JobKind::Forward)
        points.push_back({span.begin, amount += activation});
      else if (job.kind != JobKind::InputGradient)
        points.push_back({span.end, amount -= activation});
      peak = std::max(peak, amount);
    }
    timeline.memory.push_back(std::move(points));
    timeline.peak.push_back(peak);
  }

  const Schedule &schedule;
  const Shape &shape;
  const Costs &costs;
  JobIndex index;
  std::vector<double> ends;
  std::vector<size_t> next;
  std::vector<double> clock;
  Timeline timeline;
};

} // namespace

double JobTimes::of(JobKind kind) const {
  switch (kind) {
  case JobKind::Forward:
    return forward;
  case JobKind::InputGradient:
    return inputGradient;
  case JobKind::WeightGradient:
    return weightGradient;
  case JobKind::Backward:
    return inputGradient + weightGradient;
  }
  return 0;
}

Costs Costs::ofRank(const JobTimes &times, int64_t chunks, double latency) {
  double count = static_cast<double>(chunks);
  return {{{times.forward / count, times.inputGradient / count, times.weightGradient / count}},
          latency,
          {1 / count}};
}

double Timeline::bubble() const {
  return busy.empty() ? 0 : period - *std::max_element(busy.begin(), busy.end());
}

double Timeline::bubbleRatio() const {
  double work = busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
  return work > 0 ? bubble() / work : 0;
}

Timeline simulate(const Schedule &schedule, const Costs &costs) { return Simulation(schedule, costs).run(); }

} // namespace proa::pipeline
