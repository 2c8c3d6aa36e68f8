/// Plans: everything that the planner chooses.
#pragma once

#include "lib/base/pipeline/Builders.h"
#include "lib/base/plan/Workload.h"
#include "lib/base/spmd/Strategy.h"

#include <span>
#include <string>
#include <vector>

namespace proa::plan {

using pipeline::ScheduleKind;

/// The schedules of pipelines that the planner chooses from, and the numbers of chunks on a stage.
struct ScheduleChoice {
  ScheduleKind kind;
  int64_t chunks;
  /// Of a searched schedule: micro-batches that a stage may hold at once, for each stage.
  double activations = 0;
};
std::span<const ScheduleChoice> scheduleChoices();

/// A plan without what differs between layers.
struct Frame {
  int64_t data = 1, context = 1, expert = 1, model = 1, pipeline = 1;
  bool sequence = false; ///< sp
  spmd::ZeroStage zero = spmd::ZeroStage::None;
  int64_t microBatches = 1;
  ScheduleKind schedule = ScheduleKind::OneFOneB;
  int64_t chunks = 1; ///< of layers on a stage
  /// Micro-batches whose activations a stage may hold at once, if the schedule is searched ("auto").
  double activations = 0;
  bool offload = false; ///< states of the optimizer are in the memory of the host

  int64_t devices() const { return data * context * expert * model * pipeline; }
  /// Ways in which the batch is split over devices.
  int64_t batchWays() const { return data * expert; }
  /// The stage that has each chunk of layers.
  std::vector<size_t> stagesOfChunks() const;
  bool operator==(const Frame &) const = default;
};

struct Plan {
  Frame frame;
  /// The first layer of each chunk; Frame::stagesOfChunks says on which stage it is.
  std::vector<int> cuts;
  std::vector<Recompute> recompute; ///< by layer

  bool operator==(const Plan &) const = default;
};

/// "dp4,mp2,sp,zero1,acc8", as Strategy.h reads it, without pipeline.
std::string strategyText(const Frame &frame, bool recomputes);
/// The same with "pp4", the schedule, offload and the number of layers that recompute.
std::string planText(const Plan &plan);
/// The strategy that executes the plan: with stages that begin with the ops of their first layers. A plan of
/// full recomputation has a memory budget instead of "recompute".
std::string executedText(const Plan &plan, const Workload &workload);
/// Why `proa-run` cannot execute a plan with the frame, or the plan; empty: it can.
std::string whyNotExecutable(const Frame &frame);
std::string whyNotExecutable(const Plan &plan, const Workload &workload);

} // namespace proa::plan
