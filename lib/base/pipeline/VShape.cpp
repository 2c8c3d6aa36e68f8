//! Builds schedules in V shape.
#include "lib/base/pipeline/VShape.h"

#include "lib/base/pipeline/ListSchedule.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

namespace proa::pipeline {
namespace {

/// Jobs of one rank, numbered by micro-batch for each kind and chunk.
class RankWriter {
public:
  void add(JobKind kind, int64_t chunk) {
    jobs.push_back({kind, counts[static_cast<uint8_t>(kind)][chunk]++, chunk});
  }
  int64_t count(JobKind kind, int64_t chunk) const { return counts[static_cast<uint8_t>(kind)][chunk]; }
  std::vector<Job> take() { return std::move(jobs); }

private:
  std::array<std::array<int64_t, 2>, 4> counts{};
  std::vector<Job> jobs;
};

/// The order without idle time for equal times. It needs 2p - 1 micro-batches; with fewer the others are left
/// out, which keeps all dependencies.
std::vector<Job> zeroBubbleJobs(const Shape &shape, int64_t rank) {
  using enum JobKind;
  int64_t after = shape.ranks - rank;
  int64_t total = std::max(shape.microBatches, 2 * shape.ranks - 1);
  RankWriter writer;
  auto backward = [&](int64_t chunk) {
    writer.add(InputGradient, chunk);
    writer.add(WeightGradient, chunk);
  };
  for (int64_t i = 0; i < 2 * after - 1; ++i)
    writer.add(Forward, 0);
  for (int64_t i = 0; i < rank; ++i) {
    writer.add(Forward, 1);
    writer.add(Forward, 0);
  }
  for (int64_t i = 0; i < after; ++i) {
    writer.add(Forward, 1);
    backward(1);
  }
  while (writer.count(Forward, 1) < total) {
    if (writer.count(Forward, 0) < total)
      writer.add(Forward, 0);
    backward(0);
    writer.add(Forward, 1);
    backward(1);
  }
  // The drain: input gradients first, since other ranks wait for them.
  for (int64_t i = 0; i < rank; ++i) {
    writer.add(InputGradient, 0);
    writer.add(InputGradient, 1);
  }
  for (int64_t i = 0; i < after; ++i)
    backward(0);
  for (int64_t chunk : {1, 0})
    while (writer.count(WeightGradient, chunk) < total)
      writer.add(WeightGradient, chunk);
  std::vector<Job> jobs = writer.take();
  std::erase_if(jobs, [&](const Job &job) { return job.microBatch >= shape.microBatches; });
  return jobs;
}

/// Start times of F0, F1, B1 and B0 of the first micro-batch on a rank, in units of one job. A micro-batch
/// starts every 6 units: each rank has 6 jobs for it, and two of the units are left for W. No two of the
/// starts are equal modulo 6, for which the turn at the end of the forwards waits where the number of ranks
/// demands it.
std::array<int64_t, 4> repeatedStarts(ScheduleKind kind, int64_t ranks, int64_t rank) {
  if (kind == ScheduleKind::VMin) {
    int64_t wait = ranks % 3 == 0 ? 2 : 0;
    return {rank, 2 * ranks - 1 - rank, 2 * ranks + wait + rank, 4 * ranks + wait - 1 - rank};
  }
  int64_t wait = ranks % 2 == 0 ? 3 : 0;
  return {2 * rank, 3 * ranks - 2 - rank, 3 * ranks - 1 + wait + 2 * rank, 6 * ranks + wait - 2 - rank};
}

/// The jobs of a rank if all micro-batches repeat the times of the first one, and W are in the units without
/// F and B.
std::vector<Job> repeatedJobs(ScheduleKind kind, const Shape &shape, int64_t rank) {
  using enum JobKind;
  constexpr std::array<std::pair<JobKind, int64_t>, 4> steps{
      {{Forward, 0}, {Forward, 1}, {InputGradient, 1}, {InputGradient, 0}}};
  std::array<int64_t, 4> starts = repeatedStarts(kind, shape.ranks, rank);
  std::map<int64_t, Job> jobAt;
  for (int64_t microBatch = 0; microBatch < shape.microBatches; ++microBatch)
    for (size_t i = 0; i < steps.size(); ++i)
      jobAt[starts[i] + 6 * microBatch] = {steps[i].first, microBatch, steps[i].second};
  std::vector<Job> jobs;
  std::deque<Job> waiting; ///< W whose B is in `jobs`
  int64_t time = 0;
  auto runWaiting = [&](int64_t until) {
    for (; time < until && !waiting.empty(); ++time) {
      jobs.push_back(waiting.front());
      waiting.pop_front();
    }
  };
  for (const auto &[start, job] : jobAt) {
    runWaiting(start);
    jobs.push_back(job);
    if (job.kind == InputGradient)
      waiting.push_back({WeightGradient, job.microBatch, job.chunk});
    time = start + 1;
  }
  jobs.insert(jobs.end(), waiting.begin(), waiting.end());
  return jobs;
}

} // namespace

Schedule buildVShape(ScheduleKind kind, const Shape &shape) {
  Schedule schedule{shape, {}};
  for (int64_t rank = 0; rank < shape.ranks; ++rank)
    schedule.jobs.push_back(kind == ScheduleKind::ZeroBubbleV ? zeroBubbleJobs(shape, rank)
                                                              : repeatedJobs(kind, shape, rank));
  return kind == ScheduleKind::ZeroBubbleV ? schedule : delayLastWeightGradients(schedule);
}

} // namespace proa::pipeline
