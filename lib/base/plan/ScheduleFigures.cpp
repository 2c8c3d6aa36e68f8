#include "lib/base/plan/ScheduleFigures.h"

#include "lib/base/pipeline/Search.h"

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

/// Without search: the best of list scheduling.
pipeline::Timeline searched(const pipeline::Shape &shape, const pipeline::Costs &costs, double activations) {
  auto found = searchSchedule(
      shape, {.costs = costs, .memoryLimit = std::max(activations, 1.0), .attempts = 0, .limits = 1});
  return found ? std::move(found->timeline) : pipeline::Timeline();
}

ScheduleFigures simulated(pipeline::ScheduleKind kind, const pipeline::Shape &shape, double forwardShare,
                          double activations) {
  double gradient = (1 - forwardShare) / 2;
  auto costs = pipeline::Costs::ofRank({forwardShare, gradient, gradient}, shape.chunks);
  pipeline::Timeline timeline = kind == pipeline::ScheduleKind::Automatic
                                    ? searched(shape, costs, activations)
                                    : simulate(buildSchedule(kind, shape), costs);
  return {timeline.bubble() / static_cast<double>(shape.ranks - 1), timeline.peak};
}

} // namespace

const ScheduleFigures &ScheduleTable::of(pipeline::ScheduleKind kind, int64_t stages, int64_t microBatches,
                                         int64_t chunks, double forwardShare, double activations) {
  int64_t step =
      std::clamp<int64_t>(std::llround(forwardShare / resolution), 0, std::llround(1 / resolution));
  bool isSearched = kind == pipeline::ScheduleKind::Automatic;
  // Of more stages, the idle time for each other stage is as for as many micro-batches and as much memory
  // for each stage.
  constexpr int64_t mostSearched = 8;
  if (isSearched && stages > mostSearched) {
    double fraction = static_cast<double>(mostSearched) / static_cast<double>(stages);
    auto scaled = [&](double amount) { return std::max(1.0, amount * fraction); };
    return of(kind, mostSearched, std::llround(scaled(static_cast<double>(microBatches))), chunks,
              forwardShare, scaled(activations));
  }
  int64_t count = isSearched ? microBatches : simulatedMicroBatches(microBatches, stages);
  auto [found, isNew] = figures.try_emplace({kind, stages, count, chunks, step, activations});
  if (!isNew)
    return found->second;
  // With little memory a rank waits in each micro-batch: the idle time grows with their number.
  constexpr int64_t rounds = 3;
  if (int64_t most = rounds * stages; isSearched && count > most) {
    ScheduleFigures all = of(kind, stages, most, chunks, forwardShare, activations);
    double before = of(kind, stages, most - stages, chunks, forwardShare, activations).idle;
    double added = std::max(0.0, all.idle - before) / static_cast<double>(stages);
    all.idle += added * static_cast<double>(count - most);
    return found->second = std::move(all);
  }
  if (auto shape = pipeline::shapeFor(kind, stages, count, chunks))
    found->second = simulated(kind, *shape, static_cast<double>(step) * resolution, activations);
  return found->second;
}

} // namespace proa::plan
