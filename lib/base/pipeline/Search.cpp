//! Searches for schedules.
#include "lib/base/pipeline/Search.h"

#include "lib/base/pipeline/Builders.h"
#include "lib/base/pipeline/Check.h"
#include "lib/base/pipeline/ListSchedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace proa::pipeline {
namespace {

/// The time between the end of F and the start of B of a micro-batch on a stage: F and B of all stages after.
double timeAfter(const Shape &shape, const Costs &costs, int64_t stage) {
  double time = 0;
  for (int64_t later = stage + 1; later < shape.stages(); ++later) {
    time += costs.timesOf(later).forward + costs.timesOf(later).inputGradient;
    if (shape.rankOf(later) != shape.rankOf(later - 1))
      time += 2 * costs.latency;
  }
  return time;
}

/// The least idle time between the first F of a rank and its first B.
double idleBeforeBackward(const Shape &shape, const SearchOptions &options, int64_t rank) {
  const Costs &costs = options.costs;
  int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
  double fastest = 0; ///< the most time of F for one unit of memory
  double work = 0;    ///< of all F of the rank
  for (int64_t chunk = 0; chunk < shape.chunks; ++chunk) {
    int64_t stage = shape.stageOf(rank, chunk);
    first = std::min(first, stage);
    last = std::max(last, stage);
    double forward = costs.timesOf(stage).forward, activation = costs.activationOf(stage);
    work += forward * static_cast<double>(shape.microBatches);
    if (forward > 0)
      fastest =
          std::max(fastest, activation > 0 ? forward / activation : std::numeric_limits<double>::infinity());
  }
  double time = timeAfter(shape, costs, last);
  for (int64_t stage = first; stage <= last; ++stage) {
    time += costs.timesOf(stage).forward;
    if (stage > first && shape.rankOf(stage) != shape.rankOf(stage - 1))
      time += costs.latency;
  }
  double forwards =
      std::isfinite(options.limitOf(rank)) ? std::min(work, options.limitOf(rank) * fastest) : work;
  return std::max(time - forwards, 0.0);
}

/// The least period of the rank of `stage`: another rank runs F and B of all micro-batches between the first
/// F of the stage and its last W.
double timeOfLaterRanks(const Shape &shape, const SearchOptions &options, int64_t stage) {
  const Costs &costs = options.costs;
  double ways = costs.timesOf(stage).weightGradient; ///< to the later stage and back, and the last W
  double most = 0;
  std::vector<bool> isVisited(shape.ranks);
  for (int64_t later = stage; later < shape.stages(); ++later) {
    if (later > stage && shape.rankOf(later) != shape.rankOf(later - 1))
      ways += 2 * costs.latency;
    if (int64_t rank = shape.rankOf(later); !isVisited[rank]) {
      isVisited[rank] = true;
      double work = 0;
      for (int64_t other = later; other < shape.stages(); ++other)
        if (shape.rankOf(other) == rank)
          work += costs.timesOf(other).forward + costs.timesOf(other).inputGradient;
      most = std::max(most, ways + work * static_cast<double>(shape.microBatches));
    }
    ways += costs.timesOf(later).forward + costs.timesOf(later).inputGradient;
  }
  return most;
}

/// The time for which a rank holds activations, divided by the limit.
double timeOfMemory(const Shape &shape, const SearchOptions &options, int64_t rank) {
  double limit = options.limitOf(rank);
  if (!std::isfinite(limit) || limit <= 0)
    return 0;
  double sum = 0;
  for (int64_t chunk = 0; chunk < shape.chunks; ++chunk) {
    int64_t stage = shape.stageOf(rank, chunk);
    const JobTimes &times = options.costs.timesOf(stage);
    sum += options.costs.activationOf(stage) * (times.forward + times.inputGradient + times.weightGradient +
                                                timeAfter(shape, options.costs, stage));
  }
  return sum * static_cast<double>(shape.microBatches) / limit;
}

class ScheduleSearch {
public:
  ScheduleSearch(const Shape &shape, const SearchOptions &options)
      : shape(shape), options(options), bound(lowerBoundOfPeriod(shape, options)) {}

  SearchResult run() {
    tryPublished();
    tryPolicies();
    improve();
    return {std::move(best), std::move(timeline), bound};
  }

private:
  int64_t jobCount() const { return stepCount * shape.stages() * shape.microBatches; }
  bool isOptimal() const { return !best.jobs.empty() && timeline.period <= bound * (1 + 1e-9); }

  /// Of the fullest rank.
  double peakOf(const Timeline &timeline) const {
    double most = 0;
    for (size_t rank = 0; rank < timeline.peak.size(); ++rank)
      most = std::max(most, timeline.peak[rank] + (options.reserved.empty() ? 0 : options.reserved[rank]));
    return most;
  }

  bool fits(const Timeline &candidate) const {
    return candidate.isComplete() &&
           (!options.memoryLimit || peakOf(candidate) <= *options.memoryLimit * (1 + 1e-9));
  }

  void consider(Schedule candidate) {
    Timeline times = simulate(candidate, options.costs);
    if (!fits(times))
      return;
    bool isBetter = best.jobs.empty() || times.period < timeline.period * (1 - 1e-12) ||
                    (times.period <= timeline.period && peakOf(times) < peakOf(timeline));
    if (!isBetter)
      return;
    best = std::move(candidate);
    timeline = std::move(times);
  }

  void tryPublished() {
    for (ScheduleKind kind : allScheduleKinds()) {
      Result<Shape> other = shapeFor(kind, shape.ranks, shape.microBatches, shape.chunks);
      if (kind != ScheduleKind::Automatic && other && (*other == shape || shape.chunks == 1))
        consider(buildSchedule(kind, *other));
    }
  }

  /// List scheduling with uniform limits, and with limits that fall from the first rank to the last.
  void tryPolicies() {
    double all = 0;
    for (int64_t stage = 0; stage < shape.stages(); ++stage)
      all = std::max(all, options.costs.activationOf(stage) * static_cast<double>(shape.chunks));
    double memory = 0;
    for (int64_t rank = 0; rank < shape.ranks; ++rank)
      memory = std::max(memory, options.limitOf(rank));
    double largest =
        std::min(memory, all * static_cast<double>(std::min(shape.microBatches, 3 * shape.ranks)));
    double smallest = all;
    constexpr int64_t policies = 2 * 2 * 3 * 3; // of tryLimits, with uniform limits and with falling ones
    int64_t most = std::max<int64_t>(options.work / 2 / (policies * jobCount()) - 1, 1);
    int64_t steps = std::clamp<int64_t>(static_cast<int64_t>((largest - smallest) / all), 1,
                                        std::min(most, options.limits));
    for (int64_t step = 0; step <= steps; ++step) {
      double limit = smallest + (largest - smallest) * static_cast<double>(step) / static_cast<double>(steps);
      for (bool isFalling : {false, true})
        tryLimits(limitsOf(limit, isFalling));
    }
  }

  std::vector<double> limitsOf(double limit, bool isFalling) const {
    std::vector<double> limits;
    for (int64_t rank = 0; rank < shape.ranks; ++rank) {
      double least = 0;
      for (int64_t chunk = 0; chunk < shape.chunks; ++chunk)
        least += options.costs.activationOf(shape.stageOf(rank, chunk));
      double fraction =
          isFalling ? static_cast<double>(shape.ranks - rank) / static_cast<double>(shape.ranks) : 1;
      limits.push_back(std::min(std::max(limit * fraction, least), options.limitOf(rank)));
    }
    return limits;
  }

  void tryLimits(const std::vector<double> &limits) {
    constexpr int64_t noLimit = 1 << 20;
    for (bool prefersForward : {false, true})
      for (double fill : {0.0, 0.5, 1.0})
        for (int64_t waiting : {int64_t{0}, shape.ranks, noLimit})
          if (!isOptimal())
            if (std::optional<Schedule> candidate =
                    listSchedule(shape, options.costs, limits, {prefersForward, fill, waiting}))
              consider(std::move(*candidate));
  }

  /// Simulated annealing: moves single jobs within their rank, and keeps changes that are better or a little
  /// worse, by a fraction of the period that falls to nothing.
  void improve() {
    if (best.jobs.empty())
      return;
    constexpr double firstTemperature = 0.02;
    constexpr int64_t farthest = 8;
    std::mt19937_64 random(0);
    Schedule current = best;
    double period = timeline.period;
    int64_t attempts = std::min(options.attempts, options.work / 2 / jobCount());
    for (int64_t attempt = 0; attempt < attempts && !isOptimal(); ++attempt) {
      std::vector<Job> &jobs = current.jobs[random() % current.jobs.size()];
      int64_t size = std::ssize(jobs);
      int64_t from = static_cast<int64_t>(random() % size);
      int64_t distance = 1 + static_cast<int64_t>(random() % farthest);
      int64_t to = std::clamp(from + (random() % 2 ? distance : -distance), int64_t{0}, size - 1);
      double left = 1 - static_cast<double>(attempt) / static_cast<double>(attempts);
      double luck = (static_cast<double>(random() >> 11) + 1) * 0x1p-53;
      double accepted = period - std::log(luck) * firstTemperature * left * left * bound;
      moveJob(jobs, from, to);
      Timeline times = simulate(current, options.costs);
      if (!fits(times) || times.period > accepted) {
        moveJob(jobs, to, from);
        continue;
      }
      period = times.period;
      consider(current);
    }
  }

  static void moveJob(std::vector<Job> &jobs, int64_t from, int64_t to) {
    auto begin = jobs.begin();
    if (from < to)
      std::rotate(begin + from, begin + from + 1, begin + to + 1);
    else
      std::rotate(begin + to, begin + from, begin + from + 1);
  }

  const Shape &shape;
  const SearchOptions &options;
  double bound;
  Schedule best;
  Timeline timeline;
};

} // namespace

double SearchOptions::limitOf(int64_t rank) const {
  if (!memoryLimit)
    return std::numeric_limits<double>::infinity();
  return *memoryLimit - (reserved.empty() ? 0 : reserved[static_cast<size_t>(rank)]);
}

double lowerBoundOfPeriod(const Shape &shape, const SearchOptions &options) {
  double bound = 0;
  for (int64_t rank = 0; rank < shape.ranks; ++rank) {
    double work = 0, longest = 0;
    for (int64_t chunk = 0; chunk < shape.chunks; ++chunk) {
      int64_t stage = shape.stageOf(rank, chunk);
      const JobTimes &times = options.costs.timesOf(stage);
      double own = times.forward + times.inputGradient + times.weightGradient;
      work += own;
      longest = std::max(
          {longest, own + timeAfter(shape, options.costs, stage), timeOfLaterRanks(shape, options, stage)});
    }
    double jobs = std::max(
        {longest, work * static_cast<double>(shape.microBatches) + idleBeforeBackward(shape, options, rank),
         timeOfMemory(shape, options, rank)});
    bound = std::max(bound, jobs + options.costs.updateOf(rank));
  }
  return bound;
}

Result<SearchResult> searchSchedule(const Shape &shape, const SearchOptions &options) {
  for (int64_t rank = 0; options.memoryLimit && rank < shape.ranks; ++rank) {
    double least = 0;
    for (int64_t chunk = 0; chunk < shape.chunks; ++chunk)
      least += options.costs.activationOf(shape.stageOf(rank, chunk));
    double used = options.reserved.empty() ? 0 : options.reserved[static_cast<size_t>(rank)];
    if (least + used > *options.memoryLimit * (1 + 1e-9))
      return errorAt(
          fmt::format("rank {}", rank),
          fmt::format("a micro-batch has activations of {:.6g}{} and the memory limit is {:.6g}, expected "
                      "a limit that holds one micro-batch",
                      least, used > 0 ? fmt::format(" besides {:.6g} of other memory", used) : "",
                      *options.memoryLimit));
  }
  return ScheduleSearch(shape, options).run();
}

} // namespace proa::pipeline
