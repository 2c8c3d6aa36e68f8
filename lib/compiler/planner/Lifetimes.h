/// Where the values of a plan live and when they die, once all steps are there.
#pragma once

#include "lib/runtime/plan/Plan.h"

#include <map>

namespace proa::planner {

/// The tensor that a step may add in place, by the value of its result (rt::PostOpsOpInterface).
using Accumulators = std::map<runtime::ValueId, runtime::ValueId>;

/// Turns the Arena values that are fetched into Results. Sets the offset of each other one, Plan::arenaBytes,
/// and the values that each step and body releases.
void placeValues(runtime::Plan &plan, const Accumulators &accumulators);

} // namespace proa::planner
