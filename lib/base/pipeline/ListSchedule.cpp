//! List scheduling.
#include "lib/base/pipeline/ListSchedule.h"

#include <algorithm>
#include <limits>
#include <set>

namespace proa::pipeline {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Sums of fractions, as thirds, are not exact.
constexpr double tolerance = 1e-9;

/// Runs jobs that a subclass chooses, event by event.
class ListRun {
public:
  ListRun(const Shape &shape, const Costs &costs)
      : costs(costs), schedule{shape, std::vector<std::vector<Job>>(shape.ranks)}, index(Schedule{shape, {}}),
        ends(index.size(), never), clock(shape.ranks), held(shape.ranks), waiting(shape.ranks) {}
  virtual ~ListRun() = default;

  /// None if jobs are left that no rank may run.
  std::optional<Schedule> run() {
    for (int64_t rank = 0; rank < shape().ranks; ++rank)
      events.insert({0, rank});
    while (!events.empty()) {
      auto [time, rank] = *events.begin();
      events.erase(events.begin());
      if (clock[rank] <= time)
        if (std::optional<Job> job = choose(rank, time))
          start(rank, *job, time);
    }
    size_t jobs = 0;
    for (const std::vector<Job> &rank : schedule.jobs)
      jobs += rank.size();
    if (jobs < static_cast<size_t>(stepCount * shape().stages() * shape().microBatches))
      return std::nullopt;
    return std::move(schedule);
  }

protected:
  /// The job that the idle rank begins at this time; none: it waits for the next event.
  virtual std::optional<Job> choose(int64_t rank, double time) = 0;

  const Shape &shape() const { return schedule.shape; }

  /// When all results are there that the job needs; `never` if a job that it needs has not begun.
  double readyTime(int64_t rank, const Job &job) const {
    double ready = 0;
    for (const StageJob &needed : dependencies(shape(), stageJobOf(shape(), rank, job))) {
      double latency = shape().rankOf(needed.stage) == rank ? 0 : costs.latency;
      ready = std::max(ready, ends[index.indexOf(needed)] + latency);
    }
    return ready;
  }

  double activationOf(int64_t rank, int64_t chunk) const {
    return costs.activationOf(shape().stageOf(rank, chunk));
  }

  const Costs &costs;
  Schedule schedule;
  JobIndex index;
  std::vector<double> ends;
  std::vector<double> clock;
  /// Activations that each rank holds.
  std::vector<double> held;
  /// W whose B ran, oldest first.
  std::vector<std::vector<Job>> waiting;

private:
  void start(int64_t rank, const Job &job, double time) {
    StageJob stageJob = stageJobOf(shape(), rank, job);
    double end = time + costs.timesOf(stageJob.stage).of(job.kind);
    ends[index.indexOf(stageJob)] = end;
    clock[rank] = end;
    events.insert({end, rank});
    if (int64_t reader = rankOfReader(stageJob); reader >= 0 && reader != rank)
      events.insert({end + costs.latency, reader});
    schedule.jobs[rank].push_back(job);
    if (job.kind == JobKind::Forward)
      held[rank] += activationOf(rank, job.chunk);
    else if (job.kind == JobKind::InputGradient)
      waiting[rank].push_back({JobKind::WeightGradient, job.microBatch, job.chunk});
    else {
      held[rank] -= activationOf(rank, job.chunk);
      std::erase(waiting[rank], job);
    }
  }

  /// The rank of another stage that needs the result of the job; -1: none.
  int64_t rankOfReader(const StageJob &job) const {
    int64_t stage = job.step == Step::Forward         ? job.stage + 1
                    : job.step == Step::InputGradient ? job.stage - 1
                                                      : -1;
    return stage >= 0 && stage < shape().stages() ? shape().rankOf(stage) : -1;
  }

  /// Times at which a rank is idle again, or has a result that it may wait for.
  std::set<std::pair<double, int64_t>> events;
};

class PolicyRun : public ListRun {
public:
  PolicyRun(const Shape &shape, const Costs &costs, const std::vector<double> &limits,
            const ListPolicy &policy)
      : ListRun(shape, costs), limits(limits), policy(policy),
        nextMicroBatch(shape.ranks, std::vector<std::pair<int64_t, int64_t>>(shape.chunks)) {}

private:
  std::optional<Job> choose(int64_t rank, double time) override {
    nextArrival = never;
    if (std::ssize(waiting[rank]) > policy.waitingWeights)
      return waiting[rank].front();
    std::optional<Job> job = policy.prefersForward ? chooseForward(rank, time) : chooseBackward(rank, time);
    if (!job)
      job = policy.prefersForward ? chooseBackward(rank, time) : chooseForward(rank, time);
    if (job) {
      auto &[forward, backward] = nextMicroBatch[rank][job->chunk];
      ++(job->kind == JobKind::Forward ? forward : backward);
      return job;
    }
    if (waiting[rank].empty())
      return std::nullopt;
    const Job &weights = waiting[rank].front();
    double duration = costs.timesOf(shape().stageOf(rank, weights.chunk)).weightGradient;
    if (nextArrival < time + policy.fill * duration)
      return std::nullopt;
    return weights;
  }

  /// The oldest micro-batch first, and of equal ones the one in the last chunk, which leads to the first
  /// backward.
  std::optional<Job> chooseForward(int64_t rank, double time) {
    std::optional<Job> best;
    // Later chunks of the micro-batches that are there can run in any case: so a run never stops.
    double reserved = 0;
    for (int64_t chunk = shape().chunks - 1; chunk >= 0; --chunk) {
      reserved += activationOf(rank, chunk);
      Job job{JobKind::Forward, nextMicroBatch[rank][chunk].first, chunk};
      if (job.microBatch == shape().microBatches || held[rank] + reserved > limits[rank] * (1 + tolerance))
        continue;
      if (isReady(rank, job, time) && (!best || job.microBatch < best->microBatch))
        best = job;
    }
    return best;
  }

  std::optional<Job> chooseBackward(int64_t rank, double time) {
    std::optional<Job> best;
    for (int64_t chunk = shape().chunks - 1; chunk >= 0; --chunk) {
      Job job{JobKind::InputGradient, nextMicroBatch[rank][chunk].second, chunk};
      if (job.microBatch < shape().microBatches && isReady(rank, job, time) &&
          (!best || job.microBatch <= best->microBatch))
        best = job;
    }
    return best;
  }

  bool isReady(int64_t rank, const Job &job, double time) {
    double ready = readyTime(rank, job);
    if (ready > time)
      nextArrival = std::min(nextArrival, ready);
    return ready <= time;
  }

  const std::vector<double> &limits;
  const ListPolicy &policy;
  /// Of each chunk of each rank: the next micro-batch of F and of B.
  std::vector<std::vector<std::pair<int64_t, int64_t>>> nextMicroBatch;
  double nextArrival = never;
};

/// Follows an order to the last F of each rank. After it, B are before W.
class DrainRun : public ListRun {
public:
  DrainRun(const Schedule &order, const Costs &costs)
      : ListRun(order.shape, costs), order(order), next(order.jobs.size()), drainBegin(order.jobs.size()) {
    for (size_t rank = 0; rank < order.jobs.size(); ++rank)
      for (size_t i = 0; i < order.jobs[rank].size(); ++i)
        if (order.jobs[rank][i].kind == JobKind::Forward)
          drainBegin[rank] = i + 1;
  }

private:
  std::optional<Job> choose(int64_t rank, double time) override {
    const std::vector<Job> &jobs = order.jobs[rank];
    bool isDrain = next[rank] >= drainBegin[rank];
    if (isDrain) // its W are those that wait
      while (next[rank] < jobs.size() && jobs[next[rank]].kind == JobKind::WeightGradient)
        ++next[rank];
    if (next[rank] < jobs.size() && readyTime(rank, jobs[next[rank]]) <= time)
      return jobs[next[rank]++];
    return isDrain && !waiting[rank].empty() ? std::optional(waiting[rank].front()) : std::nullopt;
  }

  const Schedule &order;
  std::vector<size_t> next;
  /// The position after the last F.
  std::vector<size_t> drainBegin;
};

} // namespace

std::optional<Schedule> listSchedule(const Shape &shape, const Costs &costs,
                                     const std::vector<double> &limits, const ListPolicy &policy) {
  return PolicyRun(shape, costs, limits, policy).run();
}

Schedule delayLastWeightGradients(const Schedule &schedule) {
  Costs costs;
  return DrainRun(schedule, costs).run().value_or(schedule);
}

} // namespace proa::pipeline
