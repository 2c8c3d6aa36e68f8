/// Idle time and memory of pipelines of equal stages, by simulation of their schedules.
#pragma once

#include "lib/base/pipeline/Builders.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace proa::plan {

struct ScheduleFigures {
  /// Idle time as a fraction of the time that the other stages need for a micro-batch.
  double idle = 0;
  /// By stage: micro-batches whose activations it holds at once.
  std::vector<double> inFlight;
};

/// Figures of schedules, each simulated once.
class ScheduleTable {
public:
  /// Of stages that spend `forwardShare` of their time on forward passes, rounded to a multiple of
  /// `resolution`, and halves of the rest on gradients of inputs and of weights. A schedule that is searched
  /// holds at most `activations` micro-batches.
  const ScheduleFigures &of(pipeline::ScheduleKind kind, int64_t stages, int64_t microBatches, int64_t chunks,
                            double forwardShare = equalTimes, double activations = 0);

  static constexpr double resolution = 1.0 / 24;
  static constexpr double equalTimes = 1.0 / 3; ///< of forward pass and both gradients

private:
  using Key = std::tuple<pipeline::ScheduleKind, int64_t, int64_t, int64_t, int64_t, double>;
  std::map<Key, ScheduleFigures> figures;
};

} // namespace proa::plan
