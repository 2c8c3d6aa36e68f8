/// Where the values of a plan live and when they die, once all steps are there.
#pragma once

#include "lib/runtime/Plan.h"

namespace proa::planner {

/// Makes Results of the Arena values that are fetched. Gives each other one its offset, Plan::arenaBytes its
/// size, and each step and body the values that die there.
void placeValues(runtime::Plan &plan);

} // namespace proa::planner
