/// The chain of decisions that gave a value its sharding.
#pragma once

#include "passes/spmd/propagation/Assignment.h"

namespace proa::sharding {

/// Prints, for each split dimension of a value, from where its axes came: one line for each op that passed
/// them, up to an annotation; then the placement that the defining op gives, and the reshards of its uses.
///
/// A value is the name of a feed, parameter, fetch or state; or `op#n` or `op#n:r`, the result 0 or r of the
/// n-th op of that name in the module, counted from 0 (`pd.matmul#2`). Error: such a value does not exist;
/// near names follow.
llvm::LogicalResult explain(llvm::StringRef name, mlir::ModuleOp module, const ShardingGraph &graph,
                            const Propagation &propagation, Assignment &assignment, const PlacementPool &pool,
                            llvm::raw_ostream &os);

} // namespace proa::sharding
