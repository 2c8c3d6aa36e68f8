//! Sizes, dependencies and positions of jobs.
#include "lib/base/pipeline/Schedule.h"

#include <fmt/format.h>

namespace proa::pipeline {

int64_t Shape::stageOf(int64_t rank, int64_t chunk) const {
  bool isReversed = placement == ChunkPlacement::V && chunk % 2 == 1;
  return chunk * ranks + (isReversed ? ranks - 1 - rank : rank);
}

int64_t Shape::rankOf(int64_t stage) const {
  bool isReversed = placement == ChunkPlacement::V && chunkOf(stage) % 2 == 1;
  return isReversed ? ranks - 1 - stage % ranks : stage % ranks;
}

Step stepOf(JobKind kind) {
  switch (kind) {
  case JobKind::Forward:
    return Step::Forward;
  case JobKind::InputGradient:
  case JobKind::Backward:
    return Step::InputGradient;
  case JobKind::WeightGradient:
    return Step::WeightGradient;
  }
  return Step::Forward;
}

JobPair dependencies(const Shape &shape, const StageJob &job) {
  JobPair jobs;
  switch (job.step) {
  case Step::Forward:
    if (job.stage > 0)
      jobs.push_back({Step::Forward, job.microBatch, job.stage - 1});
    break;
  case Step::InputGradient:
    jobs.push_back({Step::Forward, job.microBatch, job.stage});
    if (job.stage + 1 < shape.stages())
      jobs.push_back({Step::InputGradient, job.microBatch, job.stage + 1});
    break;
  case Step::WeightGradient:
    jobs.push_back({Step::InputGradient, job.microBatch, job.stage});
    break;
  }
  return jobs;
}

bool isInRange(const Shape &shape, const Job &job) {
  return job.chunk >= 0 && job.chunk < shape.chunks && job.microBatch >= 0 &&
         job.microBatch < shape.microBatches;
}

StageJob stageJobOf(const Shape &shape, int64_t rank, const Job &job) {
  return {stepOf(job.kind), job.microBatch, shape.stageOf(rank, job.chunk)};
}

JobIndex::JobIndex(const Schedule &schedule) : shape(schedule.shape) {
  slots.resize(stepCount * shape.stages() * shape.microBatches);
  for (int64_t rank = 0; rank < std::ssize(schedule.jobs); ++rank)
    for (int64_t position = 0; position < std::ssize(schedule.jobs[rank]); ++position) {
      const Job &job = schedule.jobs[rank][position];
      if (!isInRange(shape, job))
        continue;
      StageJob stageJob = stageJobOf(shape, rank, job);
      Slot &slot = slots[indexOf(stageJob)];
      if (!slot.exists())
        slot = {rank, position};
      stageJob.step = Step::WeightGradient;
      Slot &weights = slots[indexOf(stageJob)];
      if (job.kind == JobKind::Backward && !weights.exists())
        weights = {rank, position};
    }
}

size_t JobIndex::indexOf(const StageJob &job) const {
  return (static_cast<size_t>(job.step) * shape.stages() + job.stage) * shape.microBatches + job.microBatch;
}

std::string textOf(const Job &job, int64_t chunks) {
  constexpr const char *names[] = {"F", "B", "W", "BW"};
  std::string text = fmt::format("{}{}", names[static_cast<uint8_t>(job.kind)], job.microBatch);
  return chunks > 1 ? fmt::format("{}.{}", text, job.chunk) : text;
}

} // namespace proa::pipeline
