#include "lib/base/plan/ScheduleFigures.h"

#include "lib/base/pipeline/Simulate.h"

#include <algorithm>
#include <cmath>

namespace proa::plan {
namespace {

/// A number of micro-batches with the same idle time and memory: after some times the number of stages each
/// further one repeats the pattern.
int64_t simulatedMicroBatches(int64_t microBatches, int64_t stages) {
  constexpr int64_t rounds = 4;
  int64_t most = rounds * stages;
  return microBatches <= most ? microBatches : most + microBatches % stages;
}

ScheduleFigures simulated(pipeline::ScheduleKind kind, const pipeline::Shape &shape, double forwardPart) {
  double gradient = (1 - forwardPart) / 2;
  pipeline::Timeline timeline = simulate(
      buildSchedule(kind, shape), pipeline::Costs::ofRank({forwardPart, gradient, gradient}, shape.chunks));
  return {timeline.bubble() / static_cast<double>(shape.ranks - 1), timeline.peak};
}

} // namespace

const ScheduleFigures &ScheduleTable::of(pipeline::ScheduleKind kind, int64_t stages, int64_t microBatches,
                                         int64_t chunks, double forwardPart) {
  int64_t step = std::clamp<int64_t>(std::llround(forwardPart / resolution), 0, std::llround(1 / resolution));
  int64_t simulatedCount = simulatedMicroBatches(microBatches, stages);
  auto [found, isNew] = figures.try_emplace({kind, stages, simulatedCount, chunks, step});
  if (isNew)
    if (auto shape = pipeline::shapeFor(kind, stages, simulatedCount, chunks))
      found->second = simulated(kind, *shape, static_cast<double>(step) * resolution);
  return found->second;
}

} // namespace proa::plan
