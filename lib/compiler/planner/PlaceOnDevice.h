/// The split of a plan between the host and a device.
#pragma once

#include "lib/runtime/plan/Plan.h"

namespace proa::planner {

/// Gives each value a memory, and adds the steps that copy values between the host and the device, and that
/// wait for the device. Steps with a launch run on the device, all others on the host. Call it before
/// placeValues.
///
/// - A value is where the step runs that computes it.
/// - A value that control flow passes on is on the device
///   if a device step reads it or computes it.
/// - Feeds are copied first.
/// - Parameters and constants are copied once, in Plan::prepare.
/// - A value is copied at most once, in the list of steps that defines it:
///   a value that a loop reads is copied before the loop.
/// - The host waits before a step that reads copied values, and at the end of a body and of the run.
///
/// Does nothing for a plan without device steps.
void placeOnDevice(runtime::Plan &plan);

} // namespace proa::planner
