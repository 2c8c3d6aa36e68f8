/// Reads the shardings that a program is annotated with.
#pragma once

#include "passes/spmd/propagation/ShardingGraph.h"

namespace proa::sharding {

/// Checks all annotations against their meshes and sets the states. All errors are reported.
llvm::LogicalResult readAnnotations(ShardingGraph &graph);

} // namespace proa::sharding
