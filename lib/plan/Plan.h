/// Plans: everything that the planner chooses.
#pragma once

#include "lib/plan/Workload.h"
#include "lib/spmd/Strategy.h"

#include <string>
#include <vector>

namespace proa::plan {

/// Schedules of pipelines that the planner chooses from; p stages, m micro-batches.
enum class Schedule : uint8_t {
  OneForwardOneBackward, ///< "1f1b"
  Interleaved,           ///< "interleaved": several chunks of layers on a stage (Narayanan et al. 2021)
  ZeroBubbleH1,          ///< "zbh1": weight gradients fill idle time (Qi et al. 2023)
};

const char *nameOf(Schedule schedule);

/// A plan without what differs between layers.
struct Frame {
  int64_t data = 1, context = 1, expert = 1, model = 1, pipeline = 1;
  bool sequence = false; ///< sp
  spmd::ZeroStage zero = spmd::ZeroStage::None;
  int64_t microBatches = 1;
  Schedule schedule = Schedule::OneForwardOneBackward;
  int64_t chunks = 1;   ///< of layers on a stage
  bool offload = false; ///< states of the optimizer are in the memory of the host

  int64_t devices() const { return data * context * expert * model * pipeline; }
  /// Ways in which the batch is split over devices.
  int64_t batchWays() const { return data * expert; }
  bool operator==(const Frame &) const = default;
};

struct Plan {
  Frame frame;
  /// The first layer of each chunk; chunk c is on stage c modulo the number of stages.
  std::vector<int> cuts;
  std::vector<Recompute> recompute; ///< by layer

  bool operator==(const Plan &) const = default;
};

/// "dp4,mp2,sp,zero1,acc8", as Strategy.h reads it, without pipeline.
std::string strategyText(const Frame &frame, bool recomputes);
/// The same with "pp4", the schedule, offload and the number of layers that recompute.
std::string planText(const Plan &plan);
/// Why `proa-run` cannot execute the plan; empty: it can.
std::string whyNotExecutable(const Plan &plan);

} // namespace proa::plan
