//! Builds schedules of one chunk for each rank, and interleaved schedules.
#include "lib/base/pipeline/Builders.h"

#include "lib/base/pipeline/VShape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace proa::pipeline {
namespace {

constexpr std::array<std::pair<ScheduleKind, std::string_view>, 10> kindNames{
    {{ScheduleKind::FThenB, "fthenb"},
     {ScheduleKind::OneFOneB, "1f1b"},
     {ScheduleKind::EagerOneFOneB, "eager1f1b"},
     {ScheduleKind::Interleaved, "interleaved"},
     {ScheduleKind::ZeroBubbleH1, "zbh1"},
     {ScheduleKind::ZeroBubbleH2, "zbh2"},
     {ScheduleKind::ZeroBubbleV, "zbv"},
     {ScheduleKind::VHalf, "vhalf"},
     {ScheduleKind::VMin, "vmin"},
     {ScheduleKind::Automatic, "auto"}}};

constexpr auto kinds = [] {
  std::array<ScheduleKind, kindNames.size()> list{};
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = kindNames[i].first;
  return list;
}();

bool isVShaped(ScheduleKind kind) {
  return kind == ScheduleKind::ZeroBubbleV || kind == ScheduleKind::VHalf || kind == ScheduleKind::VMin;
}

/// `warmUp` forwards, then a forward and a backward in turn, then the rest of the backwards.
std::vector<Job> alternate(const std::vector<Job> &forwards, const std::vector<Job> &backwards,
                           int64_t warmUp) {
  std::vector<Job> jobs;
  size_t backward = 0;
  for (size_t forward = 0; forward < forwards.size(); ++forward) {
    jobs.push_back(forwards[forward]);
    if (static_cast<int64_t>(forward) >= warmUp)
      jobs.push_back(backwards[backward++]);
  }
  jobs.insert(jobs.end(), backwards.begin() + static_cast<std::ptrdiff_t>(backward), backwards.end());
  return jobs;
}

std::vector<Job> inOrder(JobKind kind, int64_t microBatches) {
  std::vector<Job> jobs;
  for (int64_t microBatch = 0; microBatch < microBatches; ++microBatch)
    jobs.push_back({kind, microBatch});
  return jobs;
}

/// One chunk for each rank, F and BW.
std::vector<Job> unsplitJobs(int64_t microBatches, int64_t warmUp) {
  return alternate(inOrder(JobKind::Forward, microBatches), inOrder(JobKind::Backward, microBatches), warmUp);
}

/// F and B in turn after the warm-up; the W of a micro-batch follows the B of the one `delay` later.
std::vector<Job> splitJobs(int64_t microBatches, int64_t warmUp, int64_t delay) {
  std::vector<Job> jobs;
  for (const Job &job : alternate(inOrder(JobKind::Forward, microBatches),
                                  inOrder(JobKind::InputGradient, microBatches), warmUp)) {
    jobs.push_back(job);
    if (job.kind == JobKind::InputGradient && job.microBatch >= delay)
      jobs.push_back({JobKind::WeightGradient, job.microBatch - delay});
  }
  for (int64_t microBatch = std::max<int64_t>(microBatches - delay, 0); microBatch < microBatches;
       ++microBatch)
    jobs.push_back({JobKind::WeightGradient, microBatch});
  return jobs;
}

/// The jobs of one kind in the order of interleaved schedules: the chunks of a group of micro-batches, then
/// the chunks of the next group. Groups have at least as many micro-batches as there are ranks, if there are
/// as many at all: a group that is smaller would wait for its own results.
std::vector<Job> interleavedOrder(const Shape &shape, JobKind kind) {
  int64_t groups = std::max<int64_t>(shape.microBatches / shape.ranks, 1);
  // The larger groups are first: the warm-up is long enough for all groups then.
  auto beginOf = [&](int64_t group) {
    return shape.microBatches - shape.microBatches * (groups - group) / groups;
  };
  std::vector<Job> jobs;
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t i = 0; i < shape.chunks; ++i)
      for (int64_t microBatch = beginOf(group); microBatch < beginOf(group + 1); ++microBatch)
        jobs.push_back({kind, microBatch, kind == JobKind::Forward ? i : shape.chunks - 1 - i});
  return jobs;
}

std::vector<Job> interleavedJobs(const Shape &shape, int64_t rank) {
  std::vector<Job> forwards = interleavedOrder(shape, JobKind::Forward);
  // The first backward follows the forward of the last chunk. Each rank after this one adds one F until its
  // result returns. With several chunks it adds one more F, so that it does not wait for the other chunks.
  auto last = std::ranges::find(forwards, shape.chunks - 1, &Job::chunk);
  int64_t after = shape.ranks - 1 - rank;
  int64_t warmUp = last - forwards.begin() + (shape.chunks > 1 ? 2 : 1) * after;
  return alternate(forwards, interleavedOrder(shape, JobKind::Backward), warmUp);
}

std::vector<Job> jobsOfRank(ScheduleKind kind, const Shape &shape, int64_t rank) {
  int64_t m = shape.microBatches;
  int64_t after = shape.ranks - 1 - rank;
  switch (kind) {
  case ScheduleKind::FThenB:
    return unsplitJobs(m, m);
  case ScheduleKind::EagerOneFOneB:
    return unsplitJobs(m, 2 * after);
  case ScheduleKind::Interleaved:
    return interleavedJobs(shape, rank);
  case ScheduleKind::ZeroBubbleH1:
    return splitJobs(m, after, rank);
  case ScheduleKind::ZeroBubbleH2:
    return splitJobs(m, 2 * after, 2 * rank);
  default:
    return unsplitJobs(m, after);
  }
}

} // namespace

std::string_view nameOf(ScheduleKind kind) { return kindNames[static_cast<uint8_t>(kind)].second; }

std::optional<ScheduleKind> parseScheduleKind(std::string_view name) {
  for (auto [kind, kindName] : kindNames)
    if (name == kindName)
      return kind;
  return std::nullopt;
}

std::span<const ScheduleKind> allScheduleKinds() { return kinds; }

int64_t defaultChunks(ScheduleKind kind) {
  return kind == ScheduleKind::Interleaved || isVShaped(kind) ? 2 : 1;
}

Result<Shape> shapeFor(ScheduleKind kind, int64_t ranks, int64_t microBatches, int64_t chunks) {
  Diagnostics errors;
  for (auto [name, size] : {std::pair{"ranks", ranks}, {"micro-batches", microBatches}, {"chunks", chunks}})
    if (size < 1)
      errors.add(std::string(nameOf(kind)), fmt::format("{} {}, expected at least 1", size, name));
  bool hasOneChunk = kind != ScheduleKind::Interleaved && kind != ScheduleKind::Automatic && !isVShaped(kind);
  if (hasOneChunk && chunks > 1)
    errors.add(
        std::string(nameOf(kind)),
        fmt::format("{} chunks for each rank, expected 1; 'interleaved' and 'auto' have any number", chunks));
  if (isVShaped(kind) && chunks != 2)
    errors.add(std::string(nameOf(kind)), fmt::format("{} chunks for each rank, expected 2", chunks));
  if (!errors.empty())
    return errors;
  bool isV = isVShaped(kind) || (kind == ScheduleKind::Automatic && chunks == 2);
  return Shape{ranks, chunks, microBatches, isV ? ChunkPlacement::V : ChunkPlacement::RoundRobin};
}

Schedule buildSchedule(ScheduleKind kind, const Shape &shape) {
  if (isVShaped(kind))
    return buildVShape(kind, shape);
  Schedule schedule{shape, {}};
  for (int64_t rank = 0; rank < shape.ranks; ++rank)
    schedule.jobs.push_back(jobsOfRank(kind, shape, rank));
  return schedule;
}

} // namespace proa::pipeline
