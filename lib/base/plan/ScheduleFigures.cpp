#include "lib/base/plan/ScheduleFigures.h"

#include "lib/base/pipeline/Search.h"

#include <algorithm>
#include <cmath>

namespace proa::plan {
namespace {

/// A number of micro-batches with the same idle time and memory: after some times the number of stages each
/// further one repeats the pattern. Searches take longer, and fewer are enough: idle time is at both ends.
int64_t simulatedMicroBatches(pipeline::ScheduleKind kind, int64_t microBatches, int64_t stages) {
  int64_t most = (kind == pipeline::ScheduleKind::Automatic ? 2 : 4) * stages;
  return microBatches <= most ? microBatches : most + microBatches % stages;
}

/// Without search: the best of list scheduling.
pipeline::Timeline searched(const pipeline::Shape &shape, const pipeline::Costs &costs, double activations) {
  auto found = searchSchedule(
      shape, {.costs = costs, .memoryLimit = std::max(activations, 1.0), .attempts = 0, .limits = 1});
  return found ? std::move(found->timeline) : pipeline::Timeline();
}

ScheduleFigures simulated(pipeline::ScheduleKind kind, const pipeline::Shape &shape, double forwardPart,
                          double activations) {
  double gradient = (1 - forwardPart) / 2;
  auto costs = pipeline::Costs::ofRank({forwardPart, gradient, gradient}, shape.chunks);
  pipeline::Timeline timeline = kind == pipeline::ScheduleKind::Automatic
                                    ? searched(shape, costs, activations)
                                    : simulate(buildSchedule(kind, shape), costs);
  return {timeline.bubble() / static_cast<double>(shape.ranks - 1), timeline.peak};
}

} // namespace

const ScheduleFigures &ScheduleTable::of(pipeline::ScheduleKind kind, int64_t stages, int64_t microBatches,
                                         int64_t chunks, double forwardPart, double activations) {
  int64_t step = std::clamp<int64_t>(std::llround(forwardPart / resolution), 0, std::llround(1 / resolution));
  int64_t simulatedCount = simulatedMicroBatches(kind, microBatches, stages);
  auto [found, isNew] = figures.try_emplace({kind, stages, simulatedCount, chunks, step, activations});
  if (isNew)
    if (auto shape = pipeline::shapeFor(kind, stages, simulatedCount, chunks))
      found->second = simulated(kind, *shape, static_cast<double>(step) * resolution, activations);
  return found->second;
}

} // namespace proa::plan
