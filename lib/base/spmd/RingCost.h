/// Whether devices pass shards of an operand around a ring, or gather them: by time and memory.
#pragma once

#include "lib/base/spmd/Reshard.h"

namespace proa::spmd {

/// How rings are chosen: by the model, or everywhere or nowhere where they are possible.
enum class RingUse : uint8_t { ByCost, Always, Never };

/// An op of one device that needs the shards of all devices of an axis.
struct RingWork {
  int64_t shards = 1;
  /// Of the shards that a device sends in one step.
  int64_t messageBytes = 0;
  /// The number of messages of a step.
  int64_t messages = 1;
  /// Multiplications and additions of the device.
  double operations = 0;
  /// Bytes that the device holds if it gathers, and in a step of the ring.
  int64_t gatherBytes = 0, ringBytes = 0;
  /// Bytes that the device copies to put the results of the steps in order.
  int64_t copiedBytes = 0;
};

struct RingModel {
  /// Steps of a plan that a further step of a ring takes, about.
  static constexpr double stepsOfPlan = 10;
  Link link = {};
  /// Multiplications and additions of a device per second.
  double operationsPerSecond = defaultTarget().device().flopsPerSecond();
  /// Whether messages are on their way while the device computes.
  bool overlaps = true;
  /// Seconds that a further step takes besides its message and its computation.
  double stepSeconds = stepsOfPlan * defaultTarget().device().stepSeconds();
  double copyBandwidth = defaultTarget().device().copiedBytesPerSecond();
  /// A ring that saves this much memory may take `slowdown` times the time of the gather.
  int64_t leastBytes = 1 << 20;
  double slowdown = 1.25;

  /// The model of a mesh of such devices that compute at this rate.
  static RingModel of(const DeviceFacts &device, double operationsPerSecond, bool overlaps) {
    return {.link = Link::of(device),
            .operationsPerSecond = operationsPerSecond,
            .overlaps = overlaps,
            .stepSeconds = stepsOfPlan * device.stepSeconds(),
            .copyBandwidth = device.copiedBytesPerSecond()};
  }
};

struct RingCost {
  double gatherSeconds = 0, ringSeconds = 0;
  /// Whether the ring takes at least 5 % less time, or saves memory at little cost.
  bool isRing = false;
};

/// The gather takes the messages of all steps, then the computation. The ring takes the longer of message and
/// computation in each step but the last, which has no message.
RingCost costOfRing(const RingWork &work, const RingModel &model = {});

} // namespace proa::spmd
