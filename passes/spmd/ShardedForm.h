/// The check of the sharded form, in which dist-propagate gives a program to dist-partition.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace proa {

/// Checks that every tensor has a final sharding, and that each op matches its rule: the shardings of
/// operands and results follow from mesh axes of factors, or all are replicated, or the op is linear in its
/// partial operands. Errors at the ops.
llvm::LogicalResult verifyShardedForm(mlir::ModuleOp module);

} // namespace proa
