/// The reshard planner: the cheapest sequence of steps from one placement to another.
#pragma once

#include "lib/base/spmd/Step.h"
#include "lib/base/target/TargetFacts.h"

#include "proa/Result.h"

namespace proa::spmd {

/// The alpha-beta model of the links of a mesh axis: a message of n bytes takes latency + n / bandwidth.
struct Link {
  /// Seconds.
  double latency = defaultTarget().device().linkLatency();
  /// Bytes per second that a device receives.
  double bandwidth = defaultTarget().device().linkBytesPerSecond();

  static Link of(const DeviceFacts &device) { return {device.linkLatency(), device.linkBytesPerSecond()}; }
};

struct ReshardOptions {
  /// One for each axis of the mesh; empty: `link` for all.
  std::vector<Link> links = {};
  Link link = {};
  int64_t elementBytes = 4;
  /// The most bytes that a device may hold during a step, source and result of the step together; 0: no
  /// limit.
  int64_t memoryLimit = 0;
  /// Seconds that each step takes besides communication.
  double stepSeconds = defaultTarget().device().stepSeconds();
  /// Bytes per second of local copies.
  double copyBandwidth = defaultTarget().device().copiedBytesPerSecond();

  /// Options for a mesh of such devices.
  static ReshardOptions of(const DeviceFacts &device) {
    return {.link = Link::of(device),
            .stepSeconds = device.stepSeconds(),
            .copyBandwidth = device.copiedBytesPerSecond()};
  }
};

struct ReshardStep {
  StepKind kind;
  Placement to;
};

struct ReshardPlan {
  std::vector<ReshardStep> steps;
  /// The time of the plan in the model.
  double seconds = 0;
  /// The most bytes that a device holds during a step.
  int64_t peakBytes = 0;
};

/// The cheapest plan for a tensor of these dims. Both placements are valid on the mesh and canonical. Errors:
/// no plan fits the memory limit; sub-axes of a placement do not nest.
Result<ReshardPlan> planReshard(const Mesh &mesh, const Placement &from, const Placement &to, Dims dims,
                                const ReshardOptions &options = {});

/// The least number of elements that any algorithm moves.
struct TrafficBound {
  /// Received by the device that receives most.
  int64_t perDevice = 0;
  /// Received by all devices.
  int64_t total = 0;
};

/// A lower bound of the traffic of a reshard, for algorithms that copy elements and combine them by
/// reductions:
/// - an element that is not partial must reach each position that needs and does not hold it,
/// - p terms of an element take p - 1 messages to the first position that has their sum, and one more to each
/// other. `perDevice` is at least the mean of `total`.
TrafficBound lowerBound(const Mesh &mesh, const Placement &from, const Placement &to, Dims dims);

} // namespace proa::spmd
