/// Writes the sharded form: reshards and final shardings.
#pragma once

#include "passes/spmd/propagation/Assignment.h"

namespace proa::sharding {

/// Inserts dist.reshard where a use needs another placement, one for each value and placement, and sets the
/// final shardings of arguments, results and ops. Removes dist.constrain.
void materialize(ShardingGraph &graph, Assignment &assignment, PlacementPool &pool);

} // namespace proa::sharding
